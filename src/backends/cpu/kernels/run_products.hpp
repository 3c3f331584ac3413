// SPDX-License-Identifier: Apache-2.0
/// The driver of scans for products with derivatives.
#pragma once
#include "product_lanes.hpp"
#include "shared_scans.hpp"
