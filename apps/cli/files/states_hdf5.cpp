// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "cli.hpp"
#include "files/columns.hpp"
#include "files/hdf5.hpp"
#include "files/output.hpp"
#include "files/states.hpp"
#include "tandem/version.hpp"

namespace tandem::cli {
namespace states_in_hdf5 {  // named: what hdf5_source and hdf5_sink return has members of its types

struct Datasets {
  Datasets(const std::string& path, const std::string& group) : reader(path, group) {}

  Hdf5Reader reader;
  std::vector<std::optional<Hdf5Reader::Dataset>> datasets;  ///< of every argument
  std::string counted;                                       ///< the dataset whose length counts the states
  Index states = 0, next = 0;
};

std::vector<Index> sizes_of(const Argument& argument, const Model& model) {
  const Shape s = shape(argument.rows, model.view<double>());
  return {s.sizes, s.sizes + s.rank};
}

/// "q [batch, 7], v [batch, 7]; optionally f_ext [batch, 8, 6]".
std::string expected_datasets(const Algorithm& algorithm, const Model& model) {
  std::string needed, optional;
  for (const Argument& argument : algorithm.arguments) {
    if (!is_input(argument)) continue;
    std::string& list = argument.role == Role::input ? needed : optional;
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", argument.name, batch_shape(sizes_of(argument, model)));
  }
  return needed + (optional.empty() ? "" : "; optionally " + optional);
}

/// Every input that the file has, opened; those that it lacks, and what else is in it, are told.
void open_datasets(Datasets& file, const Algorithm& algorithm, const Model& model) {
  std::vector<std::string> missing, unread = file.reader.names();
  for (const Argument& argument : algorithm.arguments) {
    file.datasets.emplace_back();
    if (!is_input(argument)) continue;
    if (file.reader.has(argument.name)) {
      file.datasets.back() = file.reader.open(argument.name);
      unread.erase(std::find(unread.begin(), unread.end(), argument.name));
    } else if (argument.role == Role::input) {
      missing.emplace_back(argument.name);
    }
  }
  for (std::string& name : unread) name = readable(name);
  const std::string function = dashed(algorithm.name);
  if (!missing.empty())
    throw Error(fmt::format("{}: missing dataset{} {}{}\n{} for {} expects {}", file.reader.where(),
                            missing.size() > 1 ? "s" : "", listed(missing),
                            unread.empty() ? "" : fmt::format("; there is also {}", listed(unread)), function,
                            model.name(), expected_datasets(algorithm, model)));
  if (!unread.empty())
    tell(fmt::format("note: {}: {} does not use {}\n", file.reader.where(), function, listed(unread)));
}

/// True if the dataset is of one state that stands for all.
bool is_shared(const Datasets& file, const Argument& argument, const Hdf5Reader::Dataset& dataset, const Model& model) {
  const std::vector<Index> expected = sizes_of(argument, model);
  if (dataset.sizes == expected) return true;
  if (dataset.sizes.size() == expected.size() + 1 &&
      std::equal(expected.begin(), expected.end(), dataset.sizes.begin() + 1))
    return false;
  const bool is_q = dataset.name == "q" && !dataset.sizes.empty();
  throw Error(fmt::format("{}: dataset {} has the shape [{}]; for {} it is {}, or [{}] for one state in all{}",
                          file.reader.where(), dataset.name, fmt::join(dataset.sizes, ", "), model.name(),
                          batch_shape(expected), fmt::join(expected, ", "),
                          is_q ? floating_hint(dataset.sizes.back(), model) : ""));
}

/// All datasets have as many states as the first one.
void count_states(Datasets& file, const Hdf5Reader::Dataset& dataset) {
  const Index states = dataset.sizes[0];
  if (file.counted.empty()) {
    file.counted = dataset.name;
    file.states = states;
  } else if (states != file.states) {
    throw Error(fmt::format("{}: dataset {} has {} state{}, {} has {}", file.reader.where(), dataset.name, states,
                            states == 1 ? "" : "s", file.counted, file.states));
  }
}

template <class T>
void read_rows(Datasets& file, Chunk<T>& chunk) {
  chunk.size = std::min(chunk.capacity, file.states - file.next);
  for (std::size_t a = 0; a < file.datasets.size(); ++a) {
    if (!file.datasets[a] || chunk.size == 0) continue;
    const Hdf5Reader::Dataset& dataset = *file.datasets[a];
    if (chunk.strides[a] > 0)
      file.reader.read(dataset, file.next, chunk.size, chunk.numbers[a].data());
    else if (file.next == 0)
      file.reader.read(dataset, 0, dataset.sizes.empty() ? 1 : dataset.sizes[0], chunk.numbers[a].data());
  }
  file.next += chunk.size;
}

/// The results of a run on their way into a temporary file. Datasets are made when the first states are there, so that
/// a few of them make a small file.
struct Results {
  Replacement replacement;
  Hdf5Writer writer;
  std::vector<std::size_t> datasets;  ///< of every argument that is written
  std::size_t status = 0;             ///< dataset of it, if it is written
  bool ready = false;

  explicit Results(const std::string& path) : replacement(path), writer(replacement.name(), path) {}
};

/// True of outputs that hold something of every frame, of which some may be chosen.
bool has_frames(const Argument& argument) { return argument.rows == Rows::pose || argument.rows == Rows::frame_motion; }

std::vector<std::string> names_of(const Model& model, const std::vector<int>& frames) {
  std::vector<std::string> names;
  for (const int f : frames) names.emplace_back(model.frame_name(f));
  return names;
}

std::vector<std::string> names_of_statuses() {
  std::vector<std::string> names;
  for (const Named& status : NamesOf<Status>::table) names.emplace_back(status.name);
  return names;
}

template <class T>
void make_datasets(Results& out, const Task& task, Index rows) {
  Hdf5Writer& file = out.writer;
  const Algorithm& algorithm = task.algorithm;
  out.ready = true;
  file.describe("tandem_version", TANDEM_VERSION);
  file.describe("function", dashed(algorithm.name));
  file.describe("robot", task.model.name());
  if (algorithm.reads("frame")) file.describe("frame", std::string(task.model.frame_name(task.options.frame)));
  if (algorithm.reads("reference")) file.describe("reference", dashed(to_string(task.options.reference)));
  bool frames = false;
  for (std::size_t a = 0; a < task.takes_part.size(); ++a) {
    out.datasets.push_back(0);
    if (!task.writes(a)) continue;
    const Argument& argument = task.argument(a);
    std::vector<Index> sizes = sizes_of(argument, task.model);
    if (has_frames(argument)) sizes[0] = static_cast<Index>(task.frames.size());
    frames = frames || has_frames(argument);
    out.datasets.back() = file.add<T>(argument.name, sizes, rows);
    file.describe(out.datasets.back(), "units", argument.units);
    file.describe(out.datasets.back(), "meaning", argument.meaning);
  }
  if (task.writes_status) {
    out.status = file.add<std::uint8_t>("status", {}, rows);
    file.describe(out.status, "meaning", "status of the state: index into values");
    file.describe(out.status, "values", names_of_statuses());
  }
  file.describe("run", "finished");  // the file appears when that is so
  if (frames) file.add_texts("frame_names", names_of(task.model, task.frames));
}

template <class T>
void write_rows(Results& out, const Task& task, const Chunk<T>& chunk) {
  if (!out.ready) make_datasets<T>(out, task, chunk.size);
  std::vector<T> chosen;
  for (std::size_t a = 0; a < task.takes_part.size(); ++a) {
    if (!task.writes(a)) continue;
    const T* numbers = chunk.numbers[a].data();
    if (has_frames(task.argument(a)) && task.frames.size() != static_cast<std::size_t>(task.model.n_frames())) {
      const Index of_frame = task.count(a) / task.model.n_frames();
      chosen.clear();
      for (Index b = 0; b < chunk.size; ++b)
        for (const int f : task.frames)
          chosen.insert(chosen.end(), chunk.state(a, b) + f * of_frame, chunk.state(a, b) + (f + 1) * of_frame);
      numbers = chosen.data();
    }
    out.writer.append(out.datasets[a], numbers, chunk.size);
  }
  static_assert(sizeof(Status) == 1);
  if (task.writes_status)
    out.writer.append(out.status, reinterpret_cast<const std::uint8_t*>(chunk.status.data()), chunk.size);
}

template <class T>
void finish(Results& out, const Task& task) {
  if (!out.ready) make_datasets<T>(out, task, 1);
  out.writer.close();
  out.replacement.commit();
}

}  // namespace states_in_hdf5

using states_in_hdf5::Datasets, states_in_hdf5::Results;

template <class T>
Source<T> hdf5_source(const std::string& path, const std::string& group, const Algorithm& algorithm,
                      const Model& model) {
  auto file = std::make_shared<Datasets>(path, group);
  open_datasets(*file, algorithm, model);
  Source<T> source;
  for (std::size_t a = 0; a < file->datasets.size(); ++a) {
    const auto& dataset = file->datasets[a];
    source.given.push_back(dataset.has_value());
    source.shared.push_back(dataset && is_shared(*file, algorithm.arguments[a], *dataset, model));
    if (dataset && !source.shared.back()) count_states(*file, *dataset);
  }
  if (file->counted.empty()) file->states = 1;
  source.length = file->states;
  source.position = [file] { return file->next; };
  source.read = [file](Chunk<T>& chunk) { read_rows(*file, chunk); };
  return source;
}
template Source<double> hdf5_source(const std::string&, const std::string&, const Algorithm&, const Model&);
template Source<float> hdf5_source(const std::string&, const std::string&, const Algorithm&, const Model&);

template <class T>
Sink<T> hdf5_sink(const std::string& path, const Task& task) {
  auto out = std::make_shared<Results>(path);
  return {[out, &task](const Chunk<T>& chunk) { write_rows(*out, task, chunk); },
          [out, &task] { finish<T>(*out, task); }};
}
template Sink<double> hdf5_sink(const std::string&, const Task&);
template Sink<float> hdf5_sink(const std::string&, const Task&);

}  // namespace tandem::cli
