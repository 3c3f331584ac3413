// SPDX-License-Identifier: Apache-2.0
/// The robots under robots/, embedded in the library when it is configured.
#pragma once
#include <string_view>
#include <vector>

namespace tandem {

/// Names of the embedded robots, sorted: robots/arm6.urdf is "arm6".
std::vector<std::string_view> shipped_robot_names();

/// URDF text of an embedded robot, or an empty view if there is none of that name.
std::string_view shipped_robot_text(std::string_view name);

}  // namespace tandem
