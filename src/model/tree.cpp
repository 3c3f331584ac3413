// SPDX-License-Identifier: Apache-2.0
/// From names to a tree: who hangs from whom, and the depth-first order.
#include <algorithm>
#include <set>

#include "core/at.hpp"
#include "description.hpp"

namespace tandem::model_detail {

namespace {

constexpr std::size_t most_listed = 10;

/// `"a", "b", "c" and 4 more`
class NameList {
 public:
  void add(const std::string& name) {
    if (++count_ > most_listed) return;
    text_ += (text_.empty() ? "" : ", ") + in_quotes(name);
  }
  std::size_t count() const { return count_; }
  std::string text() const {
    return count_ > most_listed ? text_ + " and " + std::to_string(count_ - most_listed) + " more" : text_;
  }

 private:
  std::size_t count_ = 0;
  std::string text_;
};

class TreeMaker {
 public:
  TreeMaker(const Description& d, Findings& findings) : d_(d), findings_(findings) {}

  Tree make() {
    const std::size_t before = findings_.problems.size();
    add_names(tree_.links, "link", d_.n_links(), [&](int i) -> auto& { return d_.link(i); });
    add_names(tree_.joints, "joint", d_.n_joints(), [&](int j) -> auto& { return d_.joint(j); });
    if (d_.n_links() == 0) findings_.problem(d_.where(), "has no links, expected at least one");
    check_frames();
    connect();
    const int root = find_root();
    find_cycles();
    if (findings_.problems.size() == before) sort_depth_first(root);
    return std::move(tree_);
  }

 private:
  /// The names of n links, joints or frames; what has no name, or one that is taken, is a problem.
  template <class Get>
  void add_names(Names& names, const char* kind, int n, Get&& get) {
    names.reserve(at(n));
    for (int i = 0; i < n; ++i) {
      const auto& described = get(i);
      const int first = names.add(described.name);
      if (described.name.empty()) {
        Source source = described.source;
        if (source.element.empty()) source.element = sentence(kind, " number ", i + 1);
        findings_.problem(std::move(source), kind, " without a name");
      } else if (first != i) {
        duplicate(described, kind, kind, get(first).source);
      }
    }
  }
  template <class T>
  void duplicate(const T& described, const char* kind, const char* other_kind, const Source& first) {
    findings_.problem(d_.where(described), "duplicate ", kind, " name ", in_quotes(described.name), ": a ", other_kind,
                      " has this name", in_line(first));
  }

  void check_frames() {
    Names names;
    add_names(names, "frame", static_cast<int>(d_.frames().size()), [&](int i) -> auto& { return d_.frames()[at(i)]; });
    for (const FrameDescription& frame : d_.frames()) {
      if (const int link = tree_.links.find(frame.name); link >= 0 && !frame.name.empty())
        duplicate(frame, "frame", "link", d_.link(link).source);
      find_link(frame, frame.link, "link");
    }
  }

  /// Index of the link of that name; if there is none, the problem is noted and -1 returned.
  template <class T>
  int find_link(const T& described, const std::string& name, const char* role) {
    const int link = name.empty() ? -1 : tree_.links.find(name);
    if (link >= 0) return link;
    if (name.empty())
      findings_.problem(d_.where(described), "has no ", role, ", expected the name of a link");
    else
      findings_.problem(d_.where(described), role, " ", in_quotes(name), " does not exist",
                        findings_.suggestion(name, tree_.links));
    return -1;
  }

  void connect() {
    tree_.parent.assign(at(d_.n_joints()), -1);
    tree_.child.assign(at(d_.n_joints()), -1);
    tree_.carrier.assign(at(d_.n_links()), -1);
    for (int j = 0; j < d_.n_joints(); ++j) {
      const JointDescription& joint = d_.joint(j);
      const int parent = tree_.parent[at(j)] = find_link(joint, joint.parent, "parent link");
      const int child = tree_.child[at(j)] = find_link(joint, joint.child, "child link");
      if (child < 0) continue;
      int& carrier = tree_.carrier[at(child)];
      if (carrier < 0) {
        carrier = j;
      } else {
        const JointDescription& first = d_.joint(carrier);
        findings_.problem(d_.where(joint), "child link ", in_quotes(joint.child),
                          " has two parents, the other by joint ", in_quotes(first.name), in_line(first.source),
                          "; use loop joints for closed loops");
      }
      if (parent == child)
        findings_.problem(d_.where(joint), "moves link ", in_quotes(joint.child), " relative to itself");
    }
  }

  /// The only link that no joint carries. Namesakes of another link are no roots of their own.
  int find_root() {
    NameList roots;
    int root = -1;
    for (int i = 0; i < d_.n_links(); ++i) {
      const std::string& name = d_.link(i).name;
      if (tree_.carrier[at(i)] >= 0 || name.empty() || tree_.links.find(name) != i) continue;
      if (root < 0) root = i;
      roots.add(name);
    }
    if (roots.count() > 1)
      findings_.problem(d_.where(), "has ", roots.count(), " root links, expected one: ", roots.text(),
                        " are not the child of a joint");
    return root;
  }

  /// Follows every link to where it hangs from; whoever comes back to where he went in this walk is on a
  /// cycle.
  void find_cycles() {
    std::vector<int> walk(at(d_.n_links()), -1);  // the link from which a link was first passed
    for (int start = 0; start < d_.n_links(); ++start) {
      int link = start;
      while (link >= 0 && walk[at(link)] < 0) {
        walk[at(link)] = start;
        link = tree_.parent_link(link);
      }
      if (link >= 0 && walk[at(link)] == start && tree_.parent_link(link) != link) report_cycle(link);
    }
  }

  void report_cycle(int first) {
    NameList names;
    int link = first;
    do {
      names.add(d_.link(link).name);
      link = tree_.parent_link(link);
    } while (link != first);
    findings_.problem(d_.where(d_.joint(tree_.carrier[at(first)])), "is part of a cycle: the links ", names.text(),
                      " form a cycle, expected a tree");
  }

  void sort_depth_first(int root) {
    std::vector<int> begin(at(d_.n_links()) + 1,
                           0);  // children of link i: children[begin[i]] ... [begin[i + 1] - 1]
    for (const int parent : tree_.parent) ++begin[at(parent) + 1];
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    std::vector<int> children(at(d_.n_joints())), next(begin.begin(), begin.end() - 1);
    for (int j = 0; j < d_.n_joints(); ++j) children[at(next[at(tree_.parent[at(j)])]++)] = tree_.child[at(j)];

    tree_.order.reserve(at(d_.n_links()));
    std::vector<int> stack{root};
    while (!stack.empty()) {
      const int link = stack.back();
      stack.pop_back();
      tree_.order.push_back(link);
      for (int k = begin[at(link) + 1]; k-- > begin[at(link)];) stack.push_back(children[at(k)]);
    }
  }

  const Description& d_;
  Findings& findings_;
  Tree tree_;
};

/// True if the root body has no inertia and is left by free joints only: then it floats as it is.
bool floats_already(const Description& d, const Tree& tree) {
  std::vector<char> of_root(at(d.n_links()), 0);
  bool any_free = false;
  for (const int link : tree.order) {
    const int joint = tree.carrier[at(link)];
    if (joint >= 0 && !of_root[at(tree.parent[at(joint)])]) continue;
    if (joint >= 0 && d.joint(joint).type != JointType::fixed) {
      if (d.joint(joint).type != JointType::free) return false;
      any_free = true;
      continue;
    }
    if (has_inertia(d.link(link))) return false;
    of_root[at(link)] = 1;
  }
  return any_free;
}

}  // namespace

std::string in_line(const Source& source) {
  return source.line > 0 ? " (line " + std::to_string(source.line) + ")" : "";
}

Tree make_tree(const Description& d, Findings& findings) { return TreeMaker(d, findings).make(); }

void add_floating_base(Description& d, Tree& tree, Findings& findings) {
  if (floats_already(d, tree)) {
    findings.warning(d.where(), "already floats: the root link ", in_quotes(d.link(tree.root()).name),
                     " has no mass and only free joints; no further free joint is added");
    return;
  }
  std::set<std::string, std::less<>> taken;
  for (const FrameDescription& frame : d.frames()) taken.insert(frame.name);
  std::string world = "world", joint = "floating_base";
  for (int k = 1; tree.links.find(world) >= 0 || taken.count(world) > 0; ++k) {
    world = k == 1 ? "universe" : "universe_" + std::to_string(k);
  }
  for (int k = 2; tree.joints.find(joint) >= 0; ++k) joint = "floating_base_" + std::to_string(k);

  const int root = tree.root();
  d.hang_from_world(world, joint, d.link(root).name);
  tree.links.add(world);
  tree.joints.add(joint);
  tree.parent.push_back(d.n_links() - 1);
  tree.child.push_back(root);
  tree.carrier[at(root)] = d.n_joints() - 1;
  tree.carrier.push_back(-1);
  tree.order.insert(tree.order.begin(), d.n_links() - 1);
}

}  // namespace tandem::model_detail
