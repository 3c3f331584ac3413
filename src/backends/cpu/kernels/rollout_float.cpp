// SPDX-License-Identifier: Apache-2.0
#include "rollout.hpp"

namespace tandem::inline TANDEM_ISA {

template <>
RolloutKernel<float> rollout_kernel() {
  using D = RolloutDriver<float>;
  return {D::lanes, &D::scratch_size, &D::run};
}

}  // namespace tandem::inline TANDEM_ISA
