// SPDX-License-Identifier: Apache-2.0
/// How the arguments of an algorithm are spelled as columns of a file.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tandem/api/evaluate.hpp"

namespace tandem::cli {

/// One of the numbers that a file gives or takes: a row of an argument, or of none.
struct Place {
  static constexpr std::size_t unread = static_cast<std::size_t>(-1);
  std::size_t argument;
  Index row;
};

/// Columns of an input: q0, q1, ... ; of forces on links LINK.fx .fy .fz .tx .ty .tz, of their increments
/// df_ext.LINK.fx ...
std::vector<std::string> input_columns(const Argument& argument, const Model& model);

/// Columns of an output: a0, a1, ... ; matrices M0_0, M0_1, ... ; points com.x .y .z; scalars by their name; poses
/// FRAME.x .y .z .qx .qy .qz .qw; velocities FRAME.vx .vy .vz .wx .wy .wz; accelerations FRAME.ax .ay .az .alphax
/// .alphay .alphaz. Of poses and motions of frames only those of the frames given.
std::vector<std::string> output_columns(const Argument& argument, const Model& model, const std::vector<int>& frames);

/// Appends an output's numbers in the order of its columns.
template <class T>
void append_output(const Argument& argument, const std::vector<int>& frames, const T* rows, Index count,
                   std::vector<T>& numbers);

/// Which input every column of a file is. Throws Error for a column that is no input, that stands there twice, or
/// that is missing; an optional input may be missing as a whole, forces on links one by one. Columns of a state (q,
/// v, a, tau) that this function does not read may stand there for others: a note on standard error says so.
std::vector<Place> match_columns(const std::vector<std::string>& header, const Algorithm& algorithm, const Model& model,
                                 const std::string& file);

/// How many columns are called name0, name1, ...
Index rows_among(const std::vector<std::string>& header, std::string_view name);

/// What to say, after an error, of a file with so many rows of q if the robot has as many with, or without, --floating;
/// else nothing.
std::string floating_hint(Index rows_of_q, const Model& model);

/// Up to eight names and how many more there are.
std::string listed(const std::vector<std::string>& names);

}  // namespace tandem::cli
