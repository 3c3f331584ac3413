// SPDX-License-Identifier: Apache-2.0
/// What contact dynamics is prepared with: for ContactDynamics, simulations and rollouts.
#pragma once
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "backends/cpu/instruction_set.hpp"
#include "backends/shared/contact.hpp"
#include "tandem/api/contact_dynamics.hpp"

namespace tandem {

/// Tiles that calls share, one after the other, as many as run at the same time.
template <class T>
class TilePool final : public ContactTiles {
 public:
  TilePool(const ContactProblem& problem, const ModelView<T>& m) : problem_(problem), m_(m) {}
  TilePool(const TilePool&) = delete;
  TilePool& operator=(const TilePool&) = delete;
  ~TilePool() { clear(); }

  void* take() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const ContactKernel<T>& kernel = cpu::in_use().contacts.template in<T>();
    if (kernel_ != &kernel) clear();
    kernel_ = &kernel;
    if (free_.empty()) return kernel.create(problem_, m_);
    void* const tile = free_.back();
    free_.pop_back();
    return tile;
  }
  void give(void* tile) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(tile);
  }

 private:
  void clear() {
    for (void* tile : free_) kernel_->destroy(tile);
    free_.clear();
  }
  const ContactProblem& problem_;
  const ModelView<T> m_;
  std::mutex mutex_;
  std::vector<void*> free_;
  const ContactKernel<T>* kernel_ = nullptr;  ///< of those in free_
};

/// What a ContactDynamics knows before it sees a state.
struct ContactDynamics::Prepared {
  explicit Prepared(const Model& model)
      : in_double(problem, model.view<double>()), in_float(problem, model.view<float>()) {}

  std::vector<LinkShape> shapes;
  std::vector<LinkPair> pairs;
  std::vector<double> reach, mobility;
  std::vector<int> material;
  std::vector<ContactKind> kinds;
  std::optional<ContactSet> finder;  ///< if it finds pairs
  FoundPairs found;                  ///< of these
  std::vector<double> joint_mobility;
  std::vector<Softness> of_limits, of_friction;
  std::vector<double> limit_margins;
  std::vector<CarriedKind> carried_kinds;
  std::vector<TendonKind> tendon_kinds;
  std::vector<TendonPart> tendon_parts;
  std::vector<LoopKind> loop_kinds;
  std::vector<CouplerKind> coupler_kinds;
  std::vector<TendonPart> coupler_parts;
  ContactProblem problem;  ///< of the above
  mutable TilePool<double> in_double;
  mutable TilePool<float> in_float;

  template <class T>
  ContactTiles& tiles() const {
    if constexpr (std::is_same_v<T, double>)
      return in_double;
    else
      return in_float;
  }
};

/// Collects contacts of pairs that are found, a list for each state.
class FoundLists final : public FoundPushes {
 public:
  explicit FoundLists(std::span<std::vector<FoundContact>> lists) : lists_(lists) {}
  void begin(Index state) override { lists_[static_cast<std::size_t>(state)].clear(); }
  void add(Index state, const FoundPush& contact) override;

 private:
  std::span<std::vector<FoundContact>> lists_;
};

/// Radius of a sphere about the origin of a shape that it lies in, with its margin, m.
double reach_of(const ContactShape& shape);

/// Throws Error for a pair whose contacts a GPU does not compute.
void check_pairs_on_gpu(const ContactSet& set, const char* function);

}  // namespace tandem
