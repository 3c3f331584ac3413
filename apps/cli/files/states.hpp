// SPDX-License-Identifier: Apache-2.0
/// States of a robot on their way through a function: out of a file, a chunk at a time, and into another one.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "tandem/tandem.hpp"

namespace tandem::cli {

/// What is computed: a function of a robot, and which of its arguments take part.
struct Task {
  const Model& model;
  const Algorithm& algorithm;
  Options options;
  std::vector<int> frames;       ///< to write, of outputs that have all of them
  std::vector<char> takes_part;  ///< of every argument
  int threads = 0;               ///< 0: all cores
  bool writes_status = false;

  const Argument& argument(std::size_t a) const { return algorithm.arguments[a]; }
  Shape shape_of(std::size_t a) const { return shape(argument(a).rows, model.view<double>()); }
  Index count(std::size_t a) const { return shape_of(a).count(); }
  bool writes(std::size_t a) const { return takes_part[a] && !is_input(argument(a)); }
};

/// The arguments of some states, in arrays of fixed size.
template <class T>
struct Chunk {
  Index capacity = 0, size = 0;          ///< states
  std::vector<std::vector<T>> numbers;   ///< of every argument; empty if it takes no part
  std::vector<Index> strides;            ///< from state to state; 0 where one state stands for all
  std::vector<Status> status;            ///< of every state
  std::vector<std::int32_t> iterations;  ///< of every state

  /// Sized so that its arrays take some 32 MB, however large a state is. `shared`: arguments of one state only.
  Chunk(const Task& task, const std::vector<char>& shared);

  std::vector<Array<T>> arrays();
  const T* state(std::size_t argument, Index b) const { return numbers[argument].data() + b * strides[argument]; }
};

/// A file of states that is open for reading.
template <class T>
struct Source {
  std::vector<char> given;   ///< of every argument: whether the file has it
  std::vector<char> shared;  ///< ... as one state that stands for all
  /// Length of the file, and how far it has been read; a length of 0 is not known. In the units of the source.
  std::int64_t length = 0;
  std::function<std::int64_t()> position;
  /// Fills the chunk; no states are left if it gives a size of 0.
  std::function<void(Chunk<T>&)> read;
};

/// A file of results. Nothing stays of it before commit().
template <class T>
struct Sink {
  std::function<void(const Chunk<T>&)> write;
  std::function<void()> commit;
};

/// CSV with one state per line. "-" is standard input and output.
template <class T>
Source<T> csv_source(const std::string& path, const Algorithm& algorithm, const Model& model);
template <class T>
Sink<T> csv_sink(const std::string& path, const Task& task);

/// HDF5 with a dataset for each argument. `group` holds those of the input; empty for the root.
template <class T>
Source<T> hdf5_source(const std::string& path, const std::string& group, const Algorithm& algorithm,
                      const Model& model);
template <class T>
Sink<T> hdf5_sink(const std::string& path, const Task& task);

}  // namespace tandem::cli
