// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "communicators.hpp"
#include "packet.hpp"
#include "tandem/detail/executors/scan.hpp"

namespace tandem::mpi {

/// An exclusive scan of one direction as one that passes ports down: what lies beyond.
template <Scan kind, class Op>
struct OneWay {
  static_assert(is_exclusive(kind));
  static constexpr bool looks_inward = !is_suffix(kind), looks_outward = is_suffix(kind);
  using Element = ElementOf<Op>;
  using Port = Element;
  struct Kept {};

  void join(const Element& P, const Element& Q, bool, Kept&, Element& whole) const { whole = Op{}(P, Q); }
  void part(const Port& port, const Kept&, const Element& P, const Element& Q, bool, Port& port_P, Port& port_Q) const {
    const Port beyond = port;
    port_P = is_suffix(kind) ? Op{}(Q, beyond) : beyond;
    port_Q = is_suffix(kind) ? beyond : Op{}(beyond, P);
  }
};

/// The row of elements lies over the processes of a communicator, begin .. end - 1 of n here. The tree of joins over
/// the whole row has runs within one process, which are joined there, and a few that are not: these every process that
/// has an element of them joins for itself, from what MPI_Exscan tells it of the processes before it and, with the
/// ranks reversed, behind it.
class Executor {
 public:
  Executor(const Communicator& outward, const Communicator& inward, Index n, Index begin, Index end)
      : outward_(outward.get()), inward_(inward.get()), n_(n), begin_(begin), end_(end) {}

  template <class F>
  void for_each(Index n, F&& f) const {
    for (Index i = 0; i < n; ++i) f(i);
  }
  JoinTree tree_over(Index) const { return {n_, false, begin_, end_}; }

  template <Scan kind, class Op, class Slots>
  void scan(const Op& op, Index n, const Slots& slots) const {
    using T = ElementOf<Op>;
    std::vector<T> elements, joined(static_cast<std::size_t>(n)), ports(joined), ports_of_joined(joined);
    for (Index i = 0; i < n; ++i) elements.push_back(slots.load(i));
    const Runs<OneWay<kind, Op>> runs = {{},      tree_over(n), elements.data(),       joined.data(),
                                         nullptr, ports.data(), ports_of_joined.data()};
    gather_runs(runs);
    spread_ports(runs, op.identity());
    for (Index i = 0; i < n; ++i) slots.store(i, ports[static_cast<std::size_t>(i)]);
  }

  template <class Op>
  void gather_runs(const Runs<Op>& runs) const {
    runs.tree.upward(SerialExecutor{}, [&](const Join& j) { runs.join(j); });
    Packet<Op> here(n_);
    for (Index first = begin_; first < end_;) {
      const Index end = end_of_run(first);
      here.add({first, end, runs.element(first, end)});
      first = end;
    }
    auto around = std::make_shared<Around<Op>>();
    if constexpr (looks_inward<Op>) around->add(here.exscan(outward_));
    around->add(here);
    if constexpr (looks_outward<Op>) around->add(here.exscan(inward_));
    around->root = around->join(*this, 0, n_);
    around_ = around;
  }

  template <class Op>
  void spread_ports(const Runs<Op>& runs, const typename Op::Port& port) const {
    auto& around = *static_cast<Around<Op>*>(around_.get());
    around.nodes[around.root].port = port;
    for (std::size_t k = around.nodes.size(); k-- > 0;) {
      auto& node = around.nodes[k];
      if (node.left != node.right) {
        auto &left = around.nodes[node.left], &right = around.nodes[node.right];
        Op{}.part(node.port, node.kept, left.element, right.element, node.end == n_, left.port, right.port);
      } else if (begin_ <= node.first && node.end <= end_) {
        runs.port(node.first, node.end) = node.port;
      }
    }
    runs.tree.downward(SerialExecutor{}, [&](const Join& j) { runs.part(j); });
  }

 private:
  template <class Op>
  static constexpr bool looks_inward = !requires { requires !Op::looks_inward; };
  template <class Op>
  static constexpr bool looks_outward = !requires { requires !Op::looks_outward; };

  /// The upper end of the tree, as far down as to the pieces of packets. Children come before their parents.
  template <class Op>
  struct Around {
    struct Node {
      Index first, end;
      std::size_t left, right;  ///< the same for a piece
      typename Op::Element element;
      typename Op::Kept kept;
      typename Op::Port port;
    };
    std::vector<Piece<typename Op::Element>> pieces;
    std::vector<Node> nodes;
    std::size_t root = 0;

    void add(const Packet<Op>& packet) {
      pieces.insert(pieces.end(), packet.pieces, packet.pieces + packet.count);
    }
    std::size_t join(const Executor& executor, Index first, Index end) {
      Node node = {first, end, 0, 0, {}, {}, {}};
      const auto piece =
          std::find_if(pieces.begin(), pieces.end(), [&](const auto& p) { return p.first == first && p.end == end; });
      if (piece != pieces.end()) {
        node.element = piece->element;
      } else if (end > executor.begin_ && first < executor.end_) {  // else a side that the operator does not look at
        const Index middle = JoinTree{executor.n_}.middle(first, end);
        node.left = join(executor, first, middle);
        node.right = join(executor, middle, end);
        Op{}.join(nodes[node.left].element, nodes[node.right].element, end == executor.n_, node.kept, node.element);
      }
      nodes.push_back(node);
      return nodes.size() - 1;
    }
  };

  /// The end of the largest run within this part that begins at `first`.
  Index end_of_run(Index first) const {
    Index end = first + 1;
    for (Index h = 2; first % h == 0; h *= 2) {
      const Index larger = first + h < n_ ? first + h : n_;
      if (larger > end_) break;
      end = larger;
      if (larger == n_) break;
    }
    return end;
  }

  MPI_Comm outward_, inward_;
  Index n_, begin_, end_;
  mutable std::shared_ptr<void> around_;  ///< from gather_runs to spread_ports
};

}  // namespace tandem::mpi
