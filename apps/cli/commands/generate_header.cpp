// SPDX-License-Identifier: Apache-2.0
/// tandem generate-header: algorithms as source text for one robot.
#include <fmt/format.h>

#include <memory>

#include "cli.hpp"
#include "files/output.hpp"
#include "tandem/api/source_text.hpp"

namespace tandem::cli {
namespace {

struct HeaderOptions {
  RobotOptions robot;
  std::vector<std::string> functions, with;
  std::string language = "cpp", precision = "double", frame, reference = "local", name, out = "-";
  bool loops = false;
};

int write_header(const HeaderOptions& options) {
  const Model model = options.robot.load();
  SourceText text;
  text.language = from_name<Language>(options.language);
  text.in_float = options.precision == "float";
  if (!options.functions.empty()) text.functions = options.functions;
  text.optional = options.with;
  text.name_space = options.name;
  text.loops = options.loops;
  if (!options.frame.empty()) text.options.frame = model.frame_index(options.frame);
  text.options.reference = from_name<Reference>(options.reference);
  WholeFile out(options.out);
  out.write(write_source_text(model, text));
  out.commit();
  return done;
}

}  // namespace

void add_generate_header(Program& program) {
  auto options = std::make_shared<HeaderOptions>();
  Command command = program.add_command(
      "generate-header", "Generate functions of one robot in C++, C or CUDA C++",
      R"(Straight-line code without loops or arrays, in which all numbers of the robot are constants. It is several
times faster than generic functions, and runs on CPUs and compilers that Tandem does not support. The code does
not depend on Tandem. The default functions are inverse-dynamics, forward-dynamics and mass-matrix; for the list
of functions: tandem list

Examples:
  tandem generate-header arm7 --out arm7.h
  tandem generate-header arm7 --language c --precision float --function gravity-forces --out arm7_in_c.h
  tandem generate-header quadruped --loops --out quadruped.h
  tandem generate-header humanoid --language cuda --function forward-dynamics > humanoid.cu)");
  options->robot.add_to(command);
  command.option("--function", options->functions, "function to write; repeatable", {.type = "NAME", .repeats = true});
  command.option("--language", options->language, values_of<Language>(),
                 {.type = "NAME", .check = one_of({"cpp", "c", "cuda"}), .shows_default = true});
  add_precision(command, options->precision);
  command.option("--with", options->with, "optional argument of the functions: f_ext; repeatable",
                 {.type = "NAME", .repeats = true});
  command.flag("--loops", options->loops,
               "write isomorphic subtrees as loops, which gives shorter code; C++ and C only");
  command.option("--frame", options->frame, "frame of a Jacobian", {.type = "NAME"});
  command.option("--reference", options->reference,
                 "axes and reference point of velocities and Jacobians: " + values_of<Reference>(),
                 {.type = "NAME", .shows_default = true});
  command.option("--name", options->name, "namespace or prefix of the functions (the robot's name)", {.type = "NAME"});
  command.option("--out", options->out, "file to write; - is standard output", {.type = "FILE", .shows_default = true});
  command.does([options] { return write_header(*options); });
}

}  // namespace tandem::cli
