// SPDX-License-Identifier: Apache-2.0
/// In what the instances of an ensemble differ: "q=uniform,v=normal:0.1,mass=uniform:0.8:1.2".
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "start_state.hpp"
#include "tandem/tandem.hpp"

namespace tandem::cli {

/// Numbers of instances, drawn by seed, number of the instance and what is drawn alone.
class Randomize {
 public:
  /// Throws Error, which says what can stand there, for words that cannot be taken. Positions stay within limits, if
  /// these act.
  Randomize(const std::string& spec, const Model& model, std::uint64_t seed, bool limits);

  bool changes_q() const { return changes_q_; }
  bool changes_v() const { return changes_v_; }
  /// Parameters that differ, each once.
  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// A state of an instance, from one that all begin with.
  StartState state(const StartState& start, std::uint64_t instance, Workspace<double>& work) const;
  /// A parameter of an instance; `k` counts in parameters().
  std::vector<double> values(std::size_t k, std::uint64_t instance) const;

 private:
  enum class Law { anywhere, uniform, normal, lognormal };
  struct Draw {
    std::string name, element;  ///< "mass", "link7"
    Law law = Law::uniform;
    double a = 0, b = 0;  ///< from, to; or mean, deviation
    std::uint32_t stream = 0;
    int first = 0, count = 0, width = 1;  ///< rows; those that share a number
  };

  Draw read(const std::string& text) const;
  void read_law(Draw& draw, const std::string& text, const std::string& law) const;
  void read_element(Draw& draw) const;
  void read_rows(Draw& draw, const std::string& text) const;
  bool is_factor(const std::string& name) const;
  double number(const Draw& draw, std::uint64_t instance, int row) const;
  void displace(const Draw& draw, std::uint64_t instance, std::vector<double>& q, Workspace<double>& work) const;
  void anywhere(const Draw& draw, std::uint64_t instance, std::vector<double>& q) const;
  void add_parameter(Parameter parameter);

  Model model_;
  std::uint64_t seed_;
  bool limits_, changes_q_ = false, changes_v_ = false;
  std::vector<Draw> draws_;
  std::vector<Parameter> parameters_;
  std::vector<std::vector<double>> nominal_;  ///< of each
};

}  // namespace tandem::cli
