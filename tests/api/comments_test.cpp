// SPDX-License-Identifier: Apache-2.0
/// What the reference says of an enumeration's values, the comments behind them, is what the table of their names says.
#include <gtest/gtest.h>

#include <fstream>

#include "tandem/api/contact_dynamics.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/api/source_text.hpp"
#include "tandem/model/shapes.hpp"

namespace tandem {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// The comment behind a value, "" if there is none.
std::string comment_of(const std::string& header, const std::string& enumeration, const std::string& value) {
  std::ifstream file(std::string(TANDEM_SOURCE_DIR) + "/include/tandem/" + header);
  bool inside = false;
  std::string found;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("enum class " + enumeration + " ")) inside = true;
    if (inside && line.starts_with("}")) break;
    if (!inside) continue;
    const std::size_t comment = line.find("///<");
    std::string before = trimmed(line.substr(0, comment));
    if (before.ends_with(",")) before.pop_back();
    if (!found.empty() && before.empty() && comment != std::string::npos)  // goes on
      found += " " + trimmed(line.substr(comment + 4));
    else if (!found.empty())
      return found;
    else if (before == value && comment != std::string::npos)
      found = trimmed(line.substr(comment + 4));
  }
  return found;
}

template <class E>
void check(const char* header, const char* enumeration) {
  for (const auto& row : NamesOf<E>::table)
    EXPECT_EQ(comment_of(header, enumeration, row.name), row.meaning) << enumeration << "::" << row.name;
}

TEST(Comments, OfEnumeratorsAreTheMeaningsOfTheirNames) {
  check<Reference>("options.hpp", "Reference");
  check<Method>("options.hpp", "Method");
  check<Solver>("options.hpp", "Solver");
  check<RightHandSide>("options.hpp", "RightHandSide");
  check<Form>("options.hpp", "Form");
  check<ScanSchedule>("options.hpp", "ScanSchedule");
  check<Integrator>("options.hpp", "Integrator");
  check<Switch>("options.hpp", "Switch");
  check<Parameter>("api/batch.hpp", "Parameter");
  check<Status>("api/batch.hpp", "Status");
  check<Language>("api/source_text.hpp", "Language");
  check<ShapeType>("model/shape_types.hpp", "ShapeType");
  check<FrictionCone>("model/shapes.hpp", "FrictionCone");
  check<ContactLaw>("api/contact_dynamics.hpp", "ContactLaw");
  check<ContactDamping>("api/contact_dynamics.hpp", "ContactDamping");
}

}  // namespace
}  // namespace tandem
