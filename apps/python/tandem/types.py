# SPDX-License-Identifier: Apache-2.0
"""Classes of what functions take and return, for annotations and ``isinstance``."""

from tandem._check import PropertyResult
from tandem._common.batch_options import Device, Parameter, Parameters
from tandem._common.found_contacts import FoundContacts
from tandem._common.per_joint import PerJoint
from tandem._core import ContactPair, ContactSet, ContactShape, Coupler, Tendon
from tandem._view.viewer import Viewer
from tandem.contact import ContactAcceleration, ContactLaw, ContactOptions, Contacts, ContactTally, FrictionCone
from tandem.contact_step import ContactStep
from tandem.drive import Drive
from tandem.errors import Problem
from tandem.functions import Array, Integrator, Method, MethodOptions, PlanOptions, Reference
from tandem.inverse_kinematics import PoseSearch
from tandem.rollout import Rollout
from tandem.rollout_gradient import RolloutGradient
from tandem.simulation import Divergence, Iterated
from tandem.vector_simulation import FrameView, JointView, LinkView

__all__ = [
    "Array",
    "ContactAcceleration",
    "ContactLaw",
    "ContactOptions",
    "ContactPair",
    "ContactSet",
    "ContactShape",
    "ContactStep",
    "ContactTally",
    "Contacts",
    "Coupler",
    "Device",
    "Divergence",
    "Drive",
    "FoundContacts",
    "FrameView",
    "FrictionCone",
    "Integrator",
    "Iterated",
    "JointView",
    "LinkView",
    "Method",
    "MethodOptions",
    "Parameter",
    "Parameters",
    "PerJoint",
    "PlanOptions",
    "PoseSearch",
    "Problem",
    "PropertyResult",
    "Reference",
    "Rollout",
    "RolloutGradient",
    "Tendon",
    "Viewer",
]
