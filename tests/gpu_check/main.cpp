// SPDX-License-Identifier: Apache-2.0
/// Compares the CUDA driver with the processor and measures it; see scripts/gpu_check.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

#include "block.hpp"
#include "functions.hpp"
#include "compare.hpp"
#include "contacts.hpp"
#include "generated.hpp"
#include "graph.hpp"
#include "links.hpp"
#include "rates.hpp"
#include "results.hpp"
#include "rollouts.hpp"
#include "scan_rate.hpp"
#include "tandem/api/cuda.hpp"
#include "tandem/error.hpp"

namespace tandem::gpu_check {
namespace {

constexpr const char* usage =
    "Usage: gpu_check --out FILE [--only SECTION[,SECTION...]] [--robot NAME=URDF[+floating]]... [--seconds N]\n"
    "                 [--units TEXT] [--host] [--no-fork] [--note NAME=TEXT]...\n"
    "\n"
    "  --out FILE        results, a JSON object a line, each written as soon as it is known\n"
    "  --only SECTIONS   compare,rates,links,robot,step: all of them, in this order\n"
    "  --robot ROBOT     a robot to be measured, in place of a chain of 7 links and a humanoid of 28 joints\n"
    "  --seconds N       that all sections may take together, shared as their own times are; comparisons 120, rates "
    "100, links 110,\n"
    "                    robot 60, step 60\n"
    "  --units TEXT      those units alone whose names have this text in them\n"
    "  --host            run the threads of the GPU on the processor, to try the program itself\n"
    "  --no-fork         one process for everything, for debuggers and sanitizers\n"
    "  --note NAME=TEXT  put into the first row\n";

struct Arguments {
  std::string out, units, only = "compare,rates,links,robot,step";
  std::vector<std::string> robots;
  std::map<std::string, std::string> notes;
  double seconds = 0;
  bool on_host = false, fork = true;
};

bool parse(int count, char** words, Arguments& a) {
  for (int k = 1; k < count; ++k) {
    const std::string word = words[k];
    if (word == "--host")
      a.on_host = true;
    else if (word == "--no-fork")
      a.fork = false;
    else if (k + 1 == count)
      return false;
    else if (const std::string value = words[++k]; word == "--out")
      a.out = value;
    else if (word == "--only")
      a.only = value;
    else if (word == "--units")
      a.units = value;
    else if (word == "--robot")
      a.robots.push_back(value);
    else if (word == "--seconds")
      a.seconds = std::atof(value.c_str());
    else if (word == "--note" && value.find('=') != std::string::npos)
      a.notes[value.substr(0, value.find('='))] = value.substr(value.find('=') + 1);
    else
      return false;
  }
  return !a.out.empty();
}

void write_context(const Arguments& a) {
  Row row;
  if (a.on_host) {
    row.add("device", "the threads on the processor, one after the other");
  } else {
    const cuda::DeviceInfo device = cuda::device();
    std::printf("%s, compute capability %d.%d, %d multiprocessors, %.1f GiB\n", device.name.c_str(), device.major,
                device.minor, device.multiprocessors, static_cast<double>(device.memory) / (1 << 30));
    row.add("device", device.name).add("compute_capability", device.major + device.minor / 10.0);
    row.add("multiprocessors", static_cast<double>(device.multiprocessors));
    row.add("memory", static_cast<double>(device.memory)).add("driver_cuda", static_cast<double>(device.driver));
    row.add("toolkit", static_cast<double>(device.runtime));
  }
  for (const auto& [name, text] : a.notes) row.add(name.c_str(), text);
  write_row("context", row);
}

void write_kernels() {
  for (const cuda::KernelInfo& k : cuda::kernels())
    write_row("kernels", Row().add("algorithm", k.algorithm).add("precision", k.precision).add("joints", k.joints)
                             .add("varied", k.varied).add("threads", static_cast<double>(k.threads))
                             .add("registers", static_cast<double>(k.registers))
                             .add("local_memory", static_cast<double>(k.local_memory))
                             .add("resident", static_cast<double>(k.resident)));
}

/// The sections by their names. The robots must outlive them.
std::vector<Section> sections(const std::vector<Robot>& compared, const std::vector<Robot>& timed, const Arguments& a) {
  Section compare = {"compare", 120, 10, {}}, rates = {"rates", 100, 1, {}}, links = {"links", 110, 1, {}},
          robot = {"robot", 60, 1, {}}, step = {"step", 60, 1, {}};
  const bool here = a.on_host;
  if (!here) {
    // those that take the processor longest come first
    add_functions(compared, compare.units);
    add_divided(compare.units);
    add_rollout_checks(compared, compare.units);
    add_contact_checks(compare.units);
    for (const Robot& robot : timed) add_generated_checks(robot, compare.units);
    add_generated_checks(compared[4], compare.units);  // a joint of every type
    add_graphs(compared, compare.units);
  }
  add_comparisons(compared, here, compare.units);
  add_rates(timed, here, rates.units);
  if (!here) {
    rates.units.push_back({"registers of kernels", write_kernels});
    add_divided_rates(links.units);
    add_papers(links.units);
    add_paper_batches(links.units);
    links.units.push_back({"scans", measure_scans});
    add_generated_rates(timed, robot.units);
    robot.units.push_back({"a block", measure_block});
    add_rollout_rates(timed, step.units);
    add_contact_rates(step.units);
    add_derivative_rates(timed, step.units);
  }
  return {compare, rates, links, robot, step};
}

int run(const Arguments& a) {
  std::vector<Robot> compared = robots(), timed = robots_of_files(a.robots);
  if (timed.empty()) timed = {compared[0], compared[1]};
  open_results(a.out);
  // CUDA does not survive a fork: this process never uses it
  Section first = {"context", 60, 1, {{"context", [&] { write_context(a); }}}};
  run_section(first, a.fork);
  if (failures() > 0) return 1;
  std::vector<Section> all = sections(compared, timed, a);
  double wanted = 0;
  std::vector<Section*> chosen;
  std::istringstream names(a.only);
  for (std::string name; std::getline(names, name, ',');) {
    Section* found = nullptr;
    for (Section& section : all)
      if (section.name == name) found = &section;
    if (!found)
      throw Error("--only: there is no section " + name + "; sections are compare, rates, links, robot and step");
    chosen.push_back(found);
    wanted += found->seconds;
  }
  for (Section* const section : chosen) {
    if (a.seconds > 0) section->seconds *= a.seconds / wanted;
    std::erase_if(section->units, [&](const Unit& unit) { return unit.name.find(a.units) == std::string::npos; });
    run_section(*section, a.fork);
  }
  std::printf("\n%d failures\n", failures());
  return failures() > 0 ? 1 : 0;
}

}  // namespace
}  // namespace tandem::gpu_check

int main(int count, char** words) {
  tandem::gpu_check::Arguments arguments;
  if (!tandem::gpu_check::parse(count, words, arguments)) {
    std::fputs(tandem::gpu_check::usage, stderr);
    return 2;
  }
  try {
    return tandem::gpu_check::run(arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
