// SPDX-License-Identifier: Apache-2.0
#include "start_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <random>

#include "cli.hpp"
#include "files/columns.hpp"
#include "files/csv.hpp"
#include "files/hdf5.hpp"

namespace tandem::cli {
namespace {

/// Numbers for every row of q or v.
std::vector<double> numbers_of_size(const std::string& text, const char* option, int expected, const char* rows) {
  std::vector<double> numbers = expected == 0 && text.empty() ? std::vector<double>() : read_numbers(text, option);
  if (numbers.size() != static_cast<std::size_t>(expected))
    throw Error(fmt::format("{} has {} numbers, expected {} = {}", option, numbers.size(), rows, expected));
  for (const double x : numbers)
    if (!std::isfinite(x)) throw Error(fmt::format("{} has a number that is not finite", option));
  return numbers;
}

/// Whether a text is meant as numbers rather than as a word or a file's name.
bool looks_like_numbers(const std::string& text) {
  double number = 0;
  return text.find(',') != std::string::npos || read_number(text, number);
}

/// The columns name0, name1, ... of a file's first line of states; empty if it has none.
std::vector<double> columns_of(const CsvReader& file, const std::vector<double>& line, char name, int count) {
  std::vector<double> numbers;
  for (int k = 0; k < count; ++k) {
    const auto found = std::find(file.header().begin(), file.header().end(), fmt::format("{}{}", name, k));
    if (found != file.header().end()) numbers.push_back(line[static_cast<std::size_t>(found - file.header().begin())]);
  }
  return numbers;
}

/// The first row of a dataset, or the dataset if it is of one state; empty if there is none.
std::vector<double> first_row(const Hdf5Reader& file, const std::string& name, Index count, const Model& model) {
  if (!file.has(name)) return {};
  const Hdf5Reader::Dataset dataset = file.open(name);
  const bool one = dataset.sizes == std::vector<Index>{count};
  if (!one && (dataset.sizes.size() != 2 || dataset.sizes[1] != count))
    throw Error(fmt::format("{}: dataset {} is not [batch, {}], as {} needs it{}", file.where(), name, count,
                            model.name(),
                            name == "q" && dataset.sizes.size() == 2 ? floating_hint(dataset.sizes[1], model) : ""));
  if (!one && dataset.sizes[0] == 0) throw Error(fmt::format("{}: dataset {} has no states", file.where(), name));
  std::vector<double> row(static_cast<std::size_t>(count));
  file.read(dataset, 0, one ? count : 1, row.data());
  return row;
}

void check_finite(const StartState& state, const std::string& where) {
  for (const auto& numbers : {state.q, state.v})
    for (const double x : numbers)
      if (!std::isfinite(x)) throw Error(fmt::format("{}: the state has a number that is not finite", where));
}

StartState state_from_hdf5(const Model& model, const std::string& path) {
  const Hdf5Reader file(path, "");
  StartState state{first_row(file, "q", model.nq(), model), first_row(file, "v", model.nv(), model)};
  if (!file.has("q")) throw Error(fmt::format("{}: missing dataset q", path));
  check_finite(state, path);
  return state;
}

StartState state_from_csv(const Model& model, const std::string& path) {
  CsvReader file(path);
  std::vector<double> line(file.header().size());
  if (!file.next(line)) throw Error(fmt::format("{}: no states after the line of column names", path));
  StartState state{columns_of(file, line, 'q', model.nq()), columns_of(file, line, 'v', model.nv())};
  const Index found = rows_among(file.header(), "q");
  if (found > model.nq())
    throw Error(fmt::format("{}:1: {} columns q0, q1, ...; {} has {}{}", path, found, model.name(), model.nq(),
                            floating_hint(found, model)));
  if (state.q.size() != static_cast<std::size_t>(model.nq()))
    throw Error(fmt::format("{}:1: {} of the columns q0..q{} that {} needs{}", path, state.q.size(), model.nq() - 1,
                            model.name(), floating_hint(static_cast<Index>(state.q.size()), model)));
  if (!state.v.empty() && state.v.size() != static_cast<std::size_t>(model.nv()))
    throw Error(
        fmt::format("{}:1: {} of the columns v0..v{} of {}", path, state.v.size(), model.nv() - 1, model.name()));
  check_finite(state, file.where());
  return state;
}

/// "home, stand, ": those of the robot, of which there may be many.
std::string names_of_configurations(const Model& model) {
  std::string names;
  for (int k = 0; k < std::min(model.n_configurations(), 8); ++k)
    names += std::string(model.configuration_name(k)) + ", ";
  return names;
}

StartState state_from_file(const Model& model, const std::string& path) {
  if (!std::filesystem::exists(path))
    throw Error(fmt::format("--q0 {}: expected leaning, neutral, random, {}numbers separated by commas, or a file",
                            path, names_of_configurations(model)));
  return is_hdf5_file(path) ? state_from_hdf5(model, path) : state_from_csv(model, path);
}

/// Quaternions of nearly unit length become unit ones; others are refused.
void normalise_quaternions(const Model& model, std::vector<double>& q, const char* option) {
  const auto& m = model.view<double>();
  for (int i = 1; i < m.n_links; ++i) {
    const int quaternion = joint_kind(m.type[i]).quaternion;
    if (m.mimics[i] != 0 || quaternion < 0) continue;
    double* x = q.data() + m.q_index[i] + quaternion;
    const double norm = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    if (!(std::abs(norm - 1) < 0.01))
      throw Error(fmt::format("{}: the quaternion of joint \"{}\" has length {:.6g}, expected 1", option,
                              model.joint_name(i), norm));
    for (int k = 0; k < 4; ++k) x[k] /= norm;
  }
}

/// Uniform in [-1, 1), the same on every machine: the generator is fixed by the standard, its distributions are not.
std::vector<double> random_velocity(const Model& model, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> v(static_cast<std::size_t>(model.nv()));
  for (double& x : v) x = std::ldexp(static_cast<double>(random() >> 11), -52) - 1;
  return v;
}

std::vector<double> gains(const Model& model, const std::string& text, const char* option) {
  const auto& m = model.view<double>();
  std::vector<double> values(static_cast<std::size_t>(m.nv), 0.0);
  if (text.empty()) return values;
  if (text.find(',') != std::string::npos || m.nv == 1) return numbers_of_size(text, option, m.nv, "nv");
  const double gain = read_numbers(text, option)[0];
  for (int i = 1; i < m.n_links; ++i)
    if (m.mimics[i] == 0 && m.type[i] != JointType::free)
      std::fill_n(values.begin() + m.v_index[i], joint_nv(m.type[i]), gain);
  return values;
}

/// Every joint but free ones off its neutral position, by less where many follow one another, and within its limits.
std::vector<double> leaning_configuration(const Model& model) {
  constexpr double angle = 0.3, way = 0.03, share = 10;  // rad, m; joints in a row that lean as far
  const auto& m = model.view<double>();
  const double part = std::min(1.0, share / std::max(1, model.depth()));
  std::vector<double> q = neutral_configuration(model), u(static_cast<std::size_t>(m.nv), 0.0);
  for (int i = 1; i < m.n_links; ++i) {
    if (m.mimics[i] != 0 || m.type[i] == JointType::free) continue;
    const JointKind& kind = joint_kind(m.type[i]);
    double* u_i = u.data() + m.v_index[i];
    for (int k = 0; k < kind.nv; ++k) u_i[k] = part * (k < kind.lengths ? way : angle);
    if (!kind.has_range) continue;
    double& q_i = q[static_cast<std::size_t>(m.q_index[i])];
    const double lower = m.q_lower[m.q_index[i]], upper = m.q_upper[m.q_index[i]];
    q_i = std::clamp(q_i, lower, upper);
    const double above = (upper - q_i) / 2, below = (q_i - lower) / 2;
    u_i[0] = above > 0 ? std::min(u_i[0], above) : -std::min(u_i[0], below);
  }
  Workspace<double> work;
  integrate(model, q, u, q, work);
  return q;
}

/// Controls of the actuators: the name of a configuration, or one number for each.
std::vector<double> controls_from(const Model& model, const std::string& words, const char* option) {
  if (actuators(model).empty())
    throw Error(
        fmt::format("{}: the robot \"{}\" has no actuators (MJCF files can define them)", option, model.name()));
  if (const int named = model.find_configuration(words); named >= 0) {
    const auto ctrl = controls(model, named);
    return {ctrl.begin(), ctrl.end()};
  }
  return numbers_of_size(words, option, static_cast<int>(actuators(model).size()), "the number of actuators");
}

}  // namespace

StartState start_state_from(const Model& model, const std::string& q, const std::string& v, std::uint64_t seed) {
  StartState state;
  if (q == "neutral") {
    state.q = neutral_configuration(model);
  } else if (q == "leaning") {
    state.q = leaning_configuration(model);
  } else if (q == "random") {
    state.q = random_configuration(model, seed);
  } else if (const int named = model.find_configuration(q); named >= 0) {
    const auto numbers = model.configuration(named);
    state.q.assign(numbers.begin(), numbers.end());
  } else if (looks_like_numbers(q) && !std::filesystem::exists(q)) {
    state.q = numbers_of_size(q, "--q0", model.nq(), "nq");
  } else {
    state = state_from_file(model, q);
  }
  normalise_quaternions(model, state.q, "--q0");
  if (v == "random")
    state.v = random_velocity(model, seed);
  else if (v != "zero")
    state.v = numbers_of_size(v, "--v0", model.nv(), "nv");
  else if (state.v.empty())
    state.v.assign(static_cast<std::size_t>(model.nv()), 0.0);
  return state;
}

void move_joint(const Model& model, StartState& state, const std::string& moved) {
  const std::size_t equals = moved.rfind('=');
  if (equals == std::string::npos)
    throw Error(fmt::format("--move {}: expected JOINT=U,..., such as elbow=0.5", readable(moved)));
  const int joint = model.joint_index(moved.substr(0, equals));
  if (model.is_mimic(joint))
    throw Error(fmt::format("--move {}: the joint follows {}; move that joint", readable(moved),
                            model.joint_name(model.view<double>().mimics[joint])));
  const std::vector<double> numbers = numbers_of_size(
      moved.substr(equals + 1), "--move", joint_nv(model.joint_type(joint)), "the degrees of freedom of the joint");
  std::vector<double> u(static_cast<std::size_t>(model.nv()), 0.0);
  std::copy(numbers.begin(), numbers.end(), u.begin() + model.view<double>().v_index[joint]);
  Workspace<double> work;
  integrate(model, state.q, u, state.q, work);
}

void close_start(const Model& model, StartState& state) {
  if (model.n_loops() == 0) return;
  StartState closed = state;
  Workspace<double> work;
  close_loops<double>(model, state.q, closed.q, work, state.v, closed.v);
  if (std::ranges::all_of(closed.q, [](double x) { return std::isfinite(x); })) state = closed;
}

std::vector<double> configuration_from(const Model& model, const std::string& words, const char* option,
                                       std::uint64_t seed) {
  std::vector<double> q;
  if (words.empty() || words == "neutral") {
    q = neutral_configuration(model);
  } else if (words == "random") {
    q = random_configuration(model, seed);
  } else if (const int named = model.find_configuration(words); named >= 0) {
    q.assign(model.configuration(named).begin(), model.configuration(named).end());
  } else {
    q = numbers_of_size(words, option, model.nq(), "nq");
  }
  normalise_quaternions(model, q, option);
  return q;
}

PdController controller_from(const Model& model, const std::string& target, const std::string& kp,
                             const std::string& kd, std::uint64_t seed) {
  return {configuration_from(model, target, "--target", seed + 2), gains(model, kp, "--kp"), gains(model, kd, "--kd")};
}

Driven drive_by_actuators(const Model& model, const std::string& words, SimulationOptions& settings) {
  if (words.empty()) return {};
  if (settings.controller.acts()) throw Error("--ctrl excludes --target, --kp and --kd");
  std::vector<double> ctrl = controls_from(model, words, "--ctrl");
  if (settings.integrator == Integrator::semi_implicit_euler) return {std::move(ctrl), {}};
  ActuatorDrive drive = actuator_drive(model, ctrl);
  settings.controller = std::move(drive.controller);
  settings.effort_limits = true;
  return {{}, std::move(drive.tau)};
}

}  // namespace tandem::cli
