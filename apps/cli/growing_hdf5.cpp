// SPDX-License-Identifier: Apache-2.0
// The numbers of sections are those of the HDF5 file format specification, version 3.0. All structures are of the first
// versions, which every release of the library reads.
#include "growing_hdf5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <stdexcept>

#include "cli.hpp"

namespace tandem::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

constexpr std::uint64_t nowhere = ~std::uint64_t{0};
constexpr std::size_t page_bytes = file_page, children_of_node = 64, symbols_of_node = 16;
constexpr std::size_t superblock_bytes = 96, name_tree_bytes = 544, name_heap_bytes = 32;

/// Little endian numbers one after the other.
struct Bytes {
  std::string text;

  Bytes& u(std::uint64_t value, int bytes) {
    for (int k = 0; k < bytes; ++k) text += static_cast<char>(k < 8 ? value >> (8 * k) & 0xFF : 0);
    return *this;
  }
  /// A text to a multiple of 8 bytes.
  Bytes& add(std::string_view more) {
    text += more;
    return to_multiple_of(8);
  }
  Bytes& to_multiple_of(std::size_t size) {
    text.resize((text.size() + size - 1) / size * size, '\0');
    return *this;
  }
};

/// IV.A.2.d: IEEE floating point numbers.
std::string number_type(bool in_float) {
  Bytes b;
  b.u(0x11, 1).u(0x20, 1).u(in_float ? 31 : 63, 1).u(0, 1).u(in_float ? 4 : 8, 4).u(0, 2).u(in_float ? 32 : 64, 2);
  b.u(in_float ? 23 : 52, 1).u(in_float ? 8 : 11, 1).u(0, 1).u(in_float ? 23 : 52, 1).u(in_float ? 127 : 1023, 4);
  return b.to_multiple_of(8).text;
}

/// IV.A.2.d: a text of any length, UTF-8, whose characters are bytes in a heap.
std::string text_type() {
  return Bytes()
      .u(0x19, 1)
      .u(0x01, 1)
      .u(0x01, 1)
      .u(0, 1)
      .u(16, 4)
      .u(0x10, 1)
      .u(0, 3)
      .u(1, 4)
      .u(0, 2)
      .u(8, 2)
      .add("")
      .text;
}

/// IV.A.1.a: a message of an object's header.
std::string message(int type, const std::string& data) {
  const std::string padded = Bytes().add(data).text;
  return Bytes().u(static_cast<std::uint64_t>(type), 2).u(padded.size(), 2).u(0, 4).text + padded;
}

/// IV.A.1.a: the header of an object.
std::string object_header(const std::vector<std::string>& messages) {
  std::string all;
  for (const std::string& m : messages) all += m;
  return Bytes().u(1, 2).u(messages.size(), 2).u(1, 4).u(all.size(), 8).text + all;
}

}  // namespace

GrowingHdf5::GrowingHdf5(const std::string& path, const Texts& texts, const std::vector<Dataset>& datasets, Index chunk)
    : file_(path), chunk_(chunk) {
  if (!file_.is_ordinary()) throw RunError(fmt::format("cannot write to {}: it is no ordinary file", path));
  std::vector<std::string> all = {"running"};
  for (const auto& [name, text] : texts) all.push_back(text);
  for (const Dataset& d : datasets) all.insert(all.end(), {d.units, d.meaning});
  std::size_t room = 64;
  for (const std::string& text : all) room += text.size() + 32;
  room = (room + page_bytes - 1) / page_bytes * page_bytes;
  const std::vector<Text> placed = put_texts(take(room, page_bytes), all, room);
  auto next = placed.begin();
  run_ = *next++;
  for (const auto& [name, text] : texts) texts_.emplace_back(name, *next++);
  for (const Dataset& d : datasets) {
    const auto width = static_cast<std::size_t>(d.sizes.empty() ? 1 : d.sizes[0]);
    const Text units = *next++, meaning = *next++;
    columns_.push_back({d, units, meaning, width * (d.in_float ? sizeof(float) : sizeof(double)), 0, nowhere, {}});
  }
  put_names();
  // room for how it ends, so that this can be said on a full disk, too
  heap_of_end_ = take(page_bytes, page_bytes);
  put(heap_of_end_, std::string(page_bytes, '\0'));
}

/// A place in the file that nothing in the first page leads to yet.
GrowingHdf5::Address GrowingHdf5::take(std::size_t bytes, std::size_t alignment) {
  const Address at = (end_ + alignment - 1) / alignment * alignment;
  end_ = at + bytes;
  return at;
}

void GrowingHdf5::put(Address at, std::string_view bytes) { file_.write_at(static_cast<std::int64_t>(at), bytes); }

/// III.E: a heap of texts, as large as `room`. Empty texts are nowhere.
std::vector<GrowingHdf5::Text> GrowingHdf5::put_texts(Address at, const std::vector<std::string>& texts,
                                                      std::size_t room) {
  Bytes heap{"GCOL"};
  heap.u(1, 4).u(room, 8);
  std::vector<Text> placed;
  std::uint32_t index = 0;
  for (const std::string& text : texts) {
    placed.push_back(text.empty() ? Text{} : Text{text.size(), at, ++index});
    if (!text.empty()) heap.u(index, 2).u(1, 2).u(0, 4).u(text.size(), 8).add(text);
  }
  const std::size_t left = room - heap.text.size();
  heap.u(0, 8).u(left, 8).text.resize(room, '\0');
  put(at, heap.text);
  return placed;
}

/// III.A.1, III.B, III.D: what leads from the names of the datasets to their headers in the first page.
void GrowingHdf5::put_names() {
  std::map<std::string, Address> headers;
  Address at = superblock_bytes + root_header().size();
  for (const Column& column : columns_) {
    headers[column.dataset.name] = at;
    at += header_of(column).size();
  }
  if (at > page_bytes || headers.size() > symbols_of_node) throw std::logic_error("too many datasets for one page");

  Bytes names, symbols{"SNOD"};
  names.u(0, 8);
  symbols.u(1, 2).u(headers.size(), 2);
  std::size_t last = 0;
  for (const auto& [name, header] : headers) {
    last = names.text.size();
    symbols.u(last, 8).u(header, 8).u(0, 24);
    names.add(name + '\0');
  }
  symbols.text.resize(8 + symbols_of_node * 40, '\0');

  names_ = take(page_bytes, page_bytes);
  const Address heap = names_ + name_tree_bytes, first = heap + name_heap_bytes, table = first + names.text.size();
  Bytes page{"TREE"};
  page.u(0, 2).u(1, 2).u(nowhere, 8).u(nowhere, 8).u(0, 8).u(table, 8).u(last, 8).text.resize(name_tree_bytes, '\0');
  page.text += "HEAP";
  page.u(0, 4).u(names.text.size(), 8).u(1, 8).u(first, 8);
  page.text += names.text + symbols.text;
  page.text.resize(page_bytes, '\0');
  put(names_, page.text);
}

/// III.A.1: a node of the tree that leads from rows to chunks. What the last child may come to hold bounds its rows.
void GrowingHdf5::put_node(const Column& column, std::size_t level, const Node& node, Address right) {
  const bool is_table = !column.dataset.sizes.empty();
  const std::size_t number = column.dataset.in_float ? sizeof(float) : sizeof(double);
  Bytes b{"TREE"};
  const auto key = [&](std::uint64_t row, bool is_end) {
    b.u(is_end ? 0 : static_cast<std::uint64_t>(chunk_) * column.row_bytes, 4).u(0, 4).u(row, 8);
    const bool is_behind = is_end && right == nowhere;
    if (is_table) b.u(is_behind ? column.row_bytes / number : 0, 8);
    b.u(is_behind ? number : 0, 8);
  };
  b.u(1, 1).u(level, 1).u(node.children.size(), 2).u(node.left, 8).u(right, 8);
  for (const auto& [row, child] : node.children) {
    key(row, false);
    b.u(child, 8);
  }
  auto rows_of_child = static_cast<std::uint64_t>(chunk_);
  for (std::size_t k = 0; k < level; ++k) rows_of_child *= children_of_node;
  key(node.children.back().first + rows_of_child, true);
  b.text.resize(page_bytes, '\0');
  put(node.address, b.text);
}

/// Nodes are written before what leads to them.
void GrowingHdf5::add_chunk(Column& column, std::size_t level, std::uint64_t row, Address child) {
  if (level == column.nodes.size()) {
    column.nodes.push_back({take(page_bytes, page_bytes), nowhere, {}});
    if (level > 0) column.nodes[level].children = {{0, column.first_of_level}};
  }
  Node& node = column.nodes[level];
  if (node.children.size() < children_of_node) {
    node.children.emplace_back(row, child);
    put_node(column, level, node, nowhere);
    return;
  }
  const Node full = node;
  node = {take(page_bytes, page_bytes), full.address, {{row, child}}};
  put_node(column, level, node, nowhere);
  put_node(column, level, full, node.address);
  if (level + 1 == column.nodes.size()) column.first_of_level = full.address;
  add_chunk(column, level + 1, row, column.nodes[level].address);
}

void GrowingHdf5::begin_chunks() {
  for (Column& column : columns_) column.chunk = take(static_cast<std::size_t>(chunk_) * column.row_bytes, 8);
}

void GrowingHdf5::append(const std::vector<const void*>& numbers, Index rows) {
  try {
    for (Index done = 0; done < rows;) {
      const Index before = rows_ % chunk_, count = std::min(rows - done, chunk_ - before);
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
          if (column.row_bytes > 0) add_chunk(column, 0, static_cast<std::uint64_t>(rows_), column.chunk);
        file_.lengthen(static_cast<std::int64_t>(end_));
      }
      commit(count);
      done += count;
    }
  } catch (...) {
    if (published_) file_.cut(static_cast<std::int64_t>(committed_end_));
    throw;
  }
}

/// From here on the rows are there.
void GrowingHdf5::commit(Index rows) {
  rows_ += rows;
  committed_end_ = end_;
  for (Column& column : columns_)
    if (!column.nodes.empty()) column.root = column.nodes.back().address;
  put(0, first_page());
  if (!std::exchange(published_, true)) file_.publish();
}

void GrowingHdf5::end(const std::string& how) {
  if (!published_) return;
  run_ = put_texts(heap_of_end_, {how.substr(0, page_bytes - 64)}, page_bytes)[0];
  put(0, first_page());
}

/// IV.A.2.m, III.E
std::string GrowingHdf5::text_attribute(const std::string& name, const Text& text) {
  Bytes b;
  b.u(1, 2).u(name.size() + 1, 2).u(text_type().size(), 2).u(8, 2).add(name + '\0').add(text_type());
  b.u(1, 8);  // IV.A.2.b: of one element
  b.u(text.size, 4).u(text.heap, 8).u(text.index, 4);
  return message(0x0C, b.text);
}

std::string GrowingHdf5::root_header() const {
  std::vector<std::string> messages = {
      message(0x11, Bytes().u(names_, 8).u(names_ + name_tree_bytes, 8).text),  // IV.A.2.r: a group
      text_attribute("run", run_)};
  for (const auto& [name, text] : texts_) messages.push_back(text_attribute(name, text));
  return object_header(messages);
}

std::string GrowingHdf5::header_of(const Column& column) const {
  const std::vector<Index>& sizes = column.dataset.sizes;
  const std::size_t rank = 1 + sizes.size();
  Bytes space;  // IV.A.2.b: sizes now and at most; those of 0 must be called growing to have chunks
  space.u(1, 1).u(rank, 1).u(1, 6).u(static_cast<std::uint64_t>(rows_), 8);
  for (const Index size : sizes) space.u(static_cast<std::uint64_t>(size), 8);
  space.u(nowhere, 8);
  for (const Index size : sizes) space.u(size == 0 ? nowhere : static_cast<std::uint64_t>(size), 8);
  Bytes layout;  // IV.A.2.i: in chunks
  layout.u(3, 1).u(2, 1).u(rank + 1, 1).u(column.root, 8).u(static_cast<std::uint64_t>(chunk_), 4);
  for (const Index size : sizes) layout.u(static_cast<std::uint64_t>(std::max<Index>(size, 1)), 4);
  layout.u(column.dataset.in_float ? sizeof(float) : sizeof(double), 4);
  return object_header({message(0x01, space.text), message(0x03, number_type(column.dataset.in_float)),
                        message(0x05, Bytes().u(2, 1).u(3, 1).u(2, 1).u(1, 5).text),  // IV.A.2.f: zeros
                        message(0x08, layout.text), text_attribute("units", column.units),
                        text_attribute("meaning", column.meaning)});
}

/// II.A: the superblock, the header of the root group, and those of the datasets.
std::string GrowingHdf5::first_page() const {
  Bytes page{"\x89HDF\r\n\x1a\n"};
  page.u(0, 5).u(8, 1).u(8, 1).u(0, 1).u(symbols_of_node / 2, 2).u(16, 2).u(0, 4);
  page.u(0, 8).u(nowhere, 8).u(committed_end_, 8).u(nowhere, 8);
  page.u(0, 8).u(superblock_bytes, 8).u(1, 8).u(names_, 8).u(names_ + name_tree_bytes, 8);
  page.text += root_header();
  for (const Column& column : columns_) page.text += header_of(column);
  page.text.resize(page_bytes, '\0');
  return page.text;
}

}  // namespace tandem::cli
