// SPDX-License-Identifier: Apache-2.0
/// Tandem in one include.
#pragma once
#include "tandem/requires_cxx20.hpp"

#include "tandem/api/batches.hpp"
#include "tandem/api/check.hpp"
#include "tandem/api/critical_path.hpp"
#include "tandem/api/cuda.hpp"
#include "tandem/api/functions.hpp"
#include "tandem/api/inverse_kinematics.hpp"
#include "tandem/api/plan.hpp"
#include "tandem/api/random_range.hpp"
#include "tandem/api/rollout.hpp"
#include "tandem/api/rollout_gradient.hpp"
#include "tandem/api/schedule.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/error.hpp"
#include "tandem/io/mjcf.hpp"
#include "tandem/io/urdf.hpp"
#include "tandem/model/builder.hpp"
#include "tandem/model/generators.hpp"
#include "tandem/model/model.hpp"
