// SPDX-License-Identifier: Apache-2.0
/// Compares the CUDA driver with the processor and measures it; see scripts/gpu_check.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <utility>

#include "block.hpp"
#include "budget.hpp"
#include "compare.hpp"
#include "functions.hpp"
#include "generated.hpp"
#include "graph.hpp"
#include "links.hpp"
#include "rates.hpp"
#include "rollouts.hpp"
#include "scan_rate.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::gpu_check {
namespace {

std::string number(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", x);
  return x - x == 0 ? text : "null";  // JSON knows no NaN
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text)
    if (c == '"' || c == '\\')
      result += {'\\', c};
    else if (static_cast<unsigned char>(c) >= 0x20)
      result += c;
  return result + '"';
}

/// One JSON object in a line.
class Row {
 public:
  Row& add(const char* name, const std::string& value) { return raw(name, quoted(value)); }
  Row& add(const char* name, double value) { return raw(name, number(value)); }
  Row& add(const char* name, bool value) { return raw(name, value ? "true" : "false"); }
  std::string text() const { return "{" + text_ + "}"; }
  /// As it was written.
  static Row of(const std::string& object) {
    Row row;
    row.text_ = object.substr(1, object.size() - 2);
    return row;
  }

 private:
  Row& raw(const char* name, const std::string& value) {
    text_ += (text_.empty() ? "" : ", ") + quoted(name) + ": " + value;
    return *this;
  }
  std::string text_;
};

/// A JSON object a line.
std::vector<Row> rows_of_file(const std::string& name) {
  std::vector<Row> rows;
  std::ifstream file(name);
  for (std::string line; std::getline(file, line);)
    if (line.size() > 2 && line.front() == '{' && line.back() == '}') rows.push_back(Row::of(line));
  return rows;
}

void write_list(std::FILE* file, const char* name, const std::vector<Row>& rows, bool last = false) {
  std::fprintf(file, " \"%s\": [", name);
  for (std::size_t k = 0; k < rows.size(); ++k) std::fprintf(file, "%s\n  %s", k ? "," : "", rows[k].text().c_str());
  std::fprintf(file, "\n ]%s\n", last ? "" : ",");
}

std::vector<Row> rows_of(const std::vector<Comparison>& comparisons) {
  std::vector<Row> rows;
  for (const Comparison& c : comparisons) {
    Row row;
    row.add("robot", c.robot).add("algorithm", c.algorithm).add("precision", c.precision);
    if (!c.method.empty()) row.add("method", c.method);
    row.add("batch", static_cast<double>(c.batch)).add("all_arguments", c.all_arguments);
    row.add("worst_share_of_tolerance", c.worst).add("same_bits_as_processor", c.same_bits);
    row.add("depends_on_place_in_batch", static_cast<double>(c.not_repeated));
    row.add("depends_on_memory", static_cast<double>(c.other_ways)).add("passed", c.passed());
    rows.push_back(row);
  }
  return rows;
}

std::vector<Row> rows_of(const std::vector<Rate>& rates) {
  std::vector<Row> rows;
  for (const Rate& r : rates) {
    Row row;
    row.add("robot", r.robot).add("algorithm", r.algorithm).add("precision", r.precision);
    row.add("batch", static_cast<double>(r.batch));
    if (r.kernel > 0) row.add("states_per_second", r.kernel).add("best", r.fastest);
    if (r.states_first > 0) row.add("states_first", r.states_first);
    if (r.from_host > 0) row.add("from_host", r.from_host);
    if (r.from_locked > 0) row.add("from_page_locked", r.from_locked);
    if (r.one_core > 0) row.add("one_core", r.one_core);
    rows.push_back(row);
  }
  return rows;
}

std::vector<Row> rows_of(const std::vector<DividedRobot>& robots) {
  std::vector<Row> rows;
  for (const DividedRobot& r : robots) {
    Row row;
    row.add("robot", r.robot).add("algorithm", r.algorithm).add("precision", r.precision).add("method", r.method);
    row.add("links", static_cast<double>(r.links)).add("batch", static_cast<double>(r.batch));
    row.add("all_arguments", r.all_arguments).add("error", r.error).add("serial_error", r.serial);
    row.add("not_repeated", static_cast<double>(r.not_repeated)).add("passed", r.passed);
    rows.push_back(row);
  }
  return rows;
}

std::vector<Row> rows_of(const std::vector<DividedRate>& rates) {
  std::vector<Row> rows;
  for (const DividedRate& r : rates) {
    Row row;
    row.add("robot", r.robot).add("algorithm", r.algorithm).add("precision", r.precision).add("method", r.method);
    row.add("links", static_cast<double>(r.links)).add("batch", static_cast<double>(r.batch));
    row.add("seconds", r.seconds).add("best", r.fastest);
    if (r.one_core > 0) row.add("serial_on_one_core", r.one_core);
    rows.push_back(row);
  }
  return rows;
}

std::vector<Row> rows_of(const std::vector<GeneratedCheck>& checks) {
  std::vector<Row> rows;
  for (const GeneratedCheck& c : checks) {
    Row row;
    row.add("robot", c.robot).add("algorithm", c.algorithm).add("precision", c.precision);
    row.add("seconds", c.seconds).add("served_by", c.served_by).add("different_bits", c.different_bits);
    rows.push_back(row);
  }
  return rows;
}

std::vector<Row> rows_of(const std::vector<GeneratedRate>& rates) {
  std::vector<Row> rows;
  for (const GeneratedRate& r : rates) {
    Row row;
    row.add("robot", r.robot).add("algorithm", r.algorithm).add("precision", r.precision);
    row.add("batch", static_cast<double>(r.batch)).add("states_per_second", r.generated);
    row.add("states_first", r.states_first).add("every_robot", r.every_robot);
    if (r.straight > 0) row.add("operations", r.operations).add("thread_a_state", r.straight);
    if (r.by_limbs > 0) row.add("warp_a_limb", r.by_limbs);
    rows.push_back(row);
  }
  return rows;
}

std::vector<Row> rows_of(const std::vector<RolloutCheck>& checks) {
  std::vector<Row> rows;
  for (const RolloutCheck& r : checks) {
    Row row;
    row.add("robot", r.robot).add("precision", r.precision).add("instances", static_cast<double>(r.instances));
    row.add("steps", static_cast<double>(r.steps)).add("different", static_cast<double>(r.different));
    if (r.steps_per_second > 0) row.add("steps_per_second", r.steps_per_second).add("best", r.best);
    rows.push_back(row.add("passed", r.passed));
  }
  return rows;
}

std::vector<Row> rows_of(const std::vector<BlockTimes>& blocks) {
  std::vector<Row> rows;
  for (const auto& [machine, clock] : blocks) {
    Row row;
    row.add("name", machine.name).add("origin", machine.origin).add("megahertz", clock.megahertz);
    row.add("multiplication", machine.multiplication).add("addition", machine.addition);
    row.add("trigonometric", machine.trigonometric).add("assignment", machine.assignment).add("task", machine.task);
    row.add("send", machine.send.fixed).add("send_each", machine.send.each);
    row.add("travel", machine.travel.fixed).add("travel_each", machine.travel.each);
    row.add("receive", machine.receive.fixed).add("receive_each", machine.receive.each);
    rows.push_back(row.add("barrier", clock.barrier_us));
  }
  return rows;
}

std::vector<Row> rows_of(const std::vector<ScanRate>& scans) {
  std::vector<Row> rows;
  for (const ScanRate& s : scans) {
    Row row;
    row.add("elements", static_cast<double>(s.elements)).add("of", s.of).add("precision", s.precision);
    row.add("seconds", s.seconds).add("elements_in_10_ms", s.in_10_ms()).add("passed", s.passed);
    rows.push_back(row);
  }
  return rows;
}

std::vector<Row> rows_of(const std::vector<FunctionCheck>& checks) {
  std::vector<Row> rows;
  for (const FunctionCheck& c : checks) {
    Row row;
    row.add("robot", c.robot).add("algorithm", c.algorithm).add("precision", c.precision);
    if (!c.method.empty()) row.add("method", c.method);
    row.add("varied", c.varied).add("worst_share_of_tolerance", c.worst).add("same_bits_as_processor", c.same_bits);
    row.add("wrong_status", static_cast<double>(c.wrong_status)).add("passed", c.passed());
    rows.push_back(row);
  }
  return rows;
}

std::vector<Row> rows_of(const std::vector<Budget::Section>& sections) {
  std::vector<Row> rows;
  std::printf("\n");
  for (const Budget::Section& s : sections) {
    std::printf("%-40s %6.1f s\n", s.name.c_str(), s.seconds);
    rows.push_back(Row().add("section", s.name).add("seconds", s.seconds));
  }
  return rows;
}
std::vector<Row> rows_left_out() {
  std::vector<Row> rows;
  for (const std::string& row : Budget::get().left_out()) rows.push_back(Row().add("row", row));
  if (!rows.empty()) std::printf("%zu rows were left out for want of time; the results name them\n", rows.size());
  return rows;
}

std::vector<Row> kernel_rows() {
  std::vector<Row> rows;
  std::printf("%-30s %-7s %-14s %9s %21s %16s\n", "kernel", "", "joints", "registers", "local memory (bytes)",
              "threads at a time");
  for (const cuda::KernelInfo& k : cuda::kernels()) {
    const std::string joints =
        std::string(k.joints) + (k.varied ? ", varied" : "") + (k.threads > 1 ? " x " + std::to_string(k.threads) : "");
    std::printf("%-30s %-7s %-14s %9d %21zu %16lld\n", k.algorithm, k.precision, joints.c_str(), k.registers,
                k.local_memory, static_cast<long long>(k.resident));
    Row row;
    row.add("algorithm", k.algorithm).add("precision", k.precision).add("joints", k.joints).add("varied", k.varied);
    row.add("threads", static_cast<double>(k.threads)).add("registers", static_cast<double>(k.registers));
    row.add("local_memory", static_cast<double>(k.local_memory)).add("resident", static_cast<double>(k.resident));
    rows.push_back(row);
  }
  return rows;
}

constexpr const char* usage =
    "Usage: gpu_check [--host] --out FILE [--driver TEXT] [--commit TEXT] [--date TEXT] [--compiler-report FILE]\n"
    "                 [--seconds N] [--rivals FILE]\n"
    "\n"
    "  --host                  run the threads of the GPU on the processor, to try the comparison itself\n"
    "  --out FILE              where to write the results, as JSON\n"
    "  --driver, --commit, --date TEXT   noted in the results\n"
    "  --compiler-report FILE  JSON list of what the compiler reports, put into the results\n"
    "  --rivals FILE           rates of other libraries, a JSON object a line, put into the results\n"
    "  --seconds N             that it may take: rows of rates are left out, and named, once that is used up\n";

int run(const std::map<std::string, std::string>& options) {
  const auto option = [&](const char* name) { return options.count(name) ? options.at(name) : std::string(); };
  const bool on_host = options.count("--host") > 0;
  Row context;
  std::vector<Row> kernels;
  if (on_host) {
    context.add("device", "the threads on the processor, one after the other");
  } else {
    const cuda::DeviceInfo device = cuda::device();
    std::printf("%s, compute capability %d.%d, %d multiprocessors, %.1f GiB\n\n", device.name.c_str(), device.major,
                device.minor, device.multiprocessors, static_cast<double>(device.memory) / (1 << 30));
    context.add("device", device.name).add("compute_capability", device.major + device.minor / 10.0);
    context.add("multiprocessors", static_cast<double>(device.multiprocessors));
    context.add("memory", static_cast<double>(device.memory)).add("driver", option("--driver"));
    context.add("driver_cuda", static_cast<double>(device.driver)).add("toolkit", static_cast<double>(device.runtime));
    kernels = kernel_rows();
    std::printf("\n");
  }
  context.add("commit", option("--commit")).add("date", option("--date"));

  Budget& budget = Budget::get();
  if (options.count("--seconds")) budget.limit(std::atof(options.at("--seconds").c_str()));
  const std::vector<Robot> all = robots();
  std::vector<Robot> with_those_of_user = robots_of_user();
  with_those_of_user.insert(with_those_of_user.end(), all.begin(), all.end());
  budget.begin("comparisons of three functions", 1);
  std::function<Generated()> check_generated;
  if (!on_host) check_generated = begin_generated(with_those_of_user);
  const std::vector<Comparison> comparisons = compare_all(all, on_host);
  std::printf("\n");
  budget.begin("comparisons of all functions", 1);
  const std::vector<FunctionCheck> functions = on_host ? std::vector<FunctionCheck>() : check_functions(all);
  std::printf("\n");
  const std::string graph = on_host ? "" : check_graph();
  if (!on_host) std::printf("CUDA graph: %s\n\n", graph.empty() ? "as calls" : ("FAILED: " + graph).c_str());
  std::vector<DividedRobot> divided;
  if (!on_host) {
    budget.begin("comparisons of divided robots", 1);
    std::printf("One robot divided\n");
    divided = compare_divided();
    std::printf("\n");
  }
  std::vector<Robot> timed = with_those_of_user;
  for (Robot& robot : robots_of_papers()) timed.push_back(std::move(robot));
  Generated generated;
  if (!on_host) {
    budget.begin("kernels for one robot", 0.3);
    generated = check_generated();
    std::printf("\n");
  }
  budget.begin("rates", 0.5);
  const std::vector<Rate> rates = measure_all(timed, on_host);
  std::vector<DividedRate> divided_rates;
  std::vector<ScanRate> scans;
  std::vector<RolloutCheck> rollouts;
  std::vector<BlockTimes> blocks;
  if (!on_host) {
    budget.begin("a block as a machine", 0.1);
    blocks.push_back(measure_block());
    budget.begin("rollouts", 0.3);
    rollouts = check_rollouts(all);
    budget.begin("rates of scans", 0.3);
    scans = measure_scans();
    budget.begin("rates of divided robots", 1);
    std::printf("\nOne robot divided\n");
    divided_rates = measure_divided();
  }

  std::FILE* const file = std::fopen(option("--out").c_str(), "w");
  if (!file) throw Error("cannot write " + option("--out"));
  std::ifstream report(option("--compiler-report"));
  std::string reported((std::istreambuf_iterator<char>(report)), std::istreambuf_iterator<char>());
  if (reported.empty()) reported = "[]\n";
  std::fprintf(file, "{\n \"context\": %s,\n \"compiler_report\": %s,\n", context.text().c_str(),
               reported.substr(0, reported.find_last_not_of('\n') + 1).c_str());
  write_list(file, "kernels", kernels);
  write_list(file, "comparisons", rows_of(comparisons));
  std::fprintf(file, " \"graph\": %s,\n", quoted(on_host ? "not run" : graph.empty() ? "as calls" : graph).c_str());
  write_list(file, "functions", rows_of(functions));
  write_list(file, "rates", rows_of(rates));
  write_list(file, "generated", rows_of(generated.checks));
  write_list(file, "generated_rates", rows_of(generated.rates));
  write_list(file, "divided", rows_of(divided));
  write_list(file, "divided_rates", rows_of(divided_rates));
  write_list(file, "scans", rows_of(scans));
  write_list(file, "rollouts", rows_of(rollouts));
  write_list(file, "blocks", rows_of(blocks));
  write_list(file, "rivals", rows_of_file(option("--rivals")));
  write_list(file, "left_out", rows_left_out());
  write_list(file, "sections", rows_of(budget.sections()), true);
  std::fprintf(file, "}\n");
  if (std::fclose(file) != 0) throw Error("cannot write " + option("--out"));
  for (const Comparison& c : comparisons)
    if (!c.passed()) return 1;
  for (const GeneratedCheck& c : generated.checks)
    if (!c.passed()) return 1;
  for (const DividedRobot& robot : divided)
    if (!robot.passed) return 1;
  for (const ScanRate& scan : scans)
    if (!scan.passed) return 1;
  for (const RolloutCheck& r : rollouts)
    if (!r.passed) return 1;
  for (const FunctionCheck& c : functions)
    if (!c.passed()) return 1;
  return graph.empty() ? 0 : 1;
}

}  // namespace
}  // namespace tandem::gpu_check

int main(int count, char** words) {
  std::map<std::string, std::string> options;
  for (int k = 1; k < count; ++k) {
    const std::string word = words[k];
    const bool known = word == "--out" || word == "--driver" || word == "--seconds" || word == "--rivals" ||
                       word == "--commit" || word == "--date" || word == "--compiler-report";
    if (word == "--host") {
      options[word] = "";
    } else if (known && k + 1 < count) {
      options[word] = words[++k];
    } else {
      std::fputs(tandem::gpu_check::usage, stderr);
      return 2;
    }
  }
  if (!options.count("--out")) {
    std::fputs(tandem::gpu_check::usage, stderr);
    return 2;
  }
  setenv("TANDEM_CACHE_DIR", "", 1);  // what takes long is to be timed
  try {
    return tandem::gpu_check::run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
