// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tracing/text.hpp"
#include "tandem/model/view.hpp"

namespace tandem {

/// As function_text writes it in C++ and C, but limbs that are built alike (limbs.hpp) share the text of one, which is
/// called for each with its numbers: less text and fewer instructions, the same operations. As function_text where
/// there are none that it pays for. What stands before the function itself is its comment.
std::string looped_text(const RecordedFunction& function, const ModelView<double>& m, Language language,
                        const std::string& name, const std::string& comment);

}  // namespace tandem
