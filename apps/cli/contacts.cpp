// SPDX-License-Identifier: Apache-2.0
#include "contacts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

#include "progress.hpp"

namespace tandem::cli {
namespace {

std::string counted(std::size_t pairs) {
  return fmt::format("{} {}", grouped(static_cast<double>(pairs)), pairs == 1 ? "pair" : "pairs");
}

/// Whether a file of MuJoCo says what touches.
bool is_described(const Model& model) {
  return !contact_settings(model).integrator.empty() && !contact_shapes(model).empty();
}

void check_contacts(const SimulationOptions& settings) {
  const auto refuse = [](const std::string& why) { throw Error(why + "; --contacts off simulates without contacts"); };
  if (settings.integrator == Integrator::implicit_midpoint)
    refuse(fmt::format("contacts are simulated by semi_implicit_euler and rk4, and the integrator is {}",
                       to_string(settings.integrator)));
  if (const Method method = settings.dynamics.method; method != Method::automatic && method != Method::articulated_body)
    refuse(fmt::format("contacts are solved by articulated_body, and the method is {}", to_string(method)));
  if (settings.specialise == Specialise::on || settings.specialise == Specialise::wait)
    refuse(fmt::format("contacts are not compiled for a robot, and specialise is {}", to_string(settings.specialise)));
}

}  // namespace

void add_contacts(Command& command, std::string& contacts) {
  command.option("--contacts", contacts,
                 "whether links touch the base and each other: auto (if an MJCF file describes shapes), on or off",
                 {.type = "MODE", .check = one_of({"auto", "on", "off"}), .shows_default = true});
}

std::string start_name(const Model& model, bool touches, const char* otherwise) {
  for (const char* name : {"home", "qpos0"})
    if (touches && model.find_configuration(name) >= 0) return name;
  return touches ? "neutral" : otherwise;
}

ContactsOfRun contacts_of(const std::string& contacts, const Model& model, const SimulationOptions& settings) {
  ContactsOfRun run;
  const bool described = is_described(model);
  if (contacts == "off" || (contacts == "auto" && !described)) {
    if (described) run.text = "  contacts   off\n";
    return run;
  }
  const ContactSet set(model, {.leave_out = true});
  const std::size_t pairs = set.pairs().size(),
                    ground = ContactSet(model, {.self_contact = false, .leave_out = true}).pairs().size();
  run.text = fmt::format("  contacts   {} of a link with the base, {} of two links{}\n", counted(ground),
                         counted(pairs - ground), set.finds_pairs() ? ", and those found in every state" : "");
  for (const std::string& problem : set.problems())
    fmt::format_to(std::back_inserter(run.text), "             NOT simulated: {}\n", problem);
  const auto held = static_cast<std::size_t>(model.n_loops());
  for (const auto& [n, what, more] : {std::tuple{tendons(model).size(), "tendon", ""},
                                      {held, "loop joint", ", held by springs and dampers"},
                                      {couplers(model).size(), "coupler", ""}})
    if (n > 0)
      fmt::format_to(std::back_inserter(run.text), "             {} {}{}{}\n", n, what, n == 1 ? "" : "s", more);
  if (pairs > 0 || set.finds_pairs() || held > 0 || !tendons(model).empty() || !couplers(model).empty()) {
    check_contacts(settings);
    run.set = set;
  } else if (contacts == "on") {
    throw Error(fmt::format("--contacts on: no two shapes of {} can touch; tandem info lists them", model.name()));
  }
  return run;
}

std::vector<int> links_that_touch(const ContactSet& set) {
  std::vector<int> links;
  for (const ContactPair& pair : set.pairs())
    for (const int shape : {pair.shape_1, pair.shape_2})
      links.push_back(contact_shapes(set.model())[static_cast<std::size_t>(shape)].link);
  for (const ContactShape& shape : contact_shapes(set.model()))
    if (set.finds_pairs() && (shape.contype != 0 || shape.conaffinity != 0)) links.push_back(shape.link);
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
  std::erase(links, 0);
  return links;
}

std::string summary(const ContactTally& tally) {
  if (tally.solutions == 0 && tally.dropped == 0) return "";
  const double solutions = std::max(1.0, static_cast<double>(tally.solutions));
  std::string text = fmt::format("             {:.6g} J, by contacts; {:.3g} Newton steps in a step", tally.taken,
                                 static_cast<double>(tally.steps) / solutions);
  if (tally.not_converged > 0)
    text += fmt::format("; {} solutions did not converge", grouped(static_cast<double>(tally.not_converged)));
  if (tally.dropped > 0)
    text += fmt::format("\n             {} contacts were beyond the room of a robot on the GPU, which then diverged",
                        grouped(static_cast<double>(tally.dropped)));
  return text + "\n";
}

}  // namespace tandem::cli
