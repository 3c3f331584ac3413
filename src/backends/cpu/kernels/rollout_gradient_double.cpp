// SPDX-License-Identifier: Apache-2.0
#include "rollout_gradient.hpp"

namespace tandem::inline TANDEM_ISA {

template <>
RolloutGradientKernel<double> rollout_gradient_kernel() {
  using D = RolloutGradientDriver<double>;
  return {D::lanes, &D::rows_of_state, &D::scratch_size, &D::run};
}

}  // namespace tandem::inline TANDEM_ISA
