// SPDX-License-Identifier: Apache-2.0
#include "tandem/api/machine_model.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/text.hpp"
#include "papers/schedules/machine_json.hpp"
#include "tandem/api/automatic.hpp"
#include "tandem/api/cuda.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

struct MachineField {
  const char* name;
  double MachineModel::* time;
};
constexpr MachineField machine_times[] = {{"multiplication", &MachineModel::multiplication},
                                          {"addition", &MachineModel::addition},
                                          {"trigonometric", &MachineModel::trigonometric},
                                          {"assignment", &MachineModel::assignment},
                                          {"task", &MachineModel::task}};
struct MachineLine {
  const char* name;
  LineTime MachineModel::* line;
};
constexpr MachineLine machine_lines[] = {
    {"send", &MachineModel::send}, {"travel", &MachineModel::travel}, {"receive", &MachineModel::receive}};

LineTime line_from(const Json& json, const std::string& where) {
  if (!json.is_array() || json.size() != 2 || !json[0].is_number() || !json[1].is_number())
    throw Error(where + ": expected two numbers, [fixed, each], not " + json.dump());
  return {json[0].get<double>(), json[1].get<double>()};
}

bool is_time(double x) { return std::isfinite(x) && x >= 0; }

/// That of the table which `tandem tune` wrote, of whatever processor: a block knows nothing of it. Else measured.
MachineModel gpu() {
  const std::string file = tuning_file();
  const bool kept = !file.empty() && std::filesystem::exists(file);
  if (kept)
    for (const MachineModel& machine : read_tuning_table(file).machines)
      if (machine.name == "gpu") return machine;
  const std::string why = cuda::why_unavailable();
  if (why.empty()) return measured_gpu();
  throw Error("machine \"gpu\": " + (kept ? file + " has none" : "there is no table of `tandem tune`") +
              ", and it cannot be measured here (" + why +
              "); run `tandem tune` on a machine with a GPU and set TANDEM_TUNING to its file");
}

}  // namespace

MachineModel transputer() {
  MachineModel machine;
  machine.name = "transputer";
  machine.origin = "INMOS T800, [Pond] table 2.8";
  machine.multiplication = 1.37;
  machine.addition = 0.85;
  machine.trigonometric = 42;
  machine.assignment = 1.55;
  machine.meets = true;
  machine.send = {3.5, 6.5};
  return machine;
}

MachineModel machine_model(const std::string& name) {
  if (name == "transputer") return transputer();
  for (const MachineModel& machine : tuning_table().machines)
    if (machine.name == name) return machine;
  if (name == "this" || name == "this-processes" || name == "this-lanes")
    for (const MachineModel& machine : measured_machines())
      if (machine.name == name) return machine;
  if (name == "gpu") return gpu();
  if (name.ends_with(".json")) return read_machine_model(name);
  throw Error("machine " + in_quotes(name) +
              ": expected transputer, this, this-processes, this-lanes, gpu or a .json file");
}

void check(const MachineModel& machine) {
  const std::string name = "machine " + in_quotes(machine.name) + ": ";
  for (const MachineField& field : machine_times)
    if (!is_time(machine.*field.time))
      throw Error(sentence(name, field.name, " is ", machine.*field.time, " us, expected 0 or more"));
  for (const MachineLine& field : machine_lines)
    if (!is_time((machine.*field.line).fixed) || !is_time((machine.*field.line).each))
      throw Error(sentence(name, field.name, " is ", (machine.*field.line).fixed, " us and ",
                           (machine.*field.line).each, " us per number, expected 0 or more"));
  if (machine.time({1, 1, 1, 1}) <= 0) throw Error(name + "expected positive times of operations");
  if (machine.meets && (machine.travel != LineTime() || machine.receive != LineTime()))
    throw Error(name + "with rendezvous only \"send\" has a time");
}

Json json_of(const MachineModel& machine) {
  Json json = {{"name", machine.name}, {"origin", machine.origin}};
  for (const MachineField& field : machine_times) json[field.name] = machine.*field.time;
  json["meets"] = machine.meets;
  for (const MachineLine& field : machine_lines)
    json[field.name] = {(machine.*field.line).fixed, (machine.*field.line).each};
  return json;
}

MachineModel machine_from(const Json& json, const std::string& where) {
  if (!json.is_object()) throw Error(where + ": expected an object, not " + json.dump());
  MachineModel machine;
  machine.origin = where;
  for (const auto& [name, value] : json.items()) {
    const std::string here = where + ": " + in_quotes(name);
    const auto field = std::find_if(std::begin(machine_times), std::end(machine_times),
                                    [&](const MachineField& f) { return name == f.name; });
    const auto line = std::find_if(std::begin(machine_lines), std::end(machine_lines),
                                   [&](const MachineLine& f) { return name == f.name; });
    if (name == "name" || name == "origin") {
      if (!value.is_string()) throw Error(here + ": expected a string, not " + value.dump());
      (name == "name" ? machine.name : machine.origin) = value.get<std::string>();
    } else if (name == "meets") {
      if (!value.is_boolean()) throw Error(here + ": expected true or false, not " + value.dump());
      machine.meets = value.get<bool>();
    } else if (field != std::end(machine_times)) {
      if (!value.is_number()) throw Error(here + ": expected a number, not " + value.dump());
      machine.*field->time = value.get<double>();
    } else if (line != std::end(machine_lines)) {
      machine.*line->line = line_from(value, here);
    } else {
      throw Error(here + " is not a property of a machine");
    }
  }
  if (machine.name.empty()) machine.name = where;
  try {
    check(machine);
  } catch (const Error& error) {
    throw Error(where + ": " + error.what());
  }
  return machine;
}

Json read_json(const std::string& file, const std::string& advice) {
  std::ifstream in(file);
  if (!in) throw Error(file + ": cannot be read");
  try {
    return Json::parse(in);
  } catch (const Json::exception& e) {
    throw Error(file + ": not valid JSON (" + e.what() + ")" + advice);
  }
}

MachineModel read_machine_model(const std::string& file) { return machine_from(read_json(file), file); }

}  // namespace tandem
