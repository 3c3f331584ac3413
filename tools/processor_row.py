# SPDX-License-Identifier: Apache-2.0
"""A row of processors in time: who computes, sends and waits when, for machines that are not at hand.

The messages are those of src/backends/macroparallel: one body a processor, even ones send first, sums from both ends.
"""
from typing import NamedTuple


class Machine(NamedTuple):
    """Microseconds of a body's work, and of a message of x numbers."""

    name: str
    place: float  # stage I
    velocity: float  # II
    assemble: float  # III (i)
    step: float  # of the iteration
    move: float  # IV
    open: float  # V
    fixed: float  # a message takes fixed + each x
    each: float
    blocks: bool  # both are busy as long as a message takes; else the sender goes on at once


# [Pond] Table 2.8, microseconds: multiplication, addition, sine and cosine; a message of x numbers blocks both for (13
# x + 7) / 2. Operations of a body with one degree of freedom, five unknowns: a step has six products with 5 x 5 blocks
# and two solutions.
def transputer():
    def work(multiplications, additions, trigonometry=0):
        return 1.37 * multiplications + 0.85 * additions + 42 * trigonometry
    step = work(6 * 25 + 2 * 25 + 25, 6 * 25 - 10 + 2 * 20 + 33)
    return Machine("transputers", work(144, 108, 2), work(30, 24), work(342 - 144, 273 - 108), step, work(66, 60),
                   work(36, 30), 3.5, 6.5, True)


A, B, C = 0.4, 0.15, 0.45  # of a step: A p; the new residual and D^-1 of it; the preconditioner
UNKNOWNS = 5


def actions(machine, k, n, iterations, left_out=""):
    """What processor k of n does, in order: ("work", us), ("send", to, numbers), ("receive", from)."""
    def neighbour(to):
        return k - 1 if to == "base" else k + 1

    def there(to):
        return 0 <= neighbour(to) < n

    def send(to, x):
        return [("send", neighbour(to), x)] if there(to) else []

    def receive(side):
        return [("receive", neighbour(side))] if there(side) else []

    def shift(to, x):
        other = "tip" if to == "base" else "base"
        return send(to, x) + receive(other) if k % 2 == 0 else receive(other) + send(to, x)

    def exchange(x):
        if k % 2 == 0:
            return send("tip", x) + send("base", x) + receive("tip") + receive("base")
        return receive("base") + receive("tip") + send("base", x) + send("tip", x)

    def total(x):
        if left_out == "sums":
            return []
        middle = (n - 1) // 2
        if k == middle:
            return receive("base") + receive("tip") + send("base", x) + send("tip", x)
        inward, outward = ("tip", "base") if k < middle else ("base", "tip")
        return receive(outward) + send(inward, x) + receive(inward) + send(outward, x)

    def work(us):
        return [("work", us)]

    m = UNKNOWNS
    todo = work(machine.place) + shift("base", 6 + 6 * m)
    if left_out != "velocities":
        todo += receive("base") + work(machine.velocity) + send("tip", 6)
    todo += work(0.7 * machine.assemble) + shift("tip", 6 + m * m) + work(0.3 * machine.assemble)
    precondition = exchange(m) + work(C * machine.step) + total(2)
    todo += work(B * machine.step) + precondition
    todo += iterations * (exchange(m) + work(A * machine.step) + total(2) + work(B * machine.step) + precondition)
    return todo + shift("base", m) + work(machine.move) + shift("tip", 6) + work(machine.open)


def time_of(machine, n, iterations, left_out=""):
    """Microseconds until the last of n processors is done."""
    todo = [actions(machine, k, n, iterations, left_out) for k in range(n)]
    clock, at, sent = [0.0] * n, [0] * n, {}
    ready = list(range(n))
    while ready:
        k = ready.pop()
        while at[k] < len(todo[k]):
            what = todo[k][at[k]]
            if what[0] == "work":
                clock[k] += what[1]
            elif what[0] == "send":
                to, lasts = what[1], machine.fixed + machine.each * what[2]
                if machine.blocks:
                    # at most one end gets here first, and waits for the other
                    if at[to] >= len(todo[to]) or todo[to][at[to]] != ("receive", k):
                        break
                    clock[k] = clock[to] = max(clock[k], clock[to]) + lasts
                    at[to] += 1
                    ready.append(to)
                else:
                    sent.setdefault((k, to), []).append(clock[k] + lasts)
                    ready.append(to)
            else:
                arrived = sent.get((what[1], k))
                if machine.blocks:
                    if _sends(todo, at, what[1], k):
                        ready.append(what[1])
                    break
                if not arrived:
                    break
                clock[k] = max(clock[k], arrived.pop(0))
            at[k] += 1
    if any(at[k] < len(todo[k]) for k in range(n)):
        raise RuntimeError(f"{machine.name}, {n} processors: they wait for each other")
    return max(clock)


def _sends(todo, at, k, to):
    """Whether processor k stands before a message to `to`."""
    return at[k] < len(todo[k]) and todo[k][at[k]][:2] == ("send", to)


def serial_time(machine, n, iterations, left_out=""):
    """Microseconds of one processor for n bodies: no message; a sum is an addition a body, a fiftieth of a step."""
    body = machine.place + machine.assemble + (B + C + iterations) * machine.step + machine.move + machine.open
    if left_out != "velocities":
        body += machine.velocity
    if left_out == "sums":
        body -= (2 * iterations + 1) * 0.002 * machine.step
    return n * body


class Models(NamedTuple):
    """Speed-ups that (3.15), (3.17), (3.19) and the combined model predict, and the measured one (3.13)."""

    measured: float
    amdahl: float
    gustafson: float
    sharf: float
    combined: float


def models(n, one, one_serial, many, many_serial, overhead=1.3):
    """From the times of one processor and of n, each with its part that is not macroparallel: T_v + T_ab."""
    f_one, f_many = (one - one_serial) / one, (many - many_serial) / many
    return Models(one / many, n / (f_one + (1 - f_one) * n), n - (n - 1) * (1 - f_many),
                  one / (overhead * (one - one_serial) / n + one_serial), (1 - f_many) + n * f_many / overhead)
