// SPDX-License-Identifier: Apache-2.0
/// Tables in Markdown, made from the lines of one run.
#pragma once
#include <cstdio>

#include "results.hpp"

namespace tandem::bench {

/// One state at a time: our best and median time beside the rivals'.
void print_serial_table(const Lines& lines, std::FILE* file);

/// What batches are meant to reach and what they reached.
void print_bars(const Lines& lines, std::FILE* file);

/// What methods that divide one robot are meant to reach and what they reached.
void print_links_bars(const Lines& lines, std::FILE* file);

/// What code for one robot is meant to reach and what it reached.
void print_generated_bars(const Lines& lines, std::FILE* file);

/// What rollouts are meant to reach and what they reached.
void print_rollout_bars(const Lines& lines, std::FILE* file);

/// What derivatives are meant to reach and what they reached.
void print_derivative_bars(const Lines& lines, std::FILE* file);

/// What gradients through time take beside rollouts, and are meant to.
void print_gradient_bars(const Lines& lines, std::FILE* file);

/// Every row.
void print_every_row(const Lines& lines, std::FILE* file);

/// Processor, compiler, versions, commit and date: a line for each different one.
void print_context(const Lines& lines, std::FILE* file);

}  // namespace tandem::bench
