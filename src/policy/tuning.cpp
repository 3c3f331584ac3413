// SPDX-License-Identifier: Apache-2.0
/// Tables of which method is fastest when: built in, and as files that are measured on a machine.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/machine.hpp"
#include "papers/schedules/machine_json.hpp"
#include "tandem/api/automatic.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace {

using Json = nlohmann::ordered_json;

/// From how many links on dividing a chain pays, on two cores with AVX-512; narrower lanes gain later. A single state
/// would gain from about 64 links on, but batches go in lanes as long as these stay in the cache, and one method serves
/// both. Other machines differ in where a step begins, little in which method it is. Products with derivatives of
/// inverse dynamics leave the cache in double, and are then no faster on one core; those of kinematics are, but by then
/// lose two digits. Batches of these go in lanes up to 512 links.
struct BuiltIn {
  const char* algorithm;
  Method method;
  Index links;
  Index too_far = 0;  ///< in double the algorithm's own methods again from here on; 0: never
};
constexpr BuiltIn built_in_rows[] = {{"inverse_dynamics", Method::scan, 256},
                                     {"mass_matrix", Method::composite_scan, 96},
                                     {"forward_dynamics", Method::scan, 128},
                                     {"inverse_dynamics_jvp", Method::scan, 256, 65536},
                                     {"inverse_dynamics_vjp", Method::scan, 256, 65536},
                                     {"forward_dynamics_jvp", Method::scan, 128},
                                     {"forward_kinematics_jvp", Method::scan, 512, 32768},
                                     {"forward_kinematics_vjp", Method::scan, 512, 32768}};

TuningTable built_in() {
  TuningTable table;
  table.machine = machine_name();
  table.origin = "built in";
  const Index later = instruction_set() == "avx512" ? 1 : instruction_set() == "avx2" ? 2 : 4;
  for (const BuiltIn& b : built_in_rows)
    for (const bool in_float : {false, true}) {
      std::vector<TuningStep> steps = {{later * b.links, b.method, 0}};
      if (b.too_far > 0 && !in_float) steps.push_back({b.too_far, Method::automatic, 0});
      table.rows.push_back({b.algorithm, in_float, std::move(steps)});
    }
  return table;
}

/// A member of an object, or an Error that says where it is missing or of another kind.
template <class T>
T member(const Json& object, const char* name, const std::string& where) {
  if (!object.is_object() || !object.contains(name)) throw Error(where + ": \"" + name + "\" is missing");
  try {
    return object.at(name).get<T>();
  } catch (const Json::exception&) {
    throw Error(where + ": \"" + name + "\" is " + object.at(name).dump() + ", which has the wrong type");
  }
}

TuningStep step_from(const Json& json, const std::string& where) {
  const TuningStep step = {member<Index>(json, "links", where),
                           from_name<Method>(member<std::string>(json, "method", where)),
                           member<int>(json, "chunk", where)};
  if (step.links < 0 || step.chunk < 0) throw Error(where + ": \"links\" and \"chunk\" must not be negative");
  return step;
}

TuningRow row_from(const Json& json, const std::string& where) {
  TuningRow row = {member<std::string>(json, "algorithm", where), member<bool>(json, "float", where), {}};
  find_algorithm(row.algorithm);
  for (const Json& step : member<Json>(json, "steps", where)) row.steps.push_back(step_from(step, where));
  return row;
}

CrossoverRow crossover_from(const Json& json, const std::string& where) {
  CrossoverRow row = {member<std::string>(json, "algorithm", where), member<bool>(json, "float", where), {}};
  find_algorithm(row.algorithm);
  for (const Json& step : member<Json>(json, "steps", where)) {
    row.steps.push_back({member<Index>(step, "links", where), member<Index>(step, "states", where)});
    if (row.steps.back().links < 0 || row.steps.back().states < 0)
      throw Error(where + ": \"links\" and \"states\" must not be negative");
  }
  if (row.steps.empty()) throw Error(where + ": \"steps\" is empty, expected one for each measured robot");
  return row;
}

/// There is one row for an algorithm in a precision; its steps are in order.
template <class Row>
void add_row(std::vector<Row>& rows, Row row, const std::string& where) {
  for (std::size_t k = 1; k < row.steps.size(); ++k)
    if (row.steps[k].links <= row.steps[k - 1].links)
      throw Error(where + ": the steps are not in ascending order of links");
  for (const Row& other : rows)
    if (other.algorithm == row.algorithm && other.in_float == row.in_float)
      throw Error(where + ": duplicate row of " + row.algorithm + (row.in_float ? " in float" : " in double") +
                  " (table of an older version); write a new one with `tandem tune`");
  rows.push_back(std::move(row));
}

template <class Step>
Json json_of(const std::vector<Step>& steps) {
  Json list = Json::array();
  for (const Step& step : steps)
    if constexpr (std::is_same_v<Step, CrossoverStep>)
      list.push_back({{"links", step.links}, {"states", step.states}});
    else
      list.push_back({{"links", step.links}, {"method", to_string(step.method)}, {"chunk", step.chunk}});
  return list;
}
template <class Row>
Json json_of_rows(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows)
    list.push_back({{"algorithm", row.algorithm}, {"float", row.in_float}, {"steps", json_of(row.steps)}});
  return list;
}

TuningTable first_table() {
  const std::string file = tuning_file();
  if (file.empty() || !std::filesystem::exists(file)) return built_in();
  TuningTable table = read_tuning_table(file);
  return table.machine == machine_name() ? table : built_in();
}

}  // namespace

std::string machine_name() { return processor_name() + ", " + instruction_set(); }

std::string tuning_file() {
  if (const char* file = std::getenv("TANDEM_TUNING")) return file;
  const std::string folder = settings_folder();
  return folder.empty() ? "" : folder + "/tandem/tuning.json";
}

const TuningTable& tuning_table() {
  static const TuningTable table = first_table();
  return table;
}

TuningTable read_tuning_table(const std::string& file) {
  const Json json = read_json(file, "; write a new one with `tandem tune`");
  TuningTable table;
  table.machine = member<std::string>(json, "machine", file);
  table.origin = file;
  std::size_t k = 0;
  for (const Json& row : member<Json>(json, "rows", file)) {
    const std::string where = file + ": row " + std::to_string(k++);
    add_row(table.rows, row_from(row, where), where);
  }
  if (json.contains("machines"))
    for (const Json& machine : member<Json>(json, "machines", file))
      table.machines.push_back(machine_from(machine, file + ": machines"));
  if (!json.contains("gpu")) return table;  // as tables have that were measured without one
  const Json gpu = member<Json>(json, "gpu", file);
  table.gpu = member<std::string>(gpu, "name", file + ": gpu");
  k = 0;
  for (const Json& row : member<Json>(gpu, "rows", file + ": gpu")) {
    const std::string where = file + ": row " + std::to_string(k++) + " of gpu";
    add_row(table.crossovers, crossover_from(row, where), where);
  }
  return table;
}

void write_tuning_table(const std::string& file, const TuningTable& table) {
  Json json = {{"machine", table.machine}, {"rows", json_of_rows(table.rows)}};
  for (const MachineModel& machine : table.machines) json["machines"].push_back(json_of(machine));
  if (!table.gpu.empty()) json["gpu"] = {{"name", table.gpu}, {"rows", json_of_rows(table.crossovers)}};
  const std::filesystem::path path(file), folder = path.parent_path();
  std::error_code error;
  if (!folder.empty()) std::filesystem::create_directories(folder, error);
  // written beside the old one, which stays whole if anything goes wrong
  const std::string fresh = file + ".new";
  {
    std::ofstream out(fresh);
    out << json.dump(2) << '\n';
    if (!out.flush()) throw Error(fresh + ": cannot be written");
  }
  std::filesystem::rename(fresh, path, error);
  if (error) throw Error(file + ": cannot be written: " + error.message());
}

}  // namespace tandem
