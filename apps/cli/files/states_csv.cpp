// SPDX-License-Identifier: Apache-2.0
#include <iterator>
#include <memory>

#include "cli.hpp"
#include "files/columns.hpp"
#include "files/csv.hpp"
#include "files/numbers.hpp"
#include "files/output.hpp"
#include "files/states.hpp"

namespace tandem::cli {
namespace states_in_csv {  // named: what csv_source returns has members of its types

struct Lines {
  explicit Lines(const std::string& path) : reader(path) {}

  CsvReader reader;
  std::vector<Place> places;  ///< of every column
  std::vector<double> line;
};

template <class T>
void read_lines(Lines& file, Chunk<T>& chunk) {
  Index b = 0;
  for (; b < chunk.capacity && file.reader.next(file.line); ++b)
    for (std::size_t c = 0; c < file.places.size(); ++c) {
      const Place& place = file.places[c];
      if (place.argument == Place::unread) continue;
      chunk.numbers[place.argument][static_cast<std::size_t>(b * chunk.strides[place.argument] + place.row)] =
          static_cast<T>(file.line[c]);
    }
  chunk.size = b;
}

std::vector<std::string> names_of_outputs(const Task& task) {
  std::vector<std::string> names;
  for (std::size_t a = 0; a < task.takes_part.size(); ++a)
    if (task.writes(a)) {
      const auto columns = output_columns(task.argument(a), task.model, task.frames);
      names.insert(names.end(), columns.begin(), columns.end());
    }
  if (task.writes_status) names.emplace_back("status");
  return names;
}

template <class T>
void write_lines(WholeFile& out, const Task& task, const Chunk<T>& chunk) {
  fmt::memory_buffer text;
  std::vector<T> numbers;
  for (Index b = 0; b < chunk.size; ++b) {
    numbers.clear();
    for (std::size_t a = 0; a < task.takes_part.size(); ++a)
      if (task.writes(a)) append_output(task.argument(a), task.frames, chunk.state(a, b), task.count(a), numbers);
    for (const T x : numbers) append_field(text, x);
    if (task.writes_status)
      fmt::format_to(std::back_inserter(text), "{},", to_string(chunk.status[static_cast<std::size_t>(b)]));
    end_line(text);
    if (text.size() < (1 << 20) && b + 1 < chunk.size) continue;
    out.write({text.data(), text.size()});
    text.clear();
  }
}

}  // namespace states_in_csv

using states_in_csv::Lines, states_in_csv::names_of_outputs, states_in_csv::write_lines;

template <class T>
Source<T> csv_source(const std::string& path, const Algorithm& algorithm, const Model& model) {
  auto file = std::make_shared<Lines>(path);
  file->places = match_columns(file->reader.header(), algorithm, model, path == "-" ? "<standard input>" : path);
  file->line.resize(file->places.size());
  Source<T> source;
  source.given.assign(algorithm.arguments.size(), 0);
  source.shared = source.given;
  for (const Place& place : file->places)
    if (place.argument != Place::unread) source.given[place.argument] = 1;
  source.length = file->reader.size();
  source.position = [file] { return file->reader.position(); };
  source.read = [file](Chunk<T>& chunk) { read_lines(*file, chunk); };
  return source;
}
template Source<double> csv_source(const std::string&, const Algorithm&, const Model&);
template Source<float> csv_source(const std::string&, const Algorithm&, const Model&);

template <class T>
Sink<T> csv_sink(const std::string& path, const Task& task) {
  auto out = std::make_shared<WholeFile>(path);
  out->write(csv_header(names_of_outputs(task)));
  return {[out, &task](const Chunk<T>& chunk) { write_lines(*out, task, chunk); }, [out] { out->commit(); }};
}
template Sink<double> csv_sink(const std::string&, const Task&);
template Sink<float> csv_sink(const std::string&, const Task&);

}  // namespace tandem::cli
