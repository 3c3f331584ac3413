# SPDX-License-Identifier: Apache-2.0
"""Motions in the viewer: recorded ones are played, others simulated while one looks on; energies over time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tandem._core import Model
from tandem._view.motion import Motion
from tandem.drive import PdController
from tandem.errors import Error
from tandem.functions import Array, energy, mass_matrix
from tandem.simulation import Simulation

SPEEDS = ("0.05", "0.1", "0.25", "0.5", "1", "2", "5", "10")
_FRAME = 1 / 30  # s
_PLOTTED = 400  # points of a curve
_KEPT = 4000  # energies of a live simulation
_MOST_HELD = 400  # degrees of freedom, for which a mass matrix says how stiff they are held
_COLOURS = {"kinetic": "#4477aa", "potential": "#c99a1e", "total": "#26282b"}
_LABELS = {"potential": "potential, from start [J]"}


class Curves:
    """Energies over time; what is past lies on grey ground."""

    def __init__(self, gui: Any) -> None:
        lines: list[dict[str, Any]] = [{"label": "t [s]"}]
        for name, colour in _COLOURS.items():
            lines.append({"label": _LABELS.get(name, f"{name} [J]"), "stroke": colour, "width": 1.5,
                          "points": {"show": False}})
        lines.append({"label": "played", "scale": "past", "stroke": "#9aa0a6", "width": 1,
                      "fill": "rgba(120,130,145,0.16)",
                      "points": {"show": False}})  # fmt: skip
        self._names = [*_COLOURS]
        self._time = np.array([0.0, 1.0])
        self._values = [np.zeros(2)] * len(_COLOURS)
        self._plot = gui.add_uplot(
            data=tuple([self._time, *self._values, np.zeros(2)]), series=tuple(lines), legend={"live": False},
            scales={"x": {"time": False}, "past": {"auto": False, "range": (0, 1)}}, aspect=1.5,
            padding=(12, 20, 0, 18),
        )  # fmt: skip

    def show(self, times: Array, energies: dict[str, Array]) -> None:
        whole = np.flatnonzero(np.all([np.isfinite(energies[name]) for name in self._names], axis=0))
        if len(whole) < 2:
            self._time, self._values = np.array([0.0, 1.0]), [np.zeros(2)] * len(self._names)
            self.at(-1.0)
            return
        rows = whole[np.unique(np.linspace(0, len(whole) - 1, _PLOTTED).astype(int))]
        self._time = times[rows]
        start = energies["potential"][rows[0]]
        self._values = [energies[name][rows] - (start if name != "kinetic" else 0.0) for name in self._names]
        self.at(float(self._time[0]))

    def at(self, now: float) -> None:
        self._plot.data = tuple([self._time, *self._values, (self._time <= now).astype(np.float64)])


class Player:
    """Play, pause, time and speed.

    Args:
        viewer: that shows the states; ``show(q)`` of all instances
        gui: of viser
        model: the robot
        motion: to be played; None simulates
        show: called with configurations ``[instances, nq]`` of the moment
        start: gives those that a simulation starts from
        say: tells a line to who looks on
    """

    def __init__(
        self,
        gui: Any,
        model: Model,
        motion: Motion | None,
        show: Callable[[Array], None],
        start: Callable[[], Array],
        say: Callable[[str], None],
        lock: Any,
    ) -> None:
        self._gui, self._model, self.motion = gui, model, motion
        self._show, self._start, self._say, self._lock = show, start, say, lock
        self._playing, self._closed = threading.Event(), False
        self._now, self._plotted = 0.0, 0.0
        self._simulation: Simulation | None = None
        self._history: list[tuple[float, float, float]] = []
        self._instance = 0
        with gui.add_folder("Motion" if motion else "Simulation"):
            self._button = gui.add_button("Play")
            if motion:
                begin, end = float(motion.time[0]), float(motion.time[-1])
                self._now = begin
                reach = max(end, begin + 1e-9)
                self._slider = gui.add_slider("Time [s]", min=begin, max=reach, step=max((reach - begin) / 2000, 1e-9),
                                              initial_value=begin)  # fmt: skip
                self._slider.on_update(lambda event: self.seek(self._slider.value) if event.client else None)
                self._loops = gui.add_checkbox("Again at the end", True)
            else:
                self._add_hold()
            self._speed = gui.add_dropdown("Speed", SPEEDS, initial_value="1")
            self._pace = gui.add_markdown("")
            if motion is not None and motion.v is None:
                self._pace.content = "There are no velocities in it, and so no energies."
            self._curves = None if motion is not None and motion.v is None else Curves(gui)
        self._button.on_click(lambda _: self._pressed())
        self.of_instance(0)
        self._thread = threading.Thread(target=self._run, name="tandem view", daemon=True)
        self._thread.start()

    def _add_hold(self) -> None:
        gui = self._gui
        self._hold = gui.add_checkbox("Hold the pose", False, hint="a PD controller on every joint that is not free")
        hint = "how fast a joint swings back; critically damped"
        self._stiffness = gui.add_slider("Held at [Hz]", min=0.1, max=10.0, step=0.1, initial_value=1.5, hint=hint)
        self._back = gui.add_button("Back to the start")
        self._began_at: Array | None = None
        for handle in (self._hold, self._stiffness):
            handle.on_update(lambda event: self._renew() if event.client else None)
        self._back.on_click(lambda _: self._go_back())

    @property
    def playing(self) -> bool:
        return self._playing.is_set()

    @property
    def now(self) -> float:
        """Time of the motion, s."""
        return self._now

    def play(self) -> None:
        with self._lock:
            if self.motion is None and self._simulation is None:
                self._begin(self._start(), None, 0.0)
            elif self.motion is not None and self._now >= float(self.motion.time[-1]):
                self._now = float(self.motion.time[0])
        self._button.label = "Pause"
        self._playing.set()

    def _pressed(self) -> None:
        if self.playing:
            self.pause()
            return
        try:
            self.play()
        except Error as error:  # of robots that cannot be simulated
            self._say(str(error))

    def pause(self) -> None:
        self._playing.clear()
        self._button.label = "Play"

    def seek(self, at: float) -> None:
        """Shows the motion as it is at a time, s."""
        assert self.motion is not None
        with self._lock:
            self._now = min(max(at, float(self.motion.time[0])), float(self.motion.time[-1]))
            self._show(self.motion.at(self._now))
            self._slider.value = self._now
            if self._curves is not None:
                self._curves.at(self._now)

    def of_instance(self, instance: int) -> None:
        """Whose energies are shown."""
        self._instance = instance
        if self._curves is None:
            return
        if self.motion is not None:
            self._curves.show(self.motion.time, self.motion.energies(instance))
        else:
            self._history = []
            self._curves.show(np.zeros(0), {name: np.zeros(0) for name in _COLOURS})

    def moved_by_hand(self, q: Array) -> None:
        """The user moved the robot: a simulation continues from there at rest; a motion pauses."""
        if self.motion is not None:
            self.pause()
            return
        if self._simulation is not None:
            self._begin(q, None, self._simulation.time)

    # live

    def _begin(self, q: Array, v: Array | None, now: float) -> None:
        """A simulation from a state; its controller holds the configuration ``q`` of the first instance."""
        held = None
        if self._hold.value:
            kp, kd = self._gains(q[0])
            held = PdController(q[0], kp, kd)
        if v is None:
            self._began_at = q.copy()
        simulation = Simulation(self._model, batch=len(q), controller=held)
        simulation.q = q
        if v is not None:
            simulation.v = v
        simulation.time = now
        self._simulation = simulation
        self._history = [row for row in self._history if row[0] < now]

    def _gains(self, q: Array) -> tuple[Array, Array]:
        """Critically damped, each joint by itself, with the inertia that it has in this pose."""
        rate = 2 * np.pi * float(self._stiffness.value)
        if self._model.nv <= _MOST_HELD:
            heavy = np.diagonal(mass_matrix(self._model, q)).copy()
        else:
            heavy = np.full(self._model.nv, self._model.mass * 1e-2)
        for joint in self._model.joints:
            if joint.type in ("free", "planar"):
                heavy[joint.v_index : joint.v_index + joint.nv] = 0
        return rate**2 * heavy, 2 * rate * heavy

    def _renew(self) -> None:
        with self._lock:
            if self._simulation is not None:
                s = self._simulation
                self._begin(s.q.copy(), s.v.copy(), s.time)

    def _go_back(self) -> None:
        self.pause()
        with self._lock:
            self._simulation, self._history = None, []
            self._now = 0.0
            if self._began_at is not None:
                self._show(self._began_at)
            self._pace.content = ""

    def reset(self) -> None:
        """Forgets the simulation."""
        self.pause()
        with self._lock:
            self._simulation, self._history, self._now = None, [], 0.0

    def _run(self) -> None:
        while not self._closed:
            self._playing.wait()
            last, behind = time.monotonic(), 0.0
            while self.playing and not self._closed:
                began = time.monotonic()
                passed = min(began - last, 0.25) * float(self._speed.value)
                last = began
                try:
                    if self.motion is not None:
                        self._play_on(passed)
                    else:
                        behind = self._simulate_on(passed + behind, float(self._speed.value))
                except Error as error:
                    self.pause()
                    self._say(str(error))
                except Exception:
                    if not self._closed:  # a server that stops drops what is sent to it
                        self.pause()
                        raise
                time.sleep(max(0.0, _FRAME - (time.monotonic() - began)))

    def _play_on(self, passed: float) -> None:
        assert self.motion is not None
        begin, end = float(self.motion.time[0]), float(self.motion.time[-1])
        at = self._now + passed
        if at > end:
            if not self._loops.value or end <= begin:
                self.seek(end)
                self.pause()
                return
            at = begin + (at - begin) % (end - begin)
        self.seek(at)

    def _simulate_on(self, passed: float, speed: float) -> float:
        """Steps as far as time has passed, if that does not take longer; gives what is left over, s."""
        with self._lock:
            simulation = self._simulation
            if simulation is None:
                return 0.0
            steps, began, done = int(passed / simulation.dt), time.monotonic(), 0
            while done < steps and time.monotonic() - began < 1.5 * _FRAME:
                some = min(steps - done, max(1, steps // 8))
                simulation.run(some * simulation.dt, every=some)
                done += some
            self._now = simulation.time
            self._show(simulation.q.copy())
            self._note(simulation)
        pace = f"t = {self._now:.2f} s"
        if done < steps:
            pace += f", slower than asked for: {speed * done / max(steps, 1):.2g} x real time"
        self._pace.content = pace
        return passed - steps * simulation.dt if done == steps else 0.0

    def _note(self, simulation: Simulation) -> None:
        k = min(self._instance, len(simulation.q) - 1)
        kinetic, potential = energy(self._model, simulation.q[k], simulation.v[k])
        self._history.append((simulation.time, float(kinetic), float(potential)))
        if len(self._history) > _KEPT:
            self._history = self._history[::2]
        if self._curves is not None and time.monotonic() - self._plotted > 0.2:
            self._plotted = time.monotonic()
            t, kinetic, potential = np.array(self._history).T
            self._curves.show(t, {"kinetic": kinetic, "potential": potential, "total": kinetic + potential})
            self._curves.at(float(t[-1]))
        lost = np.flatnonzero(simulation.diverged)
        if len(lost):
            found = simulation.divergence(int(lost[0]))
            assert found is not None
            if len(lost) == len(simulation.q):
                self.pause()
            self._say(f"the simulation diverged at t = {found.time:.4g} s: {found.what}; {found.advice}")

    def close(self) -> None:
        self._closed = True
        self._playing.set()
        self._thread.join(timeout=2)
