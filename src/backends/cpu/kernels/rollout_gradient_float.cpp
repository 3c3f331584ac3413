// SPDX-License-Identifier: Apache-2.0
#include "rollout_gradient.hpp"

namespace tandem::inline TANDEM_ISA {

template <>
RolloutGradientKernel<float> rollout_gradient_kernel() {
  using D = RolloutGradientDriver<float>;
  return {D::lanes, &D::rows_of_state, &D::scratch_size, &D::run};
}

}  // namespace tandem::inline TANDEM_ISA
