# SPDX-License-Identifier: Apache-2.0
"""Viewer of robots and motions in a browser, with viser: ``pip install tandem[view]``.

>>> viewer = tandem.view(tandem.load("arm7"), block=False, open_browser=False)  # doctest: +SKIP
>>> viewer.q = [0, 0.5, 0, -1, 0, 1, 0]  # doctest: +SKIP
>>> viewer.close()  # doctest: +SKIP
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from tandem import _core
from tandem._common.arguments import whole_number
from tandem._core import Model
from tandem._view.axes import up_of
from tandem._view.drawing import LAYERS, Drawing
from tandem._view.joint_sliders import JointSliders
from tandem._view.motion import Instances, Motion, motion_of, one_pose
from tandem._view.player import Player
from tandem._view.shape import Shape
from tandem._view.shapes import shapes_of
from tandem._view.skeleton import Skeleton
from tandem._view.viewer_panel import ViewerPanel
from tandem.configuration import neutral_configuration, random_configuration
from tandem.errors import Error
from tandem.functions import Array, close_loops

_GHOST = 0.22
_OPEN = 1e-4  # of a robot's size: a loop that is said to be open
_SMALLEST = 0.05  # m, of a robot that has no extent


def check() -> None:
    """Raises :class:`tandem.Error` that names what is missing if the viewer cannot run."""
    if importlib.util.find_spec("viser") is None:
        raise Error("the viewer needs viser: pip install viser")


class Viewer:
    """A viewer of one robot, or of several instances of it. Made by :func:`tandem.view`.

    Attributes:
        url: address of the page
        notes: parts that are not shown, and why
    """

    def __init__(
        self,
        model: Model,
        q: Array,
        motion: Motion | None,
        named: dict[str, Array],
        drawn: tuple[list[Shape], list[str]],
        ghosts: bool,
        served: tuple[str, int],
    ) -> None:
        self._model, self._lock, self._closed = model, threading.RLock(), threading.Event()
        self._q, self._motion, self._named = q, motion, named
        shapes, self.notes = drawn
        if motion is not None:
            self.notes += motion.lost()
        self._measure()
        host, port = served
        self._server = _serve(host, port, model.name)
        self.url = f"http://{'localhost' if host == '0.0.0.0' else host}:{self._server.get_port()}"
        self._chosen = 0
        self._ghosts = ghosts
        self._set_scene()
        self._drawing = Drawing(self._server.scene, "/robot", model, shapes, len(self._q), self._size)
        self._add_panel()
        self._arrange()

    @property
    def q(self) -> Array:
        """Configurations on display: ``[nq]``, or ``[instances, nq]`` of several instances; can be set at any time."""
        with self._lock:
            return self._q[0].copy() if len(self._q) == 1 else self._q.copy()

    @q.setter
    def q(self, value: ArrayLike) -> None:
        q = one_pose(self._model, value)
        if len(q) != len(self._q):
            raise Error(f"Viewer: q has {len(q)} rows, expected {len(self._q)}, one for each instance")
        with self._lock:
            self._player.moved_by_hand(q)
            self._draw(q)

    @property
    def time(self) -> float:
        """Time of the motion or the simulation, s; that of a motion can be set."""
        return self._player.now

    @time.setter
    def time(self, value: float) -> None:
        if self._motion is None:
            raise Error("Viewer: time requires a trajectory")
        self._player.seek(float(value))

    @property
    def clients(self) -> int:
        """Number of connected browsers."""
        return len(self._server.get_clients())

    def play(self) -> None:
        """Play the motion, or simulate the robot from its current state if there is no motion."""
        self._player.play()

    def pause(self) -> None:
        """Pause the motion or the simulation."""
        self._player.pause()

    def show(self, layer: str, visible: bool = True) -> None:
        """Show or hide ``"shapes"``, ``"bodies"``, ``"bones"``, ``"axes"``, ``"mass"`` or ``"frames"``."""
        if layer not in LAYERS:
            raise Error(f"Viewer.show: layer is {layer!r}, expected {', '.join(LAYERS)}")
        self._panel.show(layer, visible)

    def picture(self, width: int = 1280, height: int = 800) -> Array:
        """The view of the first browser without the panel, bytes ``[height, width, 3]``."""
        clients = list(self._server.get_clients().values())
        if not clients:
            raise Error(f"Viewer.picture: no browser is connected; open {self.url}")
        return np.asarray(clients[0].get_render(height, width, timeout=30))[..., :3]

    def wait(self) -> None:
        """Wait until the viewer is closed, or Ctrl-C is pressed."""
        try:
            while not self._closed.wait(0.5):
                pass
        except KeyboardInterrupt:
            pass

    def close(self) -> None:
        """Stop the server."""
        if not self._closed.is_set():
            self._closed.set()
            self._player.close()
            with contextlib.redirect_stdout(io.StringIO()):
                self._server.stop()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _measure(self) -> None:
        """How large the robot is, and how far it goes."""
        poses = self._q[np.isfinite(self._q).all(axis=1)]
        if self._motion is not None:
            some = self._motion.q[np.unique(np.linspace(0, len(self._motion.q) - 1, 40).astype(int))]
            some = some.reshape(-1, self._model.nq)
            poses = some[np.isfinite(some).all(axis=1)]
        skeleton = Skeleton(self._model)
        own = np.concatenate([neutral_configuration(self._model)[None], poses[:640]])
        x = np.asarray(skeleton.positions(self._model, own), np.float64)
        self._size = max(float(np.ptp(x[0], axis=0).max()), _SMALLEST)
        seen = x[1:] if len(x) > 1 else x
        seen = seen[np.isfinite(seen).all(axis=(1, 2))]
        self._low, self._high = seen.min(axis=(0, 1)), seen.max(axis=(0, 1))
        self._up, self._sign = up_of(self._model)

    def _set_scene(self) -> None:
        scene, up = self._server.scene, np.zeros(3)
        up[self._up] = self._sign
        scene.set_up_direction(tuple(up))
        plane = ("yz", "xz", "xy")[self._up]
        cell = 10.0 ** np.floor(np.log10(self._size)) / 2
        where = np.zeros(3)
        if self._sign * (self._low + self._high)[self._up] < 0:  # it hangs
            where[self._up] = (self._low if self._sign > 0 else self._high)[self._up]
        self._ground = scene.add_grid("/ground", plane=plane, infinite_grid=True, cell_size=cell, section_size=4 * cell,
                                      cell_color=(222, 224, 228), section_color=(196, 200, 206),
                                      fade_distance=40 * self._size, shadow_opacity=0.0,
                                      position=tuple(where))  # fmt: skip

    def _add_panel(self) -> None:
        gui, model = self._server.gui, self._model
        facts = f"**{model.name}**: {model.n_joints:,} joints, nq {model.nq:,}, nv {model.nv:,}, {model.mass:.4g} kg"
        gui.add_markdown("  \n".join([facts, *(f"*{note}*" for note in self.notes)]))
        self._said = gui.add_markdown("", visible=False)
        self._player = Player(gui, model, self._motion, self._draw, self._pose_now, self._say, self._lock)
        if len(self._q) > 1:
            self._add_choice(gui)
        with gui.add_folder("Pose"):
            picked = gui.add_dropdown("Configuration", tuple(self._named))
            picked.on_update(lambda event: self._to(self._named[picked.value]) if event.client else None)
            self._closes = gui.add_checkbox("Keep loops closed", True) if model.n_loops else None
            buttons = gui.add_button_group("To", ("neutral", "random"))
            buttons.on_click(lambda _: self._to(self._named["neutral"] if buttons.value == "neutral"
                                                else self._random()))
        self._panel = ViewerPanel(self._server, model, self._drawing, self._ground, self._size, self._again, self._lock)
        self._sliders = JointSliders(self._server, model, self._by_hand, 0.3 * self._size)

    def _add_choice(self, gui: Any) -> None:
        numbers = range(len(self._q)) if self._motion is None else self._motion.numbers
        names = tuple(str(number) for number in numbers)
        picked = gui.add_dropdown("Instance", names, hint="whose joints and energies are shown")
        ghosts = gui.add_checkbox("In one place", self._ghosts, hint="instead of side by side")

        @picked.on_update
        def _(event: Any) -> None:
            if event.client is not None:
                with self._lock:
                    self._chosen = names.index(picked.value)
                    self._player.of_instance(self._chosen)
                    self._arrange()

        @ghosts.on_update
        def _(event: Any) -> None:
            if event.client is not None:
                with self._lock:
                    self._ghosts = ghosts.value
                    self._arrange()

    def _arrange(self) -> None:
        """Instances side by side, or in one place with all but the chosen one pale."""
        count = len(self._q)
        self._at = np.zeros((count, 3))
        if not self._ghosts and count > 1:
            across = [k for k in range(3) if k != self._up]
            columns = int(np.ceil(np.sqrt(count)))
            room = 1.15 * np.maximum((self._high - self._low)[across], 0.35 * self._size)
            k = np.arange(count)
            self._at[:, across[0]], self._at[:, across[1]] = room[0] * (k // columns), room[1] * (k % columns)
        pale = np.ones(count)
        if self._ghosts:
            pale[np.arange(count) != self._chosen] = _GHOST
        self._drawing.fade(pale if count > 1 else None)
        low, high = self._low + self._at.min(axis=0), self._high + self._at.max(axis=0)
        middle, reach = (low + high) / 2, max(float(np.linalg.norm(high - low)) / 2,
                                              0.3 * self._size) + 0.15 * self._size
        view = np.full(3, 0.42 * self._sign)
        view[[k for k in range(3) if k != self._up]] = 1.0, 0.75
        camera = self._server.initial_camera
        camera.position = tuple(middle + 1.8 * reach * view / np.linalg.norm(view))
        camera.look_at = tuple(middle)
        camera.near, camera.far = 1e-3 * reach, 1e3 * reach
        self._draw(self._q)

    def _draw(self, q: Array) -> None:
        with self._lock, self._server.atomic():
            self._q = np.asarray(q, np.float64)
            whole: Any = np.isfinite(self._q).all(axis=1)
            drawn = np.where(whole[:, None], self._q, self._named["neutral"])
            frames = self._drawing.pose(drawn, self._at, whole)
            self._sliders.follow(self._q[self._chosen], frames[self._chosen])
            self._panel.follow(frames[self._chosen], self._at[self._chosen])
            if not whole.all():
                bad = ", ".join(str(k) for k in np.flatnonzero(~whole)[:8])
                which = f" of instance {bad}" if len(whole) > 1 else ""
                self._say(f"the state{which} is not finite, and not shown")
                self._unfit = True
            elif getattr(self, "_unfit", False):
                self._unfit = False
                self._say("")

    def _again(self) -> None:
        self._draw(self._q)

    def _pose_now(self) -> Array:
        return self._q.copy()

    def _random(self) -> Array:
        seed = int(np.random.default_rng().integers(2**32))
        return random_configuration(self._model, seed)

    def _to(self, pose: Array) -> None:
        """Sets the chosen instance."""
        self._by_hand(lambda q: q.__setitem__(slice(None), pose))

    def _by_hand(self, change: Callable[[Array], None]) -> None:
        with self._lock:
            q = self._q.copy()
            change(q[self._chosen])
            self._say("")
            if self._closes is not None and self._closes.value:
                self._close_loops(q[self._chosen])
            self._player.moved_by_hand(q)
            self._draw(q)

    def _close_loops(self, q: Array) -> None:
        """The nearest configuration in which what closes loops holds."""
        try:
            closed, gap = close_loops(self._model, q, error=True)
        except Error as error:
            self._say(str(error))
            return
        q[:] = closed
        if not float(np.max(gap, initial=0.0)) < _OPEN * self._size:
            self._say("the loops cannot be closed here")

    def _say(self, text: str) -> None:
        self._said.content = f"**{text}**" if text else ""
        self._said.visible = bool(text)

def _serve(host: str, port: int, label: str) -> Any:
    import viser

    try:
        with socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            pass  # viser waits for ever at an address that is not this machine's
        with contextlib.redirect_stdout(io.StringIO()):  # the address is said by who called
            return viser.ViserServer(host=host, port=port, label=label, verbose=False)
    except (OSError, RuntimeError, SystemExit) as error:
        raise Error(f"view: cannot serve at {host}, port {port}: {error}") from None


def view(
    model: Model | str | os.PathLike[str],
    q: ArrayLike | None = None,
    *,
    trajectory: Any = None,
    instances: Instances | None = None,
    ghosts: bool = False,
    configurations: Mapping[str, ArrayLike] | None = None,
    shapes: str | os.PathLike[str] | None = None,
    packages: Sequence[str] = (),
    host: str = "127.0.0.1",
    port: int = 8080,
    open_browser: bool = True,
    block: bool | None = None,
) -> Viewer:
    """Show a robot in a browser, with sliders of its joints, a motion, or a simulation.

    A link is drawn by the visual primitives and meshes of its description if they exist, and as the uniform body of its
    mass and inertia. The panel and :attr:`Viewer.notes` list missing parts.

    Args:
        model: the robot, or what :func:`tandem.load` takes
        q: configuration ``[nq]``, or ``[instances, nq]`` of several instances, rad|m; default: neutral
        trajectory: a :class:`tandem.Trajectory`, ``(time, q)`` or ``(time, q, v)``, of a batch with ``q [samples,
            batch, nq]``; or a file that ``tandem simulate`` or a rollout wrote
        instances: instances of a batch to show: the number of the first ones, or their indices; default: at most 16
        ghosts: whether instances are drawn in one place, all but one pale, instead of side by side
        configurations: additional configurations of the panel, by name
        shapes: URDF or MJCF file with the shapes; default: the file of the model
        packages: folders for ``package://``, before those of ``ROS_PACKAGE_PATH``
        host: address of the server; ``"0.0.0.0"``: all addresses of this machine
        port: port of the server; if it is in use, the next free one
        open_browser: whether to open the page
        block: whether to return only after Ctrl-C; default: in scripts

    Returns:
        the viewer, whose ``q`` can be set in a loop
    """
    if not isinstance(model, Model):
        model = _core.load(model)
    check()
    motion = None if trajectory is None else motion_of(model, trajectory, instances)
    poses = one_pose(model, q) if motion is None else motion.at(float(motion.time[0])).copy()
    named = {"neutral": neutral_configuration(model)}
    named |= {name: model.configuration(name) for name in model.configuration_names}
    named |= {name: one_pose(model, pose)[0] for name, pose in (configurations or {}).items()}
    drawn = shapes_of(model, shapes, packages)
    viewer = Viewer(model, poses, motion, named, drawn, ghosts, (host, whole_number("view: port", port, 1, 65535)))
    waits = block or (block is None and not (hasattr(sys, "ps1") or "ipykernel" in sys.modules))
    if waits or open_browser:
        print(f"{model.name} at {viewer.url}", file=sys.stderr, flush=True)
    if open_browser:
        webbrowser.open(viewer.url)
    if waits:
        try:
            viewer.wait()
        finally:
            viewer.close()
    return viewer
