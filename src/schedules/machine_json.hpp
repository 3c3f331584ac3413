// SPDX-License-Identifier: Apache-2.0
/// Machines as files have them.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "tandem/api/machine_model.hpp"

namespace tandem {

nlohmann::ordered_json json_of(const MachineModel& machine);
/// Checked. Throws Error that begins with `where`.
MachineModel machine_from(const nlohmann::ordered_json& json, const std::string& where);

}  // namespace tandem
