// SPDX-License-Identifier: Apache-2.0
/// libFuzzer target: any bytes as a URDF. Whatever they are, the reader gives a model or an Error; a model
/// that is accepted can be written, and what was written is accepted and says the same.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "tandem/io/urdf.hpp"

namespace {

constexpr std::size_t longest_input = 64 * 1024;

void require(bool condition, const char* what, const std::string& detail = {}) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n%s\n", what, detail.c_str());
  std::abort();
}

std::optional<tandem::Model> accepted(std::string_view text, bool floating, std::string& refusal) {
  try {
    return tandem::parse_urdf(text, {.floating = floating}, "fuzz");
  } catch (const tandem::Error& error) {
    refusal = error.what();
    require(!refusal.empty(), "every refusal gives a reason");
    return std::nullopt;
  }
}

bool is_spherical(const tandem::JointDescription& joint) {
  return joint.type == tandem::JointType::spherical;
}

void check_writing(const tandem::ModelBuilder& description, const tandem::Model& model) {
  const std::string text = tandem::write_urdf(description);
  std::string refusal;
  const std::optional<tandem::Model> again = accepted(text, false, refusal);
  require(again.has_value(), "what is written can be read", refusal + "\n" + text);
  require(again->mass() == model.mass(), "mass survives", text);
  require(again->name() == model.name(), "the name survives", text);
  // a spherical joint comes back as three continuous ones
  if (std::ranges::any_of(description.joints(), is_spherical)) return;
  require(again->n_links() == model.n_links(), "links survive", text);
  require(again->n_frames() == model.n_frames(), "frames survive", text);
  require(again->nq() == model.nq() && again->nv() == model.nv(), "coordinates survive", text);
  for (int i = 0; i < model.n_links(); ++i)
    require(again->link_name(i) == model.link_name(i), "link names survive", text);
  for (int j = 1; j < model.n_links(); ++j)
    require(again->joint_name(j) == model.joint_name(j), "joint names survive", text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > longest_input) return -1;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string refusal;
  const std::optional<tandem::Model> fixed = accepted(text, false, refusal);
  const std::optional<tandem::Model> floating = accepted(text, true, refusal);
  if (fixed) {
    const tandem::ModelBuilder description = tandem::read_urdf(text, "fuzz");
    require(description.problems().empty(), "what is accepted has no problems");
    check_writing(description, *fixed);
  }
  if (fixed && floating)
    require(floating->nv() == fixed->nv() || floating->nv() == fixed->nv() + 6, "floating adds six");
  return 0;
}
