// SPDX-License-Identifier: Apache-2.0
// A program counts its own allocations: the operators of tests/properties, once more for this one.
#include "properties/allocations.cpp"
