// SPDX-License-Identifier: Apache-2.0
/// States of tests/golden/contact (tools/make_contact_golden.py): robots on a floor, and what MuJoCo says of them.
#pragma once
#include <Eigen/Dense>
#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "contact/solved.hpp"
#include "tandem/io/mjcf.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::test {

using Numbers = std::vector<double>;

inline std::string golden_file(const std::string& name) {
  return std::string(TANDEM_SOURCE_DIR) + "/tests/golden/contact/" + name;
}

/// The robot of a golden file; without MuJoCo, which reads it, a robot that does not move.
inline Model golden_model(const std::string& name) {
  if (reads_mjcf()) return load_mjcf(golden_file(name + ".xml"));
  ModelBuilder nothing("nothing");
  nothing.link({.name = "world"});
  return nothing.build();
}

struct GoldenState {
  bool elliptic = false;
  double impratio = 1;
  std::map<std::string, Numbers> columns;
  std::vector<WorldContact> contacts;
  std::vector<double> forces;  ///< [contacts][6]
};

struct Golden {
  std::map<std::string, Numbers> of_model, bodies;
  std::vector<GoldenState> states;

  Golden(const std::string& name, const Model& model) {
    if (!reads_mjcf()) return;
    std::ifstream file(golden_file(name + ".txt"));
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::string key, link;
      words >> key;
      if (key == "body" || key == "contact") words >> link;
      Numbers x;
      for (std::string word; words >> word;) x.push_back(std::stod(word));
      if (key == "body")
        bodies[link] = x;
      else if (key == "state")
        states.push_back({x[0] == 1, x[1], {}, {}, {}});
      else if (key == "contact")
        add_contact(model, link, x);
      else
        (states.empty() ? of_model : states.back().columns)[key] = x;
    }
    for (GoldenState& state : states) sort(state);
  }

 private:
  void add_contact(const Model& model, const std::string& link, const Numbers& x) {
    WorldContact c{};
    c.kind.link = model.link_index(link);
    c.kind.dim = static_cast<int>(x[0]);
    std::size_t at = 1;
    const auto take = [&](double* to, std::size_t n) {
      for (std::size_t k = 0; k < n; ++k) to[k] = x[at++];
    };
    take(c.kind.friction, 5);
    take(c.kind.softness.solref, 2);
    take(c.kind.softness.solimp, 5);
    take(c.kind.solreffriction, 2);
    take(&c.kind.margin, 1);
    take(&c.kind.mobility, 1);
    take(c.place, ContactPlace::rows);
    states.back().contacts.push_back(c);
    for (std::size_t k = 0; k < 6; ++k) states.back().forces.push_back(x[at + k]);
  }
  static void sort(GoldenState& state) {
    std::vector<std::size_t> order(state.contacts.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
      return std::pair(state.contacts[i].kind.link, i) < std::pair(state.contacts[j].kind.link, j);
    });
    GoldenState sorted = state;
    for (std::size_t k = 0; k < order.size(); ++k) {
      sorted.contacts[k] = state.contacts[order[k]];
      std::copy_n(state.forces.begin() + static_cast<long>(6 * order[k]), 6,
                  sorted.forces.begin() + static_cast<long>(6 * k));
    }
    state = sorted;
  }
};

inline std::vector<Softness> softness(const Numbers& x) {
  std::vector<Softness> rows(x.size() / 7);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::copy_n(x.begin() + static_cast<long>(7 * k), 2, rows[k].solref);
    std::copy_n(x.begin() + static_cast<long>(7 * k + 2), 5, rows[k].solimp);
  }
  return rows;
}

inline Eigen::VectorXd eigen(const Numbers& x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<long>(x.size()));
}
inline double relative(const Numbers& ours, const Numbers& theirs) {
  return (eigen(ours) - eigen(theirs)).norm() / (1 + eigen(theirs).norm());
}

}  // namespace tandem::test
