// SPDX-License-Identifier: Apache-2.0
/// Small robots, in few words.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tandem/model/builder.hpp"

namespace tandem {

/// A ball: any link with a mass.
inline LinkDescription ball(const std::string& name, double mass = 1) {
  return {.name = name, .mass = mass, .com = {0.1, 0.2, 0.3}, .inertia = {0.1, 0, 0, 0.1, 0, 0.1}};
}

inline JointDescription joint(const std::string& name, JointType type, const std::string& parent,
                              const std::string& child) {
  return {.name = name, .type = type, .parent = parent, .child = child, .axis = {0, 0, 1}};
}

inline JointDescription hinge(const std::string& name, const std::string& parent, const std::string& child) {
  return joint(name, JointType::revolute, parent, child);
}

/// base - link1 - link2 - ... on hinges joint1, joint2, ...
inline ModelBuilder arm(int n) {
  ModelBuilder builder("arm");
  builder.link(ball("base"));
  for (int i = 1; i <= n; ++i) {
    const std::string parent = i == 1 ? "base" : "link" + std::to_string(i - 1),
                      child = "link" + std::to_string(i);
    builder.link(ball(child));
    builder.joint(hinge("joint" + std::to_string(i), parent, child));
  }
  return builder;
}

/// What build() refuses the description for, one line each.
inline std::vector<std::string> problems_of(const ModelBuilder& builder, const BuildOptions& options = {}) {
  std::vector<std::string> lines;
  try {
    builder.build(options);
  } catch (const ModelError& error) {
    for (const Problem& problem : error.problems())
      lines.push_back(to_string(problem.source) + ": " + problem.message);
  }
  return lines;
}

/// The same where there is one.
inline std::string problem_of(const ModelBuilder& builder) {
  const std::vector<std::string> lines = problems_of(builder);
  EXPECT_EQ(lines.size(), 1u) << testing::PrintToString(lines);
  return lines.empty() ? "" : lines[0];
}

template <class T>
std::vector<T> listed(const T* array, std::int64_t count) {
  return {array, array + count};
}

}  // namespace tandem
