// SPDX-License-Identifier: Apache-2.0
/// Which shapes can touch, with which parameters. Rules and mixtures are those of MuJoCo's mj_collision and
/// mj_contactParam [MuJoCo 4.0, Computation, Collision].
#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/at.hpp"
#include "core/text.hpp"
#include "storage.hpp"
#include "tandem/error.hpp"

namespace tandem {

using namespace model_detail;

namespace {

constexpr double least_weight = 1e-15;   // MuJoCo's mjMINVAL
constexpr double least_friction = 1e-5;  // MuJoCo's mjMINMU
constexpr std::size_t most_named_pairs = 3;
/// MuJoCo has contacts below margin + gap, and forces below margin.
constexpr const char* negative_gap = "contacts with a gap below 0 are not computed";
constexpr std::int64_t most_pairs = 1'000'000;  // some 700 bytes each, and as many tests of spheres a step

using Numbers = std::pair<int, int>;

/// Weight of the first of two shapes where softness is averaged.
double weight(double first, double second) {
  if (first >= least_weight && second >= least_weight) return first / (first + second);
  if (first < least_weight && second < least_weight) return 0.5;
  return first < least_weight ? 0 : 1;
}

template <std::size_t n>
std::array<double, n> mixed(double w, const std::array<double, n>& first, const std::array<double, n>& second) {
  std::array<double, n> both{};
  for (std::size_t k = 0; k < n; ++k) both[k] = w * first[k] + (1 - w) * second[k];
  return both;
}

template <std::size_t n>
std::array<double, n> each(const std::array<double, n>& first, const std::array<double, n>& second,
                           const double& (*choose)(const double&, const double&)) {
  std::array<double, n> both{};
  for (std::size_t k = 0; k < n; ++k) both[k] = choose(first[k], second[k]);
  return both;
}

/// Parameters of two shapes that no explicit pair names.
ContactPair mixed_pair(const ContactShape& first, const ContactShape& second) {
  ContactPair pair;
  std::array<double, 3> friction{};
  if (first.priority != second.priority) {
    const ContactShape& chosen = first.priority > second.priority ? first : second;
    pair.condim = chosen.condim;
    pair.softness = chosen.softness;
    friction = chosen.friction;
  } else {
    const double w = weight(first.solmix, second.solmix);
    pair.condim = std::max(first.condim, second.condim);
    const auto &ref_1 = first.softness.solref, &ref_2 = second.softness.solref;
    pair.softness.solref = ref_1[0] > 0 && ref_2[0] > 0 ? mixed(w, ref_1, ref_2) : each(ref_1, ref_2, std::min<double>);
    pair.softness.solimp = mixed(w, first.softness.solimp, second.softness.solimp);
    friction = each(first.friction, second.friction, std::max<double>);
  }
  pair.friction = {friction[0], friction[0], friction[1], friction[2], friction[2]};
  pair.softness.margin = first.softness.margin + second.softness.margin;
  pair.softness.gap = first.softness.gap + second.softness.gap;
  return pair;
}

/// The links that carry links, over those without mass and shapes: these are between the joints of one body of MuJoCo.
std::vector<int> find_carriers(const Storage& storage) {
  const ModelView<double>& m = storage.view;
  std::vector<bool> has_shape(at(m.n_links));
  for (const ContactShape& each : storage.shapes) has_shape[at(each.link)] = true;
  const auto is_between = [&](int i) {
    const double* inertia = m.inertia + 10 * std::int64_t{i};
    return i > 0 && !has_shape[at(i)] && std::all_of(inertia, inertia + 10, [](double x) { return x == 0; });
  };
  std::vector<int> carrier(at(m.n_links), -1);
  for (int i = 1; i < m.n_links; ++i)
    carrier[at(i)] = is_between(m.parent[i]) ? carrier[at(m.parent[i])] : m.parent[i];
  return carrier;
}

/// Two shapes may touch if bits of theirs say so.
template <class Shape>
bool share_bits(const Shape& first, const Shape& second) {
  return (first.contype & second.conaffinity) != 0 || (second.contype & first.conaffinity) != 0;
}

/// "box "a" with mesh "b""
std::string both_named(const ContactShape& first, const ContactShape& second) {
  return sentence(in_quotes(first.name), " with ", in_quotes(second.name));
}

/// What cannot be computed, by its reason.
class Unserved {
 public:
  void add(const std::string& reason, const std::string& name) {
    auto& [count, names] = by_reason_[reason];
    if (names.size() < most_named_pairs) names.push_back(name);
    ++count;
  }
  /// A sentence a reason.
  std::vector<std::string> sentences() const {
    std::vector<std::string> all;
    for (const auto& [reason, found] : by_reason_)
      all.push_back(sentence(reason, ": ", found.count, found.count == 1 ? " (" : ", such as (",
                             comma_separated(found.names), ")"));
    return all;
  }

 private:
  struct Found {
    std::size_t count = 0;
    std::vector<std::string> names;
  };
  std::map<std::string, Found> by_reason_;
};

}  // namespace

/// Which two shapes of different links can touch, but for their bits.
struct ContactSet::Rules {
  explicit Rules(const Storage& robot) : storage(robot), carrier(find_carriers(robot)) {
    for (const ContactPair& pair : robot.contact_pairs) explicit_ones.insert(std::minmax(pair.shape_1, pair.shape_2));
    for (const ContactExclude& exclude : robot.contact_excludes)
      excluded.insert(std::minmax(exclude.frame_1, exclude.frame_2));
  }
  bool allow(int i, int j) const {
    const ContactShape &first = storage.shapes[at(i)], &second = storage.shapes[at(j)];
    if (first.link == second.link) return false;
    if (first.link != 0 && second.link != 0 && storage.contact_settings.filter_parent &&
        (carrier[at(first.link)] == second.link || carrier[at(second.link)] == first.link))
      return false;
    return !explicit_ones.contains(std::minmax(i, j)) && !excluded.contains(std::minmax(first.frame, second.frame));
  }

  const Storage& storage;
  std::vector<int> carrier;  ///< [n_links]
  std::set<Numbers> explicit_ones, excluded;
};

namespace {

/// Goes through the pairs of a model.
template <class Rules>
class PairFinder {
 public:
  PairFinder(const Model& model, const ContactOptions& options, const Rules& rules)
      : storage_(storage_of(model)), options_(options), rules_(rules), two_move_(options.self_contact) {}

  void find() {
    for (const Problem& problem : storage_.contact_problems) problems_.push_back(to_string(problem));
    if (!storage_.contact_settings.enabled) return;
    for (const ContactPair& pair : storage_.contact_pairs) add(pair);
    find_classes();
    limit_pairs();
    std::vector<int> others;
    for (int i = 0; i < static_cast<int>(storage_.shapes.size()); ++i) {
      if (class_[at(i)] < 0) continue;
      others_after(i, others);
      for (const int j : others) {
        if (!rules_.allow(i, j)) continue;
        ContactPair pair = mixed_pair(shape(i), shape(j));
        pair.shape_1 = i;
        pair.shape_2 = j;
        add(pair);
      }
    }
    for (const std::string& missing : unserved_.sentences()) problems_.push_back(missing);
  }

  std::vector<ContactPair> pairs() && { return std::move(pairs_); }
  std::vector<std::string> problems() && { return std::move(problems_); }
  int n_slots() const { return n_slots_; }
  bool finds_pairs() const { return finds_; }

 private:
  const ContactShape& shape(int k) const { return storage_.shapes[at(k)]; }

  /// Shapes that touch the same others, but for those of their own link and of links beside it.
  struct Class {
    int contype, conaffinity;
    bool moves, is_plane;
    std::vector<int> shapes;    ///< ascending
    std::vector<int> partners;  ///< classes that can touch this one
  };

  /// Of all pairs, or of those that are listed.
  bool may_touch(const Class& first, const Class& second) const {
    if (!share_bits(first, second)) return false;
    if (!first.moves || !second.moves) return (first.moves || second.moves) && one_moves_;
    return two_move_ && (!finds_ || first.is_plane || second.is_plane);
  }

  void find_classes() {
    std::map<std::tuple<int, int, bool, bool>, int> numbers;
    class_.assign(storage_.shapes.size(), -1);
    for (int i = 0; i < static_cast<int>(storage_.shapes.size()); ++i) {
      const ContactShape& of = shape(i);
      if (of.contype == 0 && of.conaffinity == 0) continue;
      const bool moves = of.link != 0, is_plane = of.type == ShapeType::plane;
      const auto [found, is_new] =
          numbers.try_emplace({of.contype, of.conaffinity, moves, is_plane}, static_cast<int>(classes_.size()));
      if (is_new) classes_.push_back({of.contype, of.conaffinity, moves, is_plane, {}, {}});
      class_[at(i)] = found->second;
      classes_[at(found->second)].shapes.push_back(i);
    }
  }

  /// How many pairs are to be listed, by how many of the two links move.
  std::array<std::int64_t, 3> count_pairs() const {
    std::array<std::int64_t, 3> pairs{};
    for (std::size_t x = 0; x < classes_.size(); ++x)
      for (std::size_t y = 0; y <= x; ++y) {
        if (!may_touch(classes_[x], classes_[y])) continue;
        const auto n = static_cast<std::int64_t>(classes_[x].shapes.size());
        pairs[(classes_[x].moves ? 1 : 0) + (classes_[y].moves ? 1 : 0)] +=
            x == y ? n * (n - 1) / 2 : n * static_cast<std::int64_t>(classes_[y].shapes.size());
      }
    return pairs;
  }

  /// Leaves to every state what would be more pairs than memory and time allow, or leaves it out.
  void limit_pairs() {
    using enum SelfPairs;
    std::array<std::int64_t, 3> pairs = count_pairs();
    const bool finds = options_.self_pairs == found || (options_.self_pairs == automatic && pairs[2] > most_pairs);
    if (two_move_ && finds) {
      finds_ = true;
      check_found();
      pairs = count_pairs();
    }
    const auto limit = [&](std::int64_t count, const char* links, bool& are_listed) {
      if (count <= most_pairs) return;
      are_listed = false;
      problems_.push_back(sentence(count, " pairs of shapes on ", links, " are not computed: more than ", most_pairs));
    };
    limit(pairs[2], "two links that move", two_move_);
    limit(pairs[1], "a link that moves and the base", one_moves_);
    for (std::size_t x = 0; x < classes_.size(); ++x)
      for (std::size_t y = 0; y < classes_.size(); ++y)
        if (may_touch(classes_[x], classes_[y])) classes_[x].partners.push_back(static_cast<int>(y));
  }

  /// Shapes behind shape i that its class can touch.
  void others_after(int i, std::vector<int>& others) const {
    others.clear();
    for (const int partner : classes_[at(class_[at(i)])].partners) {
      const std::vector<int>& shapes = classes_[at(partner)].shapes;
      others.insert(others.end(), std::upper_bound(shapes.begin(), shapes.end(), i), shapes.end());
    }
    std::sort(others.begin(), others.end());
  }

  /// What cannot be computed of pairs that are found.
  void check_found() {
    std::map<ShapeType, int> first_of;
    for (const Class& each : classes_)
      for (const int k : each.shapes) {
        if (!each.moves || each.is_plane) continue;
        if (shape(k).softness.gap < 0) unserved_.add(negative_gap, in_quotes(shape(k).name));
        if (shape(k).unread.empty())
          first_of.try_emplace(shape(k).type, k);
        else
          add_unread(shape(k));
      }
    for (const auto& [one, of_one] : first_of)
      for (const auto& [two, of_two] : first_of)
        if (one <= two && !never_touch(one, two) && contact_slots(one, two) == 0)
          add_unserved(shape(of_one), shape(of_two));
  }
  void add_unread(const ContactShape& each) {
    if (unread_.insert(each.name).second)
      unserved_.add("shapes whose form is not known", sentence(in_quotes(each.name), ": ", each.unread));
  }
  void add_unserved(const ContactShape& first, const ContactShape& second) {
    unserved_.add(
        sentence("contacts of a ", to_string(first.type), " with a ", to_string(second.type), " are not computed"),
        both_named(first, second));
  }

  void add(ContactPair pair) {
    if (shape(pair.shape_1).link != 0 && shape(pair.shape_2).link != 0 && !options_.self_contact) return;
    if (shape(pair.shape_1).type > shape(pair.shape_2).type) std::swap(pair.shape_1, pair.shape_2);
    const ContactShape &first = shape(pair.shape_1), &second = shape(pair.shape_2);
    if (never_touch(first.type, second.type)) return;
    for (const ContactShape* each : {&first, &second})
      if (!each->unread.empty()) return add_unread(*each);
    pair.slots = contact_slots(first.type, second.type);
    if (pair.slots == 0) return add_unserved(first, second);
    if (pair.softness.gap < 0) return unserved_.add(negative_gap, both_named(first, second));
    for (double& mu : pair.friction) mu = std::max(mu, least_friction);
    pair.first_slot = n_slots_;
    n_slots_ += pair.slots;
    pairs_.push_back(std::move(pair));
  }

  const Storage& storage_;
  ContactOptions options_;
  const Rules& rules_;
  bool finds_ = false;
  bool two_move_, one_moves_ = true;  ///< whether pairs of two links that move are found, and those with the base
  std::vector<Class> classes_;
  std::vector<int> class_;    ///< [shapes] -1: touches no other
  std::vector<ContactPair> pairs_;
  std::vector<std::string> problems_;
  std::set<std::string> unread_;
  Unserved unserved_;
  int n_slots_ = 0;
};

}  // namespace

ContactSet::ContactSet(const Model& model, const ContactOptions& options)
    : model_(model), options_(options), rules_(std::make_shared<const Rules>(storage_of(model_))) {
  PairFinder finder(model_, options, *rules_);
  finder.find();
  n_slots_ = finder.n_slots();
  finds_pairs_ = finder.finds_pairs();
  pairs_ = std::make_shared<const std::vector<ContactPair>>(std::move(finder).pairs());
  problems_ = std::make_shared<const std::vector<std::string>>(std::move(finder).problems());
  if (options.leave_out || problems_->empty()) return;
  std::string all;
  for (const std::string& problem : *problems_) all += (all.empty() ? "" : "; ") + problem;
  throw Error(
      sentence("contacts of ", element("robot", model_.name()), " are not complete: ", all,
               ". leave_out computes the others; self_contact = false leaves out those of two links that move"));
}

bool ContactSet::can_find(int shape_1, int shape_2) const {
  if (!finds_pairs_) return false;
  const ContactShape &first = rules_->storage.shapes[at(shape_1)], &second = rules_->storage.shapes[at(shape_2)];
  const auto is_found = [](const ContactShape& shape) {
    return shape.link != 0 && shape.type != ShapeType::plane && shape.unread.empty();
  };
  return is_found(first) && is_found(second) && share_bits(first, second) && rules_->allow(shape_1, shape_2) &&
         !(first.softness.gap + second.softness.gap < 0);
}

ContactPair ContactSet::found_pair(int shape_1, int shape_2) const {
  const auto& shapes = rules_->storage.shapes;
  if (shape_1 > shape_2) std::swap(shape_1, shape_2);
  ContactPair pair = mixed_pair(shapes[at(shape_1)], shapes[at(shape_2)]);
  if (shapes[at(shape_1)].type > shapes[at(shape_2)].type) std::swap(shape_1, shape_2);
  pair.shape_1 = shape_1;
  pair.shape_2 = shape_2;
  for (double& mu : pair.friction) mu = std::max(mu, least_friction);
  return pair;
}

std::vector<std::string> contact_problems(const Model& model, const ContactOptions& options) {
  ContactOptions all = options;
  all.leave_out = true;
  return ContactSet(model, all).problems();
}

}  // namespace tandem
