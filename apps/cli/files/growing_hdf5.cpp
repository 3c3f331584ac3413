// SPDX-License-Identifier: Apache-2.0
// The numbers of sections are those of the HDF5 file format specification, version 3.0.
#include "files/growing_hdf5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli.hpp"

namespace tandem::cli {
namespace {

constexpr std::size_t children_of_node = 64;

}  // namespace

GrowingHdf5::GrowingHdf5(const std::string& path, Form form) : file_(path), path_(path) {
  if (!file_.is_ordinary()) throw RunError(fmt::format("cannot write to {}: it is not a regular file", path));
  file_.lock();
  lay_out(std::move(form));
}

/// III.A.1: a node of the tree that leads from rows, or pieces, to chunks. What the last child may come to hold bounds
/// its rows.
void GrowingHdf5::put_node(const Dataset& dataset, bool grows, std::size_t level, const Node& node, Address right) {
  std::uint64_t bytes = bytes_of(dataset.number), rows = static_cast<std::uint64_t>(grows ? chunk_ : dataset.piece);
  std::vector<std::uint64_t> rest(dataset.sizes.begin() + (grows ? 0 : 1), dataset.sizes.end());
  rest.push_back(bytes);
  for (std::size_t k = 0; k + 1 < rest.size(); ++k) bytes *= rest[k];
  Bytes b{"TREE"};
  const auto key = [&](std::uint64_t row, bool is_end) {
    b.u(is_end ? 0 : rows * bytes, 4).u(0, 4).u(row, 8);
    const bool is_behind = is_end && right == hdf5_nowhere;
    for (const std::uint64_t size : rest) b.u(is_behind ? size : 0, 8);
  };
  b.u(1, 1).u(level, 1).u(node.children.size(), 2).u(node.left, 8).u(right, 8);
  for (const auto& [row, child] : node.children) {
    key(row, false);
    b.u(child, 8);
  }
  std::uint64_t rows_of_child = rows;
  for (std::size_t k = 0; k < level; ++k) rows_of_child *= children_of_node;
  key(node.children.back().first + rows_of_child, true);
  b.text.resize(hdf5_page, '\0');
  put(node.address, b.text);
}

/// Nodes are written before what leads to them.
void GrowingHdf5::add_chunk(Column& column, std::size_t level, std::uint64_t row, Address child) {
  if (level == column.nodes.size()) {
    column.nodes.push_back({take(hdf5_page, hdf5_page), hdf5_nowhere, {}});
    if (level > 0) column.nodes[level].children = {{0, column.first_of_level}};
  }
  Node& node = column.nodes[level];
  if (node.children.size() < children_of_node) {
    node.children.emplace_back(row, child);
    put_node(column.dataset, true, level, node, hdf5_nowhere);
    return;
  }
  const Node full = node;
  node = {take(hdf5_page, hdf5_page), full.address, {{row, child}}};
  put_node(column.dataset, true, level, node, hdf5_nowhere);
  put_node(column.dataset, true, level, full, node.address);
  if (level + 1 == column.nodes.size()) column.first_of_level = full.address;
  add_chunk(column, level + 1, row, column.nodes[level].address);
}

void GrowingHdf5::begin_chunks() {
  for (Column& column : columns_) {
    column.chunk = take(static_cast<std::size_t>(chunk_) * column.row_bytes, 8);
    column.chunks.push_back(column.chunk);
  }
}

void GrowingHdf5::append(const std::vector<const void*>& numbers, Index rows) {
  const Index first = rows_;
  Index added = 0;  // that are not committed yet; with pieces, which belong to all of them, there is one commit
  try {
    for (Index done = 0; done < rows;) {
      const Index before = (first + done) % chunk_, count = std::min(rows - done, chunk_ - before);
      if (before == 0) begin_chunks();
      for (std::size_t k = 0; k < columns_.size(); ++k) {
        const std::size_t row = columns_[k].row_bytes;
        put(columns_[k].chunk + static_cast<std::size_t>(before) * row,
            {static_cast<const char*>(numbers[k]) + static_cast<std::size_t>(done) * row,
             static_cast<std::size_t>(count) * row});
      }
      if (before == 0) {
        file_.lengthen(static_cast<std::int64_t>(end_));
        for (Column& column : columns_)
          if (column.row_bytes > 0) add_chunk(column, 0, static_cast<std::uint64_t>(first + done), column.chunk);
        file_.lengthen(static_cast<std::int64_t>(end_));
      }
      done += count;
      added += count;
      if (pieces_.empty() || done == rows) commit(std::exchange(added, 0));
    }
  } catch (...) {
    if (published_) file_.cut(static_cast<std::int64_t>(committed_end_));
    throw;
  }
}

/// From here on the rows, and pieces, are there.
void GrowingHdf5::commit(Index rows) {
  const std::vector<Address> roots = put_trees_of_pieces();
  for (std::size_t k = 0; k < roots.size(); ++k) {
    pieces_[k].root = roots[k];
    pieces_[k].used = pieces_[k].next;
  }
  rows_ += rows;
  committed_end_ = end_;
  for (Column& column : columns_)
    if (!column.nodes.empty()) column.root = column.nodes.back().address;
  put(0, first_page());
  if (!appears_at_end_ && !std::exchange(published_, true)) file_.publish();
}

void GrowingHdf5::put_piece(std::size_t dataset, std::size_t piece, const void* numbers) {
  Pieces& of = pieces_[dataset];
  of.next[piece] = numbers == nullptr ? -1 : of.used[piece] == 0 ? 1 : 0;
  if (numbers == nullptr || of.piece_bytes == 0) return;
  const auto& [one, other] = of.places[piece];
  try {
    put(of.next[piece] == 0 ? one : other, {static_cast<const char*>(numbers), of.piece_bytes});
  } catch (...) {
    if (published_) file_.cut(static_cast<std::int64_t>(committed_end_));
    throw;
  }
}

/// Their trees, where nothing leads to yet.
std::vector<GrowingHdf5::Address> GrowingHdf5::put_trees_of_pieces() {
  std::vector<Address> roots;
  for (const Pieces& pieces : pieces_) {
    if (pieces.next == pieces.used) {
      roots.push_back(pieces.root);
      continue;
    }
    Node node{pieces.root == pieces.nodes[0] ? pieces.nodes[1] : pieces.nodes[0], hdf5_nowhere, {}};
    for (std::size_t k = 0; k < pieces.next.size(); ++k) {
      const auto& [one, other] = pieces.places[k];
      if (pieces.next[k] >= 0 && pieces.piece_bytes > 0)
        node.children.emplace_back(k * static_cast<std::uint64_t>(pieces.dataset.piece),
                                   pieces.next[k] == 0 ? one : other);
    }
    if (!node.children.empty()) put_node(pieces.dataset, false, 0, node, hdf5_nowhere);
    roots.push_back(node.children.empty() ? hdf5_nowhere : node.address);
  }
  return roots;
}

void GrowingHdf5::end(const std::string& how) {
  if (!published_ && !(appears_at_end_ && committed_end_ > 0)) return;
  run_ = put_texts(heap_of_end_, {how.substr(0, hdf5_page - 64)}, hdf5_page)[0];
  put(0, first_page());
  if (!std::exchange(published_, true)) file_.publish();
}

}  // namespace tandem::cli
