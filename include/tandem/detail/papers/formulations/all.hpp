// SPDX-License-Identifier: Apache-2.0
/// The formulations of inverse dynamics in tasks, and one list of them.
#pragma once
#include "tandem/detail/papers/formulations/classle.hpp"
#include "tandem/detail/papers/formulations/hybrid.hpp"
#include "tandem/detail/papers/formulations/recle.hpp"
#include "tandem/detail/papers/formulations/recne.hpp"
#include "tandem/detail/papers/formulations/recneb.hpp"
#include "tandem/detail/papers/formulations/resne.hpp"
#include "tandem/detail/all_algorithms.hpp"

namespace tandem::inline TANDEM_ISA {

using Formulations = TypeList<Recne, Recneb, Resne, Classle, Recle, Hybrid>;

}  // namespace tandem::inline TANDEM_ISA
