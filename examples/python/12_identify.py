# SPDX-License-Identifier: Apache-2.0
"""Identification of an arm's inertial parameters from noisy torques, with physical constraints; draws a picture.

    12_identify.py [SAMPLES]      draws identify.png

Joint torques are linear in the inertial parameters of the links, ten of each: tau = Y(q, v, a) pi + armature a. Least
squares may find parameters that no rigid body has. The pseudo-inertia of a body

    J = [ sum x x^T dm   sum x dm ]
        [ sum x^T dm     sum dm   ]

is positive definite. Written as U0 T T^T U0^T, with U0 of prior parameters and T upper triangular, its diagonal
exponentials (a log-Cholesky factor: C. Rucker, P. Wensing, "Smooth parameterization of rigid-body inertia", IEEE RA-L
2022), it is positive definite for any T.
"""

import sys

import numpy as np

import tandem

DOUBT = 1.0  # prior standard deviation of the numbers in T
PLACES = [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)]  # positions of Ixx, Ixy, Iyy, Ixz, Iyz, Izz in the matrix
UPPER = [(i, j) for j in range(4) for i in range(j + 1)]  # positions of the numbers of a link in T


def pseudo_inertia(pi: np.ndarray) -> np.ndarray:
    """J ``[link, 4, 4]`` of parameters ``[link, 10]``: m, m c, moments about the origin."""
    I = np.zeros((len(pi), 3, 3))
    for k, (i, j) in enumerate(PLACES):
        I[:, i, j] = I[:, j, i] = pi[:, 4 + k]
    J = np.zeros((len(pi), 4, 4))
    J[:, :3, :3] = np.trace(I, axis1=1, axis2=2)[:, None, None] / 2 * np.eye(3) - I
    J[:, :3, 3] = J[:, 3, :3] = pi[:, 1:4]
    J[:, 3, 3] = pi[:, 0]
    return J


def parameters(J: np.ndarray) -> np.ndarray:
    """The inverse: linear, with any leading axes."""
    S = J[..., :3, :3]
    I = np.trace(S, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - S
    moments = np.stack([I[..., i, j] for i, j in PLACES], axis=-1)
    return np.concatenate([J[..., 3:, 3], J[..., :3, 3], moments], axis=-1)


def measure(arm: tandem.Model, samples: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Regressor and joint torques of a smooth motion of 10 s through the arm's range."""
    t, waves = np.linspace(0, 10, samples)[:, None, None], 2 * np.pi * 0.1 * np.arange(1, 6)[:, None]
    amplitude, phase = random.normal(0, 0.35, (5, arm.nv)), random.uniform(0, 2 * np.pi, (5, arm.nv))
    q = (amplitude * np.sin(waves * t + phase)).sum(axis=1)
    v = (amplitude * waves * np.cos(waves * t + phase)).sum(axis=1)
    a = -(amplitude * waves**2 * np.sin(waves * t + phase)).sum(axis=1)
    Y = tandem.inverse_dynamics_regressor(arm, q, v, a)
    return Y, tandem.inverse_dynamics(arm, q, v, a) - arm.armature * a


def least_squares(Y: np.ndarray, tau: np.ndarray, believed: np.ndarray) -> np.ndarray:
    """The least-squares fit nearest to the prior."""
    return believed + np.linalg.lstsq(Y, tau - Y @ believed, rcond=1e-9)[0]


def consistent(Y: np.ndarray, tau: np.ndarray, believed: np.ndarray, doubt: float, steps: int = 30) -> np.ndarray:
    """The best physical fit with the prior ``believed``: damped Gauss-Newton steps."""
    J0 = pseudo_inertia(believed.reshape(-1, 10))
    U0 = np.linalg.cholesky(J0[:, ::-1, ::-1])[:, ::-1, ::-1]  # upper triangular: with rows and columns reversed
    links = len(U0)

    def bodies(x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Parameters and their derivatives with respect to x ``[link, 10]``."""
        T, slopes = np.zeros((links, 4, 4)), np.zeros((links, 10, 4, 4))
        for k, (i, j) in enumerate(UPPER):
            T[:, i, j] = np.exp(x[:, k]) if i == j else x[:, k]
            slopes[:, k, i, j] = T[:, i, i] if i == j else 1
        U, dU = U0 @ T, U0[:, None] @ slopes
        half = dU @ U.swapaxes(1, 2)[:, None]
        return parameters(U @ U.swapaxes(1, 2)), parameters(half + half.swapaxes(2, 3))

    def price(x: np.ndarray) -> float:
        return np.sum((Y @ bodies(x)[0].ravel() - tau) ** 2) + doubt * np.sum(x**2)

    x = np.zeros((links, 10))
    for _ in range(steps):
        pi, slopes = bodies(x)
        A = np.einsum("nli,lki->nlk", Y.reshape(-1, links, 10), slopes).reshape(len(Y), -1)
        H = A.T @ A + doubt * np.eye(x.size)
        step = -np.linalg.solve(H, A.T @ (Y @ pi.ravel() - tau) + doubt * x.ravel()).reshape(x.shape)
        length = next((s for s in 0.5 ** np.arange(20) if price(x + s * step) < price(x)), 0.0)
        x = x + length * step
        if length * np.abs(step).max() < 1e-6:
            break
    return bodies(x)[0].ravel()


def identify(samples: int, seed: int = 1) -> dict[str, tuple[np.ndarray, float]]:
    """For prior and both fits: smallest eigenvalue of each link's J over its trace, and error on a new motion, N m."""
    arm, random = tandem.load("arm7"), np.random.default_rng(seed)
    true = pseudo_inertia(arm.inertial_parameters.reshape(-1, 10))
    warp = np.eye(4) + 0.12 * random.normal(size=true.shape)  # the prior is physical, but wrong
    believed = parameters(warp @ true @ warp.swapaxes(1, 2)).ravel()
    Y, tau = measure(arm, samples, random)
    noise = 2.0  # N m
    Y, tau = Y.reshape(-1, Y.shape[-1]), (tau + random.normal(0, noise, tau.shape)).ravel()
    new_Y, new_tau = measure(arm, 1000, random)
    fits = {
        "believed before": believed,
        "least squares": least_squares(Y, tau, believed),
        "bodies": consistent(Y, tau, believed, (noise / DOUBT) ** 2),
    }
    results = {}
    for name, pi in fits.items():
        J = pseudo_inertia(pi.reshape(-1, 10))
        least = np.linalg.eigvalsh(J)[:, 0] / np.trace(true, axis1=1, axis2=2)
        results[name] = least, np.sqrt(np.mean((new_Y @ pi - new_tau) ** 2))
    return results


def draw(results: dict[str, tuple[np.ndarray, float]], name: str) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", width_ratios=(3, 2))
    colours = dict(zip(results, ("0.6", "tab:red", "tab:blue")))
    for k, (fit, (least, _)) in enumerate(results.items()):
        left.bar(np.arange(1, len(least) + 1) + 0.27 * (k - 1), least, 0.25, color=colours[fit], label=fit)
    left.set_yscale("symlog", linthresh=1e-4)
    left.axhline(0, color="black", linewidth=0.8)
    left.set(xlabel="link", ylabel="least eigenvalue of J / its trace", title="below 0: no body moves like this")
    figure.legend(*left.get_legend_handles_labels(), loc="outside lower left", ncols=3)
    right.bar(list(results), [error for _, error in results.values()], color=list(colours.values()))
    right.set(ylabel="error on a new motion, N m", title="bodies foretell better")
    figure.savefig(name, dpi=120)


if __name__ == "__main__":
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    results = identify(samples)
    for fit, (least, error) in results.items():
        print(f"{fit:16} {(least <= 0).sum()} of {len(least)} links are no bodies, error on a new motion {error:.2f} N "
              "m")
    draw(results, "identify.png")
