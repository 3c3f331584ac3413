// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/scan/divided_product.hpp"
#include "tandem/detail/scan/kinematics_call.hpp"

namespace tandem::inline TANDEM_ISA {

/// What methods share that go along the frames of a chain: beside the memory of passes that of the list of further
/// frames.
template <class Method_, class Passes_>
struct DividedKinematics : DividedProduct<Method_, Passes_> {
  template <class M>
  Index work_rows(const ModelView<M>& m) const {
    return DividedProduct<Method_, Passes_>::work_rows(m) + rows_of_list<M>(m);
  }
  /// Rows of scratch memory for a plan made beforehand.
  template <class S, class M>
  static Index rows(const ScanPlan& plan, const ModelView<M>& m) {
    return DividedProduct<Method_, Passes_>::template rows<S>(plan) + rows_of_list<S>(m);
  }

 private:
  template <class S, class M>
  static Index rows_of_list(const ModelView<M>& m) {
    Arena arena;
    [[maybe_unused]] const FurtherFrames list(arena, m);
    return arena.rows<S>();
  }
};

}  // namespace tandem::inline TANDEM_ISA
