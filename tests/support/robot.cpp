// SPDX-License-Identifier: Apache-2.0
#include "support/robot.hpp"

namespace tandem::test {

template class Fenced<double>;
template class Fenced<float>;
template class FencedWorkspace<double>;
template class FencedWorkspace<float>;
template class Robot<double>;
template class Robot<float>;

}  // namespace tandem::test
