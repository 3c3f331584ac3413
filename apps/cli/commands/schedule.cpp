// SPDX-License-Identifier: Apache-2.0
/// tandem schedule: which processor does what when, in a formulation of inverse dynamics.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>
#include <thread>

#include "cli.hpp"
#include "files/output.hpp"
#include "progress.hpp"
#include "table.hpp"
#include "tandem/api/critical_path.hpp"
#include "tandem/api/schedule.hpp"

namespace tandem::cli {
namespace {

struct Words {
  RobotOptions robot;
  std::string formulation, function, grain = "step", tasks = "library", processors = "best", machine = "transputer";
  std::string scheduler = "earliest-first", topology = "full", gantt, dot;
  double seconds = 1;
  bool json = false, run = false, formulas = false, list_order = false, bisect = false;
};

constexpr Index most_hinges = 1000;

/// What was asked for, and what came out.
struct Result {
  TaskGraph graph;
  MachineModel machine;
  ScheduleOptions options;
  Schedule schedule;
  CriticalPath path;
  ScheduleBounds bounds;
  double one_each = 0;  ///< us, with a processor for every task
  Index tried = 0;      ///< numbers of processors, where the best one was looked for
};

Index number_of(const std::string& text) {
  Index n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < 1)
    throw Error(fmt::format("--processors {}: expected a positive integer, best or links", readable(text)));
  return n;
}

std::string us(double time) { return time < 10 ? fmt::format("{:.3f} us", time) : fmt::format("{:.1f} us", time); }

/// Of ROBOT as a number of hinges; nothing if it is the name of a robot.
std::optional<Index> hinges_of(const Words& words) {
  const std::string& text = words.robot.robot;
  if (text.empty() || !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) return {};
  Index links = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), links);
  if (error != std::errc() || links < 1 || links > most_hinges)
    throw Error(
        fmt::format("ROBOT {}: expected a robot, or a number of hinges from 1 to {}", readable(text), most_hinges));
  const char* needs_a_robot = !words.function.empty()        ? "--function"
                              : words.run                    ? "--run"
                              : words.robot.floating         ? "--floating"
                              : !words.robot.gravity.empty() ? "--gravity"
                                                             : nullptr;
  if (needs_a_robot)
    throw Error(
        fmt::format("{} needs a robot: ROBOT {} is a number of hinges, which only defines tasks", needs_a_robot, text));
  return links;
}

TaskGraph graph_of(const Words& words, const std::optional<Model>& model, Index links) {
  if (words.function.empty()) {
    if (words.grain != "step") throw Error("--grain and --formulation are mutually exclusive");
    const Method formulation = formulation_from_name(words.formulation.empty() ? "recne" : words.formulation);
    if (from_name<TasksOf>(words.tasks) == TasksOf::thesis) {
      if (words.run) throw Error("--run and --tasks thesis are mutually exclusive");
      return model ? printed_graph(formulation, *model) : printed_graph(formulation, links);
    }
    return model ? formulation_graph(formulation, *model) : formulation_graph(formulation, links);
  }
  if (!words.formulation.empty()) throw Error("--formulation and --function are mutually exclusive");
  if (words.tasks != "library") throw Error("--tasks and --function are mutually exclusive");
  return recorded_graph(find_algorithm(words.function), *model, from_name<Grain>(words.grain));
}

/// On the number of processors that serves best, of all or by bisection.
void find_best(const Words& words, Result& r, Index links) {
  std::unique_ptr<Progress> progress;
  double shortest = std::numeric_limits<double>::infinity();
  const ScheduleProgress tell_progress = [&](Index, double length, Index done, Index all) {
    shortest = std::min(shortest, length);
    if (done < 2) return;  // how many numbers there are is known once the first was tried
    if (!progress)
      progress = std::make_unique<Progress>(all, [&](std::int64_t k, double) {
        return fmt::format("{} numbers of processors, {} at best", k, us(shortest));
      });
    progress->update(done);
  };
  BestSchedule best = words.bisect ? bisected_schedule(r.graph, r.machine, r.options, tell_progress)
                                   : best_schedule(r.graph, r.machine, r.options, 4 * links, tell_progress);
  r.options.processors = best.processors;
  r.schedule = std::move(best.schedule);
  r.tried = best.tried;
}

Result made(const Words& words) {
  const std::optional<Index> hinges = hinges_of(words);
  std::optional<Model> model;
  if (!hinges) model = words.robot.load(false);
  const Index links = hinges ? *hinges : model->view<double>().n_links - 1;
  Result r;
  r.graph = graph_of(words, model, links);
  r.machine = machine_model(words.machine);
  if (words.run && !words.function.empty() && words.machine.starts_with("this"))
    r.machine = machine_for(r.machine, find_algorithm(words.function), *model, from_name<Grain>(words.grain));
  r.options.scheduler = from_name<Scheduler>(words.scheduler);
  r.options.topology = from_name<Topology>(words.topology);
  r.options.list_order = words.list_order;
  r.options.seconds = words.seconds;
  r.options.seed = words.robot.seed;
  if (words.bisect && words.processors != "best")
    throw Error(fmt::format("--bisect and --processors {} are mutually exclusive", readable(words.processors)));
  if (words.processors == "best") {
    find_best(words, r, links);
  } else {
    r.options.processors = words.processors == "links" ? links : number_of(words.processors);
    r.schedule = make_schedule(r.graph, r.machine, r.options);
  }
  r.path = critical_path(r.graph, r.machine);
  r.bounds = schedule_bounds(r.graph, r.machine, r.options.processors);
  ScheduleOptions each = r.options;
  each.scheduler = Scheduler::one_each;
  each.list_order = false;
  r.one_each = make_schedule(r.graph, r.machine, each).length;
  return r;
}

std::string title_of(const Result& r) {
  return fmt::format("{}, {} tasks, on {} of {}, {}: {}", r.graph.name, r.graph.tasks.size(),
                     r.options.processors == 1 ? "one processor" : fmt::format("{} processors", r.options.processors),
                     r.machine.name, dashed(to_string(r.options.scheduler)), us(r.schedule.length));
}

void print(const Result& r) {
  fmt::print("{}\n\n", title_of(r));
  const double serial = r.bounds.serial, length = r.schedule.length;
  fmt::print("  on one processor     {}, {:.2f} times as long\n", us(serial), serial / length);
  fmt::print("  longest path         {}: {}\n", us(r.path.time), to_string(r.path.cost));
  fmt::print("  one per task         {}\n", us(r.one_each));
  fmt::print("  bounds               {} to {}\n", us(r.bounds.least), us(r.bounds.most));
  fmt::print("  messages             {}{}\n", r.schedule.messages(),
             r.schedule.optimal ? "; optimal for its mapping" : "");
  if (r.tried > 0) fmt::print("  processors           the best of {} numbers tried\n", r.tried);
  fmt::print("\n");
  Table table({{"processor"},
               {"tasks", Table::Align::right},
               {"computes us", Table::Align::right},
               {"messages us", Table::Align::right},
               {"ends at us", Table::Align::right}});
  for (std::size_t q = 0; q < r.schedule.processors.size(); ++q) {
    const std::vector<Slot>& slots = r.schedule.processors[q];
    double computes = 0, talks = 0;
    for (const Slot& slot : slots) (slot.kind == SlotKind::task ? computes : talks) += slot.end - slot.begin;
    const auto tasks =
        std::count_if(slots.begin(), slots.end(), [](const Slot& s) { return s.kind == SlotKind::task; });
    table.add({std::to_string(q), std::to_string(tasks), fmt::format("{:.2f}", computes), fmt::format("{:.2f}", talks),
               fmt::format("{:.2f}", slots.empty() ? 0.0 : slots.back().end)});
  }
  table.print(stdout, 32);
}

void write_file(const std::string& path, const std::string& text) {
  WholeFile out(path);
  out.write(text);
  out.commit();
}

/// Carries it out in some state.
ScheduleRun ran_once(const Words& words, const Result& r) {
  const Model model = words.robot.load(false);
  if (!words.function.empty())
    return run_schedule(r.schedule, find_algorithm(words.function), model, {}, from_name<Grain>(words.grain));
  const std::vector<double> q = random_configuration(model, words.robot.seed);
  std::vector<double> v(static_cast<std::size_t>(model.nv())), a = v;
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = 0.1 * static_cast<double>(k % 7), a[k] = 1 - v[k];
  return run_schedule(r.schedule, formulation_from_name(r.graph.name), model, q, v, a);
}

/// What was predicted, and what it took.
void print(const Result& r, const ScheduleRun& ran) {
  const unsigned cores = std::thread::hardware_concurrency();
  fmt::print("\nOn threads, median of 1000 rounds; all tasks on one thread: {}{}\n\n", us(ran.serial),
             r.schedule.processors.size() > cores ? fmt::format("; threads share {} cores", cores) : "");
  Table table({{"processor"}, {"predicted us", Table::Align::right}, {"measured us", Table::Align::right}});
  for (std::size_t k = 0; k < ran.finished.size(); ++k) {
    const std::vector<Slot>& slots = r.schedule.processors[k];
    table.add({std::to_string(k), fmt::format("{:.3f}", slots.empty() ? 0.0 : slots.back().end),
               fmt::format("{:.3f}", ran.finished[k])});
  }
  table.print(stdout, 32);
}

/// Longest paths as formulas, those of a formulation or of all.
void print_formulas(const Words& words) {
  const std::optional<Index> hinges = hinges_of(words);
  const Index links = hinges ? *hinges : words.robot.load(false).view<double>().n_links - 1;
  if (links < 1) throw Error("--critical-path: expected a robot with 1 link or more");
  std::vector<Method> chosen;
  if (!words.formulation.empty())
    chosen = {formulation_from_name(words.formulation)};
  else
    for (const Named& row : formulations()) chosen.push_back(from_name<Method>(row.name));
  Table table({{"formulation"}, {"tasks"}, {"longest path of n links"}, {fmt::format("of {}", links)}});
  for (const Method formulation : chosen) {
    const auto add = [&](const char* tasks, const CostFormula& formula, const std::string& text, bool holds = true) {
      table.add({to_string(formulation), tasks, text, holds ? to_string(formula.of(links)) : ""});
    };
    const CostFormula printed = printed_critical_path(formulation, links);
    add("table 2.7", printed, to_string(printed));
    for (const TasksOf tasks : {TasksOf::thesis, TasksOf::library})
      for (const PathFormula& piece : critical_path_formulas(formulation, tasks))
        add(tasks == TasksOf::thesis ? "of the thesis" : "of the library", piece.cost, to_string(piece),
            std::find(piece.links.begin(), piece.links.end(), links) != piece.links.end());
    if (formulation == Method::resne)
      add("Hashimoto, Kimura", hashimoto_critical_path(), to_string(hashimoto_critical_path()));
  }
  table.print(stdout, 200);
  fmt::print(
      "\nlg is the logarithm to base 2, rounded up. Formulas are fitted to the longest paths of 1 to 10 links by times "
      "of "
      "a\ntransputer. Assignments are not counted, as in table 2.7.\n");
  if (std::find(chosen.begin(), chosen.end(), Method::recneb) == chosen.end()) return;
  fmt::print("For recneb, table 2.7 has the longest task of every kind instead of a path:\n\n");
  for (const Phase& phase : recneb_phases()) fmt::print("  {:<38}{}\n", phase.what, to_string(phase.cost));
}

int schedule(const Words& words) {
  if (words.formulas) {
    if (words.json || words.run || words.list_order || words.bisect || !words.function.empty() ||
        !words.gantt.empty() || !words.dot.empty())
      throw Error(
          "--critical-path excludes --function, --run, --gantt, --dot, "
          "--list-order, --bisect or --json");
    print_formulas(words);
    return done;
  }
  if (!words.gantt.empty() && !words.gantt.ends_with(".svg"))
    throw Error(fmt::format("--gantt {}: expected a name that ends in .svg", readable(words.gantt)));
  if (words.run && words.json) throw Error("--run and --json are mutually exclusive");
  const Result r = made(words);
  const ScheduleRun ran = words.run ? ran_once(words, r) : ScheduleRun();
  if (!words.gantt.empty()) write_file(words.gantt, gantt_svg(r.schedule, r.graph, title_of(r)));
  if (!words.dot.empty()) write_file(words.dot, dot_text(r.graph, r.path.tasks));
  if (words.json)
    fmt::print("{}\n", schedule_json(r.schedule, r.graph, r.machine, r.options));
  else
    print(r);
  if (words.run) print(r, ran);
  return done;
}

}  // namespace

void add_schedule(Program& program) {
  auto words = std::make_shared<Words>();
  Command command = program.add_command(
      "schedule", "Schedule the tasks of inverse dynamics on processors",
      R"(A formulation is a graph of tasks. A schedule assigns tasks to processors, with start times and messages. The
robot is a chain of joints with one degree of freedom, or a number of hinges; with --function any robot.
Times are those of a machine: the one of the thesis, this one, or one described by a .json file.

Examples:
  tandem schedule chain:6 --formulation resne --processors 5
  tandem schedule 3 --formulation resne --tasks thesis --processors 3
  tandem schedule arm6 --formulation recle --scheduler annealing --seconds 5 --gantt recle.svg
  tandem schedule chain:8 --formulation resne --machine this --processors 2 --run
  tandem schedule chain:3 --dot recne.dot && dot -Tsvg recne.dot > recne.svg)");
  words->robot.add_to(command);
  command.option("--formulation", words->formulation, listed(formulations()) + " (recne)", {.type = "NAME"});
  command.option("--function", words->function, "schedule this function instead; see tandem list", {.type = "NAME"});
  command.option("--grain", words->grain, "tasks of a function: step (one link in one pass) or operation",
                 {.type = "NAME", .shows_default = true});
  command.option("--tasks", words->tasks,
                 "tasks of a formulation: library (as implemented) or thesis (as in its tables)",
                 {.type = "NAME", .shows_default = true});
  command.option("--processors", words->processors, "number of processors; best tries all, links is one per link",
                 {.type = "N", .shows_default = true});
  command.option(
      "--machine", words->machine,
      "transputer; this, this-processes, this-lanes or gpu (warps of a thread block), from `tandem tune` or\nmeasured "
      "now; or a .json file",
      {.type = "NAME", .shows_default = true});
  command.option("--scheduler", words->scheduler,
                 "earliest-first, earliest-first-append, critical-path, largest-first, level-and-messages, annealing,\n"
                 "fixed-links, backtracking, duplication or one-each",
                 {.type = "NAME", .shows_default = true});
  command.flag(
      "--list-order", words->list_order,
      "among tasks that can begin at the same time choose the first in the list, not the one with the\nlongest path; "
      "for earliest-first, earliest-first-append and duplication");
  command.flag("--bisect", words->bisect, "search the number of processors by bisection (Kwan)");
  command.option("--topology", words->topology, "full, chain, ring, grid or tree",
                 {.type = "NAME", .shows_default = true});
  command.option("--seconds", words->seconds, "time limit of annealing, fixed-links and backtracking",
                 {.type = "T", .check = number_from_zero(), .shows_default = true});
  command.option("--gantt", words->gantt, "Gantt chart to write (.svg)", {.type = "FILE"});
  command.option("--dot", words->dot, "task graph to write, for Graphviz", {.type = "FILE"});
  command.flag(
      "--run", words->run,
      "run the schedule with one thread per processor, and compare with the prediction; a function runs\noperation "
      "by operation");
  command.flag("--critical-path", words->formulas,
               "print longest paths as formulas in the number of links, with those of the thesis");
  command.flag("--json", words->json, "print JSON with tasks and schedule");
  command.does([words] { return schedule(*words); });
}

}  // namespace tandem::cli
