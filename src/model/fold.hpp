// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "description.hpp"
#include "storage.hpp"

namespace tandem::model_detail {

/// Turns a checked description into flat arrays: numbers links and rows, folds fixed joints, turns link
/// frames so that joint axes are z, adds what mimic joints weigh to the rows of the joints they follow.
std::shared_ptr<Storage> fold(const Description& d, const Tree& tree, const Mimics& mimics, Findings& findings);

}  // namespace tandem::model_detail
