// SPDX-License-Identifier: Apache-2.0
/// Contacts of a run.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli.hpp"
#include "tandem/tandem.hpp"

namespace tandem::cli {

/// What can touch, and lines of the summary that say what does not.
struct ContactsOfRun {
  std::optional<ContactSet> set;
  std::string text;
};

/// Adds the option --contacts.
void add_contacts(Command& command, std::string& contacts);

/// Of a robot that is simulated with these settings; `contacts` is the option. Throws Error for settings that do not
/// serve them.
ContactsOfRun contacts_of(const std::string& contacts, const Model& model, const SimulationOptions& settings);

/// The name of the initial configuration that no option gives: of a robot that touches something, where its file puts
/// it; else `otherwise`.
std::string start_name(const Model& model, bool touches, const char* otherwise);

/// Links with shapes of pairs, but the base.
std::vector<int> links_that_touch(const ContactSet& set);

/// A line of the summary; empty without contacts.
std::string summary(const ContactTally& tally);

}  // namespace tandem::cli
