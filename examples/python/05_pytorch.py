# SPDX-License-Identifier: Apache-2.0
"""PyTorch tensors as arguments and results, without copies. Needs PyTorch (the CPU version is sufficient)."""

import torch

import tandem

robot = tandem.load("quadruped", floating=True)
batch = 4096
q = torch.tensor(
    tandem.random_configuration(robot, seed=1, batch=batch).tolist()
)  # float32, PyTorch's default
v, tau = torch.zeros(batch, robot.nv), torch.zeros(robot.nv)

a = tandem.forward_dynamics(robot, q, v, tau)  # a tensor, like q
print(type(a).__name__, a.dtype, tuple(a.shape))

mass = torch.tensor(robot.parameter("mass").tolist()) * torch.empty(batch, robot.n_links).uniform_(0.8, 1.2)
status = torch.empty(batch, dtype=torch.uint8)
weight = torch.empty(robot.nv, batch).T  # memory [row][batch] is supported, too
tandem.gravity_forces(robot, q, out=weight, parameters={"mass": mass}, status=status)
print("states within the limits:", int((status == tandem.Status.OK).sum()), "of", batch)
weights = weight[:, :3].norm(dim=1)  # the force that supports the free base
print("weight [N]:", f"{weights.mean():.1f} +- {weights.std():.1f}")
