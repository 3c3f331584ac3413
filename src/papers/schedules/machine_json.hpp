// SPDX-License-Identifier: Apache-2.0
/// Machines as files have them, and how such files are read.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "tandem/api/machine_model.hpp"

namespace tandem {

nlohmann::ordered_json json_of(const MachineModel& machine);
/// Checked. Throws Error that begins with `where`.
MachineModel machine_from(const nlohmann::ordered_json& json, const std::string& where);

/// What a file holds. Throws Error that names the file, ending in `advice` where it is no JSON.
nlohmann::ordered_json read_json(const std::string& file, const std::string& advice = "");

}  // namespace tandem
