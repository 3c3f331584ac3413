# SPDX-License-Identifier: Apache-2.0
"""The registrations of algorithms: TOML in a comment at the end of the headers of algorithms."""
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

DETAIL = "include/tandem/detail"
ROOMS = ("problems", "derivatives")  # the folders in which algorithms are
BLOCK = re.compile(r"/\* Registered by tools/register\.py[^\n]*\n(.*?)\*/", re.DOTALL)
STRUCT = re.compile(r"^((?:///[^\n]*\n)*)struct (\w+)[^;{]*\{(.*?)^\};", re.DOTALL | re.MULTILINE)

KEYS = {
    "": {"after", "declared_after", "compiled_with", "cuda_with", "cuda_apart", "cuda_passes_apart", "cuda_bodies",
         "beside", "ignores_loops", "cpp", "python"},
    "cpp": {"order", "returns", "more", "more_doc", "members", "options", "break_before"},
    "python": {"summary", "text", "notes", "flags", "example"},
}


class RegistrationError(Exception):
    """What is wrong with a header, and in which file."""


@dataclass
class Registered:
    """An algorithm and what its header says of it."""

    type: str
    header: str  # its name below include/tandem/detail, without ending
    is_without_device_kernels: bool
    entries: dict = field(default_factory=dict)

    def get(self, key, default=None):
        return self.entries.get(key, default)

    def cpp(self, key, default=None):
        return self.entries.get("cpp", {}).get(key, default)

    def python(self, key, default=None):
        return self.entries.get("python", {}).get(key, default)


def check_keys(where, entries):
    for part, known in KEYS.items():
        own = entries.get(part, {}) if part else entries
        if unknown := own.keys() - known:
            raise RegistrationError(f"{where}: unknown key {', '.join(sorted(unknown))}; "
                                    f"known are {', '.join(sorted(known))}")


def registered_in(path: Path):
    """The algorithms of a header."""
    text = path.read_text(encoding="utf-8")
    structs = {m[2]: m for m in STRUCT.finditer(text)}
    tables = {name for name, m in structs.items() if "Argument arguments[]" in m[3] and ' name = "' in m[3]}
    block = BLOCK.search(text)
    if not block:
        if tables:
            raise RegistrationError(f"{path}: {', '.join(sorted(tables))} is not registered; add at the end of the "
                                    "header the comment\n"
                                    "/* Registered by tools/register.py (CONTRIBUTING.md, section 5).\n\n"
                                    f"[{sorted(tables)[0]}]\n*/")
        return
    try:
        blocks = tomllib.loads(block[1])
    except tomllib.TOMLDecodeError as error:
        raise RegistrationError(f"{path}: the registration at its end is not TOML: {error}") from None
    if missing := tables - blocks.keys():
        raise RegistrationError(f"{path}: {', '.join(sorted(missing))} is not registered; add [{sorted(missing)[0]}] "
                                "to the comment at the end of the header")
    for name, entries in blocks.items():
        if name not in structs:
            raise RegistrationError(f"{path}: [{name}] is registered, but there is no struct {name}")
        check_keys(f"{path}: [{name}]", entries)
        yield Registered(name, f"{path.parent.name}/{path.stem}",
                         "is_without_device_kernels = true" in structs[name][3], entries)


def in_order(algorithms, key, others=None):
    """Algorithms by what each comes after: `key` of it, else `others`; those that name none come last, by name."""
    known = {a.type for a in algorithms}
    followers = {}
    for a in algorithms:
        before = a.get(key, a.get(others) if others else None)
        if before and before not in known:
            raise RegistrationError(f'{DETAIL}/{a.header}.hpp: [{a.type}] has {key} = "{before}", '
                                    "which is no algorithm")
        followers.setdefault(before, []).append(a)
    order = []

    def add(a):
        order.append(a)
        for follower in sorted(followers.get(a.type, []), key=lambda other: other.type):
            add(follower)

    for first in ("", None):
        for a in sorted(followers.get(first, []), key=lambda other: other.type):
            add(a)
    if len(order) < len(algorithms):
        lost = sorted(known - {a.type for a in order})
        raise RegistrationError(f"{DETAIL}: {', '.join(lost)} come after each other in a circle ({key})")
    return order


def grouped(algorithms, key):
    """Lists of algorithms that belong together: one without `key`, and those that name it or one of its group."""
    groups = {a.type: [a] for a in algorithms if not a.get(key)}
    for a in in_order([a for a in algorithms], key):
        if a.get(key):
            group = next(group for group in groups.values() if a.get(key) in (other.type for other in group))
            group.append(a)
    return list(groups.values())


def read(root: Path):
    """All algorithms of the headers, in the order of the list; those that stand beside it."""
    paths = sorted((path for room in ROOMS for path in (root / DETAIL / room).glob("*.hpp")),
                   key=lambda path: path.name)
    found = [a for path in paths for a in registered_in(path)]
    listed = [a for a in found if not a.get("beside")]
    return in_order(listed, "after"), [a for a in found if a.get("beside")]
