// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/model/view.hpp"

namespace tandem::model_detail {

/// Turns the frame of every link that turns or slides about z until x is normal to the axis of its first child: what leads
/// there is then a turn about x, followed by that about the child's z. Then writes every placement of a joint with one degree
/// of freedom as such turns.
void align_axes(ModelView<double>& m);

}  // namespace tandem::model_detail
