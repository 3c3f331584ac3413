// SPDX-License-Identifier: Apache-2.0
/// The formulations of inverse dynamics in tasks, and one list of them.
#pragma once
#include "tandem/detail/formulations/classle.hpp"
#include "tandem/detail/formulations/hybrid.hpp"
#include "tandem/detail/formulations/recle.hpp"
#include "tandem/detail/formulations/recne.hpp"
#include "tandem/detail/formulations/recneb.hpp"
#include "tandem/detail/formulations/resne.hpp"
#include "tandem/detail/problems/all.hpp"

namespace tandem::inline TANDEM_ISA {

using Formulations = TypeList<Recne, Recneb, Resne, Classle, Recle, Hybrid>;

}  // namespace tandem::inline TANDEM_ISA
