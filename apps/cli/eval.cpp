// SPDX-License-Identifier: Apache-2.0
/// tandem eval: one function of a robot over a file of states.
#include <algorithm>
#include <memory>
#include <numeric>

#include "cli.hpp"
#include "columns.hpp"
#include "csv.hpp"
#include "numbers.hpp"
#include "output.hpp"

namespace tandem::cli {
namespace {

struct EvalOptions {
  std::string function, in = "-", out = "-", precision = "double", method = "automatic", reference = "local";
  std::vector<std::string> frames, with;
  RobotOptions robot;
};

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Frames to write, by --frame: all if there is none.
std::vector<int> chosen_frames(const EvalOptions& options, const Algorithm& algorithm, const Model& model) {
  std::vector<int> frames;
  for (const std::string& name : options.frames) frames.push_back(model.frame_index(name));
  const bool writes_frames = std::any_of(algorithm.arguments.begin(), algorithm.arguments.end(),
                                         [](const Argument& a) { return a.rows == Rows::pose; });
  if (algorithm.reads_frame && frames.size() != 1) {
    std::string names;
    const int shown = std::min(model.n_frames(), 20);
    for (int k = 0; k < shown; ++k) names += (k ? ", " : "") + std::string(model.frame_name(k));
    if (shown < model.n_frames()) names += fmt::format(" and {} more (tandem info --all)", model.n_frames() - shown);
    throw Error(fmt::format("{} needs {} --frame; {} has {}", dashed(algorithm.name), frames.empty() ? "a" : "one",
                            model.name(), names));
  }
  if (!frames.empty() && !algorithm.reads_frame && !writes_frames)
    throw Error(fmt::format("{} does not read --frame", dashed(algorithm.name)));
  if (frames.empty()) {
    frames.resize(static_cast<std::size_t>(model.n_frames()));
    std::iota(frames.begin(), frames.end(), 0);
  }
  return frames;
}

Options algorithm_options(const EvalOptions& options, const Algorithm& algorithm, const std::vector<int>& frames) {
  Options result;
  if (algorithm.reads_frame) result.frame = frames[0];
  result.reference = reference_from(options.reference);
  result.method = method_from(options.method);
  if (!algorithm.reads_reference && result.reference != Reference::local)
    throw Error(fmt::format("{} does not read --reference", dashed(algorithm.name)));
  if (!algorithm.reads_method && result.method != Method::automatic)
    throw Error(fmt::format("{} does not read --method", dashed(algorithm.name)));
  return result;
}

/// Reads states, evaluates them a chunk at a time, writes what comes out.
template <class T>
class Evaluation {
 public:
  Evaluation(const EvalOptions& options, const Model& model)
      : options_(options),
        model_(model),
        algorithm_(find_algorithm(options.function)),
        frames_(chosen_frames(options, algorithm_, model)),
        settings_(algorithm_options(options, algorithm_, frames_)),
        reader_(options.in),
        places_(
            match_columns(reader_.header(), algorithm_, model, options.in == "-" ? "<standard input>" : options.in)),
        line_(reader_.header().size()) {
    check_with();
    Index numbers_per_state = 1;
    arrays_.resize(algorithm_.arguments.size());
    for (std::size_t a = 0; a < arrays_.size(); ++a)
      if (is_wanted(a)) numbers_per_state += count(a);
    chunk_ = std::clamp<Index>((Index{1} << 19) / numbers_per_state, 1, 4096);
    for (std::size_t a = 0; a < arrays_.size(); ++a)
      if (is_wanted(a)) arrays_[a].assign(static_cast<std::size_t>(std::max<Index>(count(a) * chunk_, 1)), T(0));
  }

  void run() {
    WholeFile out(options_.out);
    out.write(csv_header(output_names()));
    while (const Index n = read_chunk()) {
      std::vector<Array<T>> arguments(arrays_.size());
      for (std::size_t a = 0; a < arrays_.size(); ++a)
        if (!arrays_[a].empty()) arguments[a] = {arrays_[a].data(), count(a)};
      evaluate<T>(algorithm_, model_, arguments, n, work_, settings_);
      for (Index b = 0; b < n; ++b) {
        format_state(b);
        if (text_.size() > (1 << 20)) flush(out);
      }
      flush(out);
    }
    out.commit();
  }

 private:
  const Argument& argument(std::size_t a) const { return algorithm_.arguments[a]; }
  Index count(std::size_t a) const { return shape(argument(a).rows, model_.view<double>()).count(); }
  bool is_output(std::size_t a) const {
    return argument(a).role == Role::output || argument(a).role == Role::optional_output;
  }
  bool is_given(std::string_view name) const {
    return std::any_of(places_.begin(), places_.end(), [&](const Place& p) {
      return p.argument != Place::unread && argument(p.argument).name == name;
    });
  }

  /// Optional outputs: those asked for, velocities if there is a velocity, accelerations if there is an acceleration
  /// too.
  bool is_wanted(std::size_t a) const {
    const std::string_view name = argument(a).name;
    switch (argument(a).role) {
      case Role::input:
      case Role::output: return true;
      case Role::optional_input: return is_given(name);
      case Role::optional_output:
        return has(options_.with, name) || (name == "velocity" && is_given("v")) ||
               (name == "acceleration" && is_given("a"));
    }
    return false;
  }

  void check_with() const {
    std::string names;
    for (std::size_t a = 0; a < algorithm_.arguments.size(); ++a)
      if (argument(a).role == Role::optional_output)
        names += (names.empty() ? "" : ", ") + std::string(argument(a).name);
    for (const std::string& wanted : options_.with) {
      bool found = false;
      for (std::size_t a = 0; a < algorithm_.arguments.size(); ++a)
        found = found || (argument(a).role == Role::optional_output && argument(a).name == wanted);
      if (!found)
        throw Error(fmt::format("{} has no optional output {}; it has {}", dashed(algorithm_.name), wanted,
                                names.empty() ? "none" : names));
    }
    if (model_.nv() == 0) return;
    const auto needs = [&](const char* output, const char* input) {
      throw Error(fmt::format("{}: {} needs the columns {}0..{}{}", dashed(algorithm_.name), output, input, input,
                              model_.nv() - 1));
    };
    for (std::size_t a = 0; a < algorithm_.arguments.size(); ++a) {
      const std::string_view name = argument(a).name;
      if (!is_output(a) || argument(a).role != Role::optional_output || !is_wanted(a)) continue;
      if ((name == "velocity" || name == "acceleration") && !is_given("v")) needs(argument(a).name, "v");
      if (name == "acceleration" && !is_given("a")) needs("acceleration", "a");
    }
  }

  std::vector<std::string> output_names() const {
    std::vector<std::string> names;
    for (std::size_t a = 0; a < arrays_.size(); ++a)
      if (is_output(a) && is_wanted(a)) {
        const auto columns = output_columns(argument(a), model_, frames_);
        names.insert(names.end(), columns.begin(), columns.end());
      }
    return names;
  }

  /// Number of states read.
  Index read_chunk() {
    Index b = 0;
    for (; b < chunk_ && reader_.next(line_); ++b)
      for (std::size_t c = 0; c < places_.size(); ++c) {
        const Place& place = places_[c];
        if (place.argument == Place::unread) continue;
        arrays_[place.argument][static_cast<std::size_t>(b * count(place.argument) + place.row)] =
            static_cast<T>(line_[c]);
      }
    return b;
  }

  void format_state(Index b) {
    numbers_.clear();
    for (std::size_t a = 0; a < arrays_.size(); ++a)
      if (is_output(a) && !arrays_[a].empty())
        append_output(argument(a), frames_, arrays_[a].data() + b * count(a), count(a), numbers_);
    for (const T x : numbers_) append_field(text_, x);
    end_line(text_);
  }

  void flush(WholeFile& out) {
    out.write({text_.data(), text_.size()});
    text_.clear();
  }

  const EvalOptions& options_;
  const Model& model_;
  const Algorithm& algorithm_;
  std::vector<int> frames_;
  Options settings_;
  CsvReader reader_;
  std::vector<Place> places_;  ///< of every column of the file
  std::vector<double> line_;
  std::vector<std::vector<T>> arrays_;  ///< of every argument, for a chunk of states; empty if left out
  Index chunk_ = 1;
  std::vector<T> numbers_;
  fmt::memory_buffer text_;
  Workspace<T> work_;
};

void check_function(const std::string& name) {
  try {
    find_algorithm(name);
  } catch (const Error&) {
    std::vector<std::string> names;
    for (const Algorithm& algorithm : algorithms()) names.push_back(dashed(algorithm.name));
    throw Error(fmt::format("there is no function \"{}\"{}\nSee tandem list.", name, suggestion(dashed(name), names)));
  }
}

int eval(const EvalOptions& options) {
  check_function(options.function);
  const Model model = options.robot.load();
  if (options.precision == "float")
    Evaluation<float>(options, model).run();
  else
    Evaluation<double>(options, model).run();
  return done;
}

constexpr const char* help =
    R"(Files are CSV with a line of column names, then one state per line. Columns of the input, in any
order: the function's inputs (tandem list) by name and index: q0 q1 ... v0 ... a0 ... tau0 ...;
of difference q0_0 q0_1 ... q1_0 ...; forces on links, all optional, at a link's origin along its
axes: LINK.fx .fy .fz .tx .ty .tz. Any other column is an error, but for q, v, a
and tau of a state that this function does not read.

Columns of the output: vectors a0 a1 ..., tau0 ...; matrices by rows M0_0 M0_1 ..., J0_0 ...;
poses FRAME.x .y .z .qx .qy .qz .qw (w >= 0); velocities FRAME.vx .vy .vz .wx .wy .wz and
accelerations FRAME.ax .ay .az .alphax .alphay .alphaz, if the input has v and a; com.x .y .z;
kinetic, potential. Numbers have 17 digits, in float 9. nan and inf are numbers and stay in their
line. If anything is wrong nothing is written. A robot without joints has a header without columns
and an empty line for each state.

Examples:
  tandem eval inverse-dynamics arm7 --in states.csv --out torques.csv
  tandem eval forward-dynamics humanoid --method crba < states.csv > accelerations.csv
  tandem eval jacobian arm7 --frame tool0 --reference world --in q.csv)";

}  // namespace

void add_eval(CLI::App& app, Action& action) {
  auto options = std::make_shared<EvalOptions>();
  CLI::App* command = add_command(app, "eval", "Evaluate a function of a robot over a file of states", help);
  command
      ->add_option("FUNCTION", options->function,
                   "what to compute: inverse-dynamics, mass-matrix, ...; see tandem list")
      ->type_name("")
      ->required();
  options->robot.add_to(command);
  command->add_option("--in", options->in, "file of states; - is standard input")
      ->type_name("FILE")
      ->capture_default_str();
  command->add_option("--out", options->out, "file to write; - is standard output")
      ->type_name("FILE")
      ->capture_default_str();
  add_precision(command, options->precision);
  command
      ->add_option("--method", options->method,
                   "of forward dynamics: automatic, articulated-body (aba), composite-rigid-body (crba)")
      ->type_name("NAME")
      ->capture_default_str();
  command
      ->add_option("--frame", options->frames,
                   "the frame of a Jacobian; of forward-kinematics, the frames to write (repeat it; default all)")
      ->type_name("NAME")
      ->expected(1)
      ->take_all();
  command
      ->add_option("--reference", options->reference,
                   "axes and point of velocities and Jacobians: local, world, local-world-aligned")
      ->type_name("NAME")
      ->capture_default_str();
  command
      ->add_option("--with", options->with,
                   "optional output to write too: J of centre-of-mass, A of centroidal-momentum")
      ->type_name("NAME")
      ->expected(1)
      ->take_all();
  command->callback([options, &action] { action = [options] { return eval(*options); }; });
}

}  // namespace tandem::cli
