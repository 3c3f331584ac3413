// SPDX-License-Identifier: Apache-2.0
// What describes a growing file: its first page, and what that leads to besides rows and pieces. The numbers of
// sections are those of the HDF5 file format specification, version 3.0.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "files/growing_hdf5.hpp"

namespace tandem::cli {
namespace {

constexpr std::size_t symbols_of_node = 32, most_pieces = 64;
constexpr std::size_t name_tree_bytes = 544, name_heap_bytes = 32;

Index product(const std::vector<Index>& sizes, std::size_t from = 0) {
  Index count = 1;
  for (std::size_t k = from; k < sizes.size(); ++k) count *= sizes[k];
  return count;
}

}  // namespace

void GrowingHdf5::lay_out(Form form) {
  chunk_ = form.chunk;
  appears_at_end_ = form.appears_at_end;
  std::vector<std::string> all = {"running"};
  for (const auto& [name, text] : form.texts) all.push_back(text);
  for (const auto* datasets : {&form.datasets, &form.pieces})
    for (const Dataset& d : *datasets) all.insert(all.end(), {d.units, d.meaning});
  std::size_t room = 64;
  for (const std::string& text : all) room += text.size() + 32;
  room = (room + hdf5_page - 1) / hdf5_page * hdf5_page;
  const std::vector<HeapText> placed = put_texts(take(room, hdf5_page), all, room);
  auto next = placed.begin();
  running_ = run_ = *next++;
  std::vector<std::string> messages;
  for (const auto& [name, text] : form.texts) messages.push_back(hdf5_text_attribute(name, *next++));
  constant_ = put_constant(messages);
  const auto constant_of = [&](const Dataset& d) {
    const HeapText units = *next++, meaning = *next++;
    return put_constant({hdf5_message(0x03, hdf5_number_type(d.number)), hdf5_fill_value(),
                         hdf5_text_attribute("units", units), hdf5_text_attribute("meaning", meaning)});
  };
  for (Dataset& d : form.datasets) {
    Column column{d};
    column.row_bytes = static_cast<std::size_t>(product(d.sizes)) * bytes_of(d.number);
    column.constant = constant_of(d);
    columns_.push_back(std::move(column));
  }
  for (Dataset& d : form.pieces) {
    Pieces pieces{d};
    pieces.piece_bytes = static_cast<std::size_t>(d.piece * product(d.sizes, 1)) * bytes_of(d.number);
    pieces.constant = constant_of(d);
    const auto count = static_cast<std::size_t>(d.sizes.at(0) / d.piece);
    if (count > most_pieces) throw std::logic_error("too many pieces for one page");
    for (Address& node : pieces.nodes) node = take(hdf5_page, hdf5_page);
    for (std::size_t k = 0; k < count; ++k) {
      const Address one = take(pieces.piece_bytes, 8), other = take(pieces.piece_bytes, 8);
      pieces.places.emplace_back(one, other);
    }
    pieces.used.assign(count, -1);
    pieces.next = pieces.used;
    pieces_.push_back(std::move(pieces));
  }
  put_names();
  // room for how it ends, so that this can be said on a full disk, too
  heap_of_end_ = take(hdf5_page, hdf5_page);
  put(heap_of_end_, std::string(hdf5_page, '\0'));
}

/// A place in the file that nothing in the first page leads to yet.
GrowingHdf5::Address GrowingHdf5::take(std::size_t bytes, std::size_t alignment) {
  const Address at = (end_ + alignment - 1) / alignment * alignment;
  end_ = at + bytes;
  return at;
}

void GrowingHdf5::put(Address at, std::string_view bytes) {
  if (writes_) file_.write_at(static_cast<std::int64_t>(at), bytes);
}

/// III.E: a heap of texts, as large as `room`. Empty texts are nowhere.
std::vector<HeapText> GrowingHdf5::put_texts(Address at, const std::vector<std::string>& texts, std::size_t room) {
  Bytes heap{"GCOL"};
  heap.u(1, 4).u(room, 8);
  std::vector<HeapText> placed;
  std::uint32_t index = 0;
  for (const std::string& text : texts) {
    placed.push_back(text.empty() ? HeapText{} : HeapText{text.size(), at, ++index});
    if (!text.empty()) heap.u(index, 2).u(1, 2).u(0, 4).u(text.size(), 8).add(text);
  }
  const std::size_t left = room - heap.text.size();
  heap.u(0, 8).u(left, 8).text.resize(room, '\0');
  put(at, heap.text);
  return placed;
}

/// IV.A.2.q: where messages of a header go on.
GrowingHdf5::Constant GrowingHdf5::put_constant(const std::vector<std::string>& messages) {
  std::string all;
  for (const std::string& m : messages) all += m;
  const Constant placed{take(all.size(), 8), all.size(), messages.size()};
  put(placed.at, all);
  return placed;
}

/// III.A.1, III.B, III.D: what leads from the names of the datasets to their headers in the first page.
void GrowingHdf5::put_names() {
  std::map<std::string, Address> headers;
  Address at = hdf5_superblock + root_header().size();
  for (const Column& column : columns_) {
    headers[column.dataset.name] = at;
    at += header_of(column).size();
  }
  for (const Pieces& pieces : pieces_) {
    headers[pieces.dataset.name] = at;
    at += header_of(pieces).size();
  }
  if (at > hdf5_page || headers.size() > symbols_of_node) throw std::logic_error("too many datasets for one page");

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

  names_ = take(hdf5_page, hdf5_page);
  const Address heap = names_ + name_tree_bytes, first = heap + name_heap_bytes, table = first + names.text.size();
  Bytes page{"TREE"};
  page.u(0, 2).u(1, 2).u(hdf5_nowhere, 8).u(hdf5_nowhere, 8).u(0, 8).u(table, 8).u(last, 8);
  page.text.resize(name_tree_bytes, '\0');
  page.text += "HEAP";
  page.u(0, 4).u(names.text.size(), 8).u(1, 8).u(first, 8);
  page.text += names.text + symbols.text;
  page.text.resize(hdf5_page, '\0');
  put(names_, page.text);
}

namespace {

std::string more_at(std::uint64_t at, std::size_t bytes) {
  return hdf5_message(0x10, Bytes().u(at, 8).u(bytes, 8).text);
}

}  // namespace

/// The text of `run` is where growing_hdf5_resume.cpp looks for it.
std::string GrowingHdf5::root_header() const {
  return hdf5_object_header(
      {hdf5_message(0x11, Bytes().u(names_, 8).u(names_ + name_tree_bytes, 8).text),  // IV.A.2.r: a group
       hdf5_text_attribute("run", run_), more_at(constant_.at, constant_.bytes)},
      constant_.count);
}

/// So are the number of rows and the address of the tree.
std::string GrowingHdf5::header(const Dataset& dataset, bool grows, Address root, const Constant& constant) const {
  const std::vector<Index>& sizes = dataset.sizes;
  const auto dimensions = static_cast<std::uint64_t>(rank(dataset, grows));
  Bytes space;  // IV.A.2.b: sizes now and at most; those of 0 must be called growing to have chunks
  space.u(1, 1).u(dimensions, 1).u(1, 6);
  if (grows) space.u(static_cast<std::uint64_t>(rows_), 8);
  for (const Index size : sizes) space.u(static_cast<std::uint64_t>(size), 8);
  if (grows) space.u(hdf5_nowhere, 8);
  for (const Index size : sizes) space.u(size == 0 ? hdf5_nowhere : static_cast<std::uint64_t>(size), 8);
  Bytes layout;  // IV.A.2.i: in chunks
  layout.u(3, 1).u(2, 1).u(dimensions + 1, 1).u(root, 8);
  layout.u(static_cast<std::uint64_t>(grows ? chunk_ : dataset.piece), 4);
  for (std::size_t k = grows ? 0 : 1; k < sizes.size(); ++k)
    layout.u(static_cast<std::uint64_t>(std::max<Index>(sizes[k], 1)), 4);
  layout.u(bytes_of(dataset.number), 4);
  return hdf5_object_header(
      {hdf5_message(0x01, space.text), hdf5_message(0x08, layout.text), more_at(constant.at, constant.bytes)},
      constant.count);
}

std::string GrowingHdf5::header_of(const Column& column) const {
  return header(column.dataset, true, column.root, column.constant);
}

std::string GrowingHdf5::header_of(const Pieces& pieces) const {
  return header(pieces.dataset, false, pieces.root, pieces.constant);
}

/// II.A: the superblock, the header of the root group, and those of the datasets.
std::string GrowingHdf5::first_page() const {
  Bytes page{"\x89HDF\r\n\x1a\n"};
  page.u(0, 5).u(8, 1).u(8, 1).u(0, 1).u(symbols_of_node / 2, 2).u(16, 2).u(0, 4);
  page.u(0, 8).u(hdf5_nowhere, 8).u(committed_end_, 8).u(hdf5_nowhere, 8);
  page.u(0, 8).u(hdf5_superblock, 8).u(1, 8).u(names_, 8).u(names_ + name_tree_bytes, 8);
  page.text += root_header();
  for (const Column& column : columns_) page.text += header_of(column);
  for (const Pieces& pieces : pieces_) page.text += header_of(pieces);
  if (page.text.size() > hdf5_page) throw std::logic_error("too many attributes for one page");
  page.text.resize(hdf5_page, '\0');
  return page.text;
}

}  // namespace tandem::cli
