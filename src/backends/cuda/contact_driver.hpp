// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/shared/contact.hpp"
#include "tandem/api/cuda.hpp"
#include "tandem/model/model.hpp"

namespace tandem::cuda {

/// Contact dynamics of so many states, arguments checked, arrays of the host that have rows side by side. `dropped`
/// [batch]: contacts without room; such states have NaN. It returns when all is done.
void solve_contacts(const Model& model, int device, const ContactStatesCall<double>& call, Index batch,
                    std::int32_t* dropped, Workspace& work);

}  // namespace tandem::cuda
