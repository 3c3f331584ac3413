// SPDX-License-Identifier: Apache-2.0
#include "files/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

#include "cli.hpp"
#include "files/states.hpp"

namespace tandem::cli {
namespace {

constexpr const char* force_suffixes[] = {".fx", ".fy", ".fz", ".tx", ".ty", ".tz"};
constexpr const char* pose_suffixes[] = {".x", ".y", ".z", ".qx", ".qy", ".qz", ".qw"};
constexpr const char* velocity_suffixes[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
constexpr const char* acceleration_suffixes[] = {"ax", "ay", "az", "alphax", "alphay", "alphaz"};
constexpr const char* point_suffixes[] = {".x", ".y", ".z"};

/// A pose, and not how its numbers change.
bool is_pose(const Argument& argument) {
  return argument.rows == Rows::pose && argument.name == std::string_view("pose");
}

template <std::size_t n>
void append(std::vector<std::string>& columns, std::string_view name, const char* const (&suffixes)[n]) {
  for (const char* suffix : suffixes) columns.push_back(std::string(name) + suffix);
}

/// q0, q1, ...; an argument whose name ends in a digit has a line between: q0_0, q0_1, ...
std::string indexed(std::string_view name, Index k) {
  const bool digit = name.back() >= '0' && name.back() <= '9';
  return fmt::format("{}{}{}", name, digit ? "_" : "", k);
}

/// What stands before the link in the columns of wrenches: nothing for the forces themselves, df_ext. for increments of
/// them.
std::string before_link(const Argument& argument) {
  return std::string_view(argument.name) == "f_ext" ? "" : fmt::format("{}.", argument.name);
}

/// "q0..q6", "LINK.fx .. LINK.tz": what a reader should write.
std::string pattern(const Argument& argument, const Model& model) {
  if (argument.rows == Rows::link_force) return before_link(argument) + "LINK.fx .fy .fz .tx .ty .tz";
  const Index count = shape(argument.rows, model.view<double>()).count();
  if (count == 0) return "";
  return count == 1 ? indexed(argument.name, 0)
                    : fmt::format("{}..{}", indexed(argument.name, 0), indexed(argument.name, count - 1));
}

std::string expected_columns(const Algorithm& algorithm, const Model& model) {
  std::string needed, optional;
  for (const Argument& argument : algorithm.arguments) {
    if (!is_input(argument)) continue;
    const std::string text = pattern(argument, model);
    if (text.empty()) continue;
    std::string& list = argument.role == Role::input ? needed : optional;
    list += (list.empty() ? "" : ", ") + text;
  }
  if (needed.empty() && optional.empty()) return "no columns";
  return needed + (optional.empty() ? "" : fmt::format("{}optionally {}", needed.empty() ? "" : "; ", optional));
}

/// Unit quaternion x y z w, w >= 0, of a rotation given by rows; the largest of its numbers is found first, so that no
/// rotation loses digits.
template <class T>
void append_quaternion(const T* r, std::vector<T>& numbers) {
  const T xx = r[0], yy = r[5], zz = r[10], trace = xx + yy + zz;
  const auto entry = [&](int i, int j) { return r[4 * i + j]; };
  T q[4];
  if (trace >= xx && trace >= yy && trace >= zz) {
    q[0] = entry(2, 1) - entry(1, 2);
    q[1] = entry(0, 2) - entry(2, 0);
    q[2] = entry(1, 0) - entry(0, 1);
    q[3] = 1 + trace;
  } else {
    const int i = xx >= yy && xx >= zz ? 0 : yy >= zz ? 1 : 2, j = (i + 1) % 3, k = (i + 2) % 3;
    q[i] = 1 + entry(i, i) - entry(j, j) - entry(k, k);
    q[j] = entry(i, j) + entry(j, i);
    q[k] = entry(i, k) + entry(k, i);
    q[3] = entry(k, j) - entry(j, k);
  }
  const T norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const T scale = (q[3] < 0 ? T(-1) : T(1)) / norm;
  for (const T x : q) numbers.push_back(x * scale + T(0));  // no negative zeros
}

}  // namespace

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < std::min<std::size_t>(8, names.size()); ++k) text += (k ? ", " : "") + names[k];
  return names.size() > 8 ? fmt::format("{} and {} more", text, names.size() - 8) : text;
}

std::vector<std::string> input_columns(const Argument& argument, const Model& model) {
  std::vector<std::string> columns;
  if (argument.rows == Rows::link_force) {
    for (int i = 0; i < model.n_links(); ++i)
      append(columns, fmt::format("{}{}", before_link(argument), model.link_name(i)), force_suffixes);
    return columns;
  }
  const Index count = shape(argument.rows, model.view<double>()).count();
  for (Index k = 0; k < count; ++k) columns.push_back(indexed(argument.name, k));
  return columns;
}

std::vector<std::string> output_columns(const Argument& argument, const Model& model, const std::vector<int>& frames) {
  std::vector<std::string> columns;
  const std::string_view name = argument.name;
  const Shape size = shape(argument.rows, model.view<double>());
  switch (argument.rows) {
    case Rows::pose:
      for (const int f : frames)
        if (is_pose(argument))
          append(columns, model.frame_name(f), pose_suffixes);
        else
          for (int k = 0; k < 12; ++k)
            columns.push_back(fmt::format("{}.{}{}_{}", model.frame_name(f), name, k / 4, k % 4));
      break;
    case Rows::frame_motion:
      for (const int f : frames)
        append(columns, fmt::format("{}{}", model.frame_name(f), name.starts_with("d") ? ".d" : "."),
               name.ends_with("velocity") ? velocity_suffixes : acceleration_suffixes);
      break;
    case Rows::matrix:
    case Rows::square:
    case Rows::jacobian:
    case Rows::point_jacobian:
    case Rows::motion_matrix:
    case Rows::regressor:
      for (Index r = 0; r < size.sizes[0]; ++r)
        for (Index c = 0; c < size.sizes[1]; ++c) columns.push_back(fmt::format("{}{}_{}", name, r, c));
      break;
    case Rows::loop_force:
      for (int l = 0; l < model.n_loops(); ++l) append(columns, model.loop_name(l), force_suffixes);
      break;
    case Rows::point: append(columns, name, point_suffixes); break;
    case Rows::scalar: columns.emplace_back(name); break;
    default:
      for (Index k = 0; k < size.count(); ++k) columns.push_back(indexed(name, k));
  }
  return columns;
}

template <class T>
void append_output(const Argument& argument, const std::vector<int>& frames, const T* rows, Index count,
                   std::vector<T>& numbers) {
  if (is_pose(argument)) {
    for (const int f : frames) {
      const T* pose = rows + Index{12} * f;
      for (const int row : {3, 7, 11}) numbers.push_back(pose[row]);
      append_quaternion(pose, numbers);
    }
  } else if (argument.rows == Rows::pose || argument.rows == Rows::frame_motion) {
    const Index each = argument.rows == Rows::pose ? 12 : 6;
    for (const int f : frames) numbers.insert(numbers.end(), rows + each * f, rows + each * (f + 1));
  } else {
    numbers.insert(numbers.end(), rows, rows + count);
  }
}
template void append_output(const Argument&, const std::vector<int>&, const double*, Index, std::vector<double>&);
template void append_output(const Argument&, const std::vector<int>&, const float*, Index, std::vector<float>&);

namespace {

/// True for q0, q1, ... if the name is q.
bool is_row_of(const std::string& column, std::string_view name) {
  return column.size() > name.size() && column.starts_with(name) &&
         std::all_of(column.begin() + static_cast<std::ptrdiff_t>(name.size()), column.end(),
                     [](char c) { return c >= '0' && c <= '9'; });
}

/// True for q0 .. , v0 .. , a0 .. , tau0 .. of this robot, and for times and energies as `tandem simulate` writes them:
/// what a file of states has, whatever a function reads of it.
bool is_state_column(const std::string& column, const Model& model) {
  for (const char* const name : {"t", "kinetic", "potential", "energy", "dissipated", "work"})
    if (column == name) return true;
  if (column.starts_with("contact_force_")) return true;
  for (const auto& [name, count] :
       {std::pair{"q", model.nq()}, {"v", model.nv()}, {"a", model.nv()}, {"tau", model.nv()}}) {
    const std::string_view prefix = name;
    if (!column.starts_with(prefix)) continue;
    int index = -1;
    const char* end = column.data() + column.size();
    const auto [stop, error] = std::from_chars(column.data() + prefix.size(), end, index);
    if (error == std::errc() && stop == end && index >= 0 && index < count &&
        fmt::format("{}{}", name, index) == column)
      return true;
  }
  return false;
}

}  // namespace

Index rows_among(const std::vector<std::string>& header, std::string_view name) {
  return std::count_if(header.begin(), header.end(),
                       [&](const std::string& column) { return is_row_of(column, name); });
}

std::string floating_hint(Index rows_of_q, const Model& model) {
  const JointKind& free = joint_kind(JointType::free);
  if (rows_of_q == model.nq() + free.nq)
    return fmt::format("\n{} has {} numbers in q, the file {}: states of a floating robot need --floating",
                       model.name(), model.nq(), rows_of_q);
  const auto& m = model.view<double>();
  if (rows_of_q + free.nq == model.nq() && m.n_links > 1 && m.type[1] == JointType::free)
    return fmt::format("\n{} has {} numbers in q, the file {}: the robot floats (--floating), but not in the file",
                       model.name(), model.nq(), rows_of_q);
  return "";
}

std::vector<Place> match_columns(const std::vector<std::string>& header, const Algorithm& algorithm, const Model& model,
                                 const std::string& file) {
  std::unordered_map<std::string, std::size_t> known;  // to its index among all input columns
  std::vector<std::string> names;
  std::vector<Place> places;
  for (std::size_t a = 0; a < algorithm.arguments.size(); ++a) {
    if (!is_input(algorithm.arguments[a])) continue;
    Index row = 0;
    for (std::string& name : input_columns(algorithm.arguments[a], model)) {
      known.emplace(name, names.size());
      names.push_back(std::move(name));
      places.push_back({a, row++});
    }
  }

  const std::string function = dashed(algorithm.name);
  std::vector<char> present(names.size(), 0), given(algorithm.arguments.size(), 0);
  std::vector<Place> found;
  std::vector<std::string> unread;
  for (const std::string& column : header) {
    const auto match = known.find(column);
    if (match == known.end() && is_state_column(column, model)) {
      unread.push_back(column);
      found.push_back({Place::unread, 0});
      continue;
    }
    if (match == known.end()) {
      const std::string hint = floating_hint(rows_among(header, "q"), model);
      throw Error(fmt::format("{}:1: column \"{}\" is not an input of {} for {}{}\nexpected {}{}", file,
                              readable(column), function, model.name(), hint.empty() ? suggestion(column, names) : "",
                              expected_columns(algorithm, model), hint));
    }
    if (std::exchange(present[match->second], 1))
      throw Error(fmt::format("{}:1: duplicate column {}", file, readable(column)));
    found.push_back(places[match->second]);
    given[found.back().argument] = 1;
  }

  std::vector<std::string> missing;
  for (std::size_t k = 0; k < names.size(); ++k) {
    const Argument& argument = algorithm.arguments[places[k].argument];
    const bool may_be_missing =
        argument.rows == Rows::link_force || (argument.role == Role::optional_input && !given[places[k].argument]);
    if (!present[k] && !may_be_missing) missing.push_back(names[k]);
  }
  if (!missing.empty())
    throw Error(fmt::format("{}:1: missing column{} {}\n{} for {} expects {}{}", file, missing.size() > 1 ? "s" : "",
                            listed(missing), function, model.name(), expected_columns(algorithm, model),
                            floating_hint(rows_among(header, "q"), model)));
  if (!unread.empty()) tell(fmt::format("note: {}: {} does not use {}\n", file, function, listed(unread)));
  return found;
}

}  // namespace tandem::cli
