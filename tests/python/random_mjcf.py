# SPDX-License-Identifier: Apache-2.0
"""Random robots of everything that contact dynamics reads from MJCF."""

from __future__ import annotations

from typing import Any

import numpy as np


class RandomRobot:
    """Text of a robot, the same for a seed: trees of bodies with spheres and capsules over a floor.

    Contacts of these shapes have closed forms, so that they are the same everywhere.
    """

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.all_joints = 0
        self.joints: list[str] = []  # but those of balls
        self.bodies: list[str] = []
        self.shapes: list[str] = []
        trees = "".join(self._body(int(self.random.integers(5)), True) for _ in range(self.random.choice([1, 2, 3])))
        rest = self._tendons() + self._equalities() + self._actuators() + self._contacts()
        self.xml = (
            f'<mujoco><compiler angle="degree"/>{self._option()}<worldbody>'
            f'<geom name="floor" type="plane" size="0 0 1"{self._maybe(0.5, "friction", 0.1, 1.5)}/>{trees}</worldbody>'
            f"{rest}</mujoco>"
        )

    def _chance(self, p: float) -> bool:
        return bool(self.random.random() < p)

    def _numbers(self, *bounds: tuple[float, float]) -> str:
        return " ".join(f"{self.random.uniform(*bound):.6g}" for bound in bounds)

    def _maybe(self, p: float, name: str, *bounds: float) -> str:
        """An attribute of numbers between pairs of bounds, or nothing."""
        pairs = list(zip(bounds[::2], bounds[1::2], strict=True))
        return f' {name}="{self._numbers(*pairs)}"' if self._chance(p) else ""

    def _vector(self, size: float, n: int = 3) -> str:
        return " ".join(f"{x:.6g}" for x in size * self.random.normal(size=n))

    def _soft(self, suffix: str = "") -> str:
        stiff = self._maybe(0.3, "solref" + suffix, -500, -50, -50, -5)
        return (stiff or self._maybe(0.2, "solref" + suffix, 0.01, 0.05, 0.5, 1.5)) + self._maybe(
            0.3, "solimp" + suffix, 0.5, 0.9, 0.9, 0.99, 0.0005, 0.01, 0.2, 0.8, 1, 4
        )

    def _option(self) -> str:
        cone, impratio = self.random.choice(["pyramidal", "elliptic"]), self.random.choice([1, 5, 20])
        gravity = f' gravity="{self._vector(5)}"' if self._chance(0.2) else ""
        flags = "".join(
            f' {flag}="disable"'
            for flag in ("filterparent", "frictionloss", "limit", "equality", "spring", "damper", "clampctrl")
            if self._chance(0.05)
        )
        return f'<option timestep="0.002" cone="{cone}" impratio="{impratio}"{gravity}><flag{flags}/></option>'

    def _joint(self, kind: str) -> str:
        name = f"joint{self.all_joints}"
        self.all_joints += 1
        text = f'<joint name="{name}" type="{kind}"' + self._maybe(0.4, "pos", *3 * (-0.1, 0.1))
        if kind != "ball":
            self.joints.append(name)
            text += f' axis="{self._vector(1)}"'
            width = 20 if kind == "hinge" else 0.1
            text += self._maybe(0.3, "springref", -width, width) + self._maybe(0.2, "ref", -width, width)
        for attribute, p, high in (("damping", 0.5, 0.5), ("armature", 0.4, 0.05), ("stiffness", 0.3, 5)):
            text += self._maybe(p, attribute, 0, high)
        if self._chance(0.3):
            text += f' frictionloss="{self._numbers((0, 0.3))}"' + self._soft("friction")
        if self._chance(0.5):
            bounds = {"hinge": ((-90, -5), (5, 90)), "slide": ((-0.3, -0.05), (0.05, 0.3)), "ball": ((0, 0), (20, 120))}
            text += f' range="{self._numbers(*bounds[kind])}"' + self._maybe(0.3, "margin", 0, 0.05)
            text += self._soft("limit")
        return text + "/>"

    def _shape(self) -> str:
        name = f"shape{len(self.shapes)}"
        self.shapes.append(name)
        kind, size = self.random.choice(["sphere", "capsule"]), self._numbers((0.03, 0.12), (0.03, 0.12))
        text = f'<geom name="{name}" type="{kind}" size="{size}" pos="{self._vector(0.08)}" euler="{self._vector(90)}"'
        text += self._maybe(0.3, "mass", 0.1, 2) or self._maybe(0.3, "density", 100, 2000)
        text += self._maybe(0.4, "friction", 0.1, 1.5, 0.001, 0.02, 0.0001, 0.01) + self._maybe(0.2, "margin", 0, 0.02)
        text += self._maybe(0.2, "solmix", 0.1, 3)
        for attribute, p, values in (("condim", 0.4, [1, 3, 4, 6]), ("priority", 0.2, [0, 1, 2]),
                                     ("contype", 0.2, [0, 1, 2, 3]), ("conaffinity", 0.2, [0, 1, 2, 3])):
            text += f' {attribute}="{self.random.choice(values)}"' if self._chance(p) else ""
        return text + self._soft() + "/>"

    def _body(self, depth: int, first: bool = False) -> str:
        name = f"body{len(self.bodies)}"
        self.bodies.append(name)
        place = self._numbers((-0.6, 0.6), (-0.6, 0.6), (0, 0.5)) if first else self._vector(0.15)
        text = f'<body name="{name}" pos="{place}" euler="{self._vector(90)}"{self._maybe(0.1, "gravcomp", 0, 1.2)}>'
        if first and self._chance(0.6):
            text += f'<joint type="free"{self._maybe(0.3, "damping", 0, 0.3)}/>'
        elif first or self._chance(0.9):
            kinds = [self.random.choice(["hinge", "hinge", "slide", "ball"])]
            while kinds[-1] != "ball" and len(kinds) < 3 and self._chance(0.3):
                kinds.append(self.random.choice(["hinge", "slide"]))
            text += "".join(map(self._joint, kinds))
        text += "".join(self._shape() for _ in range(self.random.choice([1, 1, 2])))
        children = self.random.choice([0, 1, 1, 1, 2]) if depth > 0 else 0
        return text + "".join(self._body(depth - 1) for _ in range(children)) + "</body>"

    def _two(self, names: list[str]) -> list[str]:
        return list(self.random.choice(names, 2, replace=False))

    def _tendons(self) -> str:
        text = ""
        for k in range(2):
            if len(self.joints) < 2 or self._chance(0.7):
                continue
            text += f'<fixed name="tendon{k}"'
            if self._chance(0.5):
                text += f' range="{self._numbers((-0.4, -0.01), (0.01, 0.4))}"' + self._soft("limit")
            for attribute, high in (("stiffness", 5), ("damping", 0.5), ("frictionloss", 0.2)):
                text += self._maybe(0.3, attribute, 0, high)
            text += ">"
            for joint in self._two(self.joints):
                text += f'<joint joint="{joint}" coef="{self._numbers((-1.5, 1.5))}"/>'
            text += "</fixed>"
        return f"<tendon>{text}</tendon>" if text else ""

    def _equalities(self) -> str:
        kind, text = self.random.choice(["connect", "weld", "joint", "", ""]), ""
        if kind == "joint" and len(self.joints) > 1:
            one, two = self._two(self.joints)
            curve = self._numbers((-0.1, 0.1), (-1, 1), (0.1, 0.5))
            text = f'<joint joint1="{one}" joint2="{two}" polycoef="{curve} 0 0"{self._soft()}/>'
        elif kind in ("connect", "weld") and len(self.bodies) > 1:
            one, two = self._two(self.bodies)
            anchor = f' anchor="{self._vector(0.1)}"' if kind == "connect" else ""
            text = f'<{kind} body1="{one}" body2="{two}"{anchor}{self._soft()}/>'
        return f"<equality>{text}</equality>" if text else ""

    def _actuators(self) -> str:
        text = ""
        for joint in self.joints:
            if self._chance(0.5):
                continue
            kind = self.random.choice(["motor", "position", "velocity", "general"])
            text += f'<{kind} joint="{joint}"' + self._maybe(0.4, "gear", 0.3, 3)
            text += self._maybe(0.4, "ctrlrange", -1, -0.5, 0.5, 1) + self._maybe(0.3, "forcerange", -2, -1, 0.5, 3)
            gains: dict[Any, str] = {
                "position": self._maybe(1, "kp", 1, 20) + self._maybe(0.4, "kv", 0.1, 1),
                "velocity": self._maybe(1, "kv", 0.1, 2),
                "general": self._maybe(1, "gainprm", 0.5, 3) + ' biastype="affine"'
                + self._maybe(1, "biasprm", -1, 1, -5, 0, -1, 0)
                + (' dyntype="filter"' + self._maybe(1, "dynprm", 0.02, 0.2) if self._chance(0.3) else ""),
            }  # fmt: skip
            text += gains.get(kind, "") + "/>"
        return f"<actuator>{text}</actuator>" if text else ""

    def _contacts(self) -> str:
        text = ""
        if len(self.bodies) > 1 and self._chance(0.2):
            one, two = self._two(self.bodies)
            text += f'<exclude body1="{one}" body2="{two}"/>'
        if self._chance(0.2):
            text += f'<pair geom1="{self.shapes[0]}" geom2="floor" condim="{self.random.choice([1, 3, 4, 6])}"'
            text += f' friction="1 0.8 0.01 0.002 0.001"{self._soft()}/>'
        return f"<contact>{text}</contact>" if text else ""
