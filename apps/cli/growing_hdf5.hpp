// SPDX-License-Identifier: Apache-2.0
/// An HDF5 file that is whole at every moment while it grows. The HDF5 library writes what describes a file in many places
/// and in an order of its own, so that a program that is killed, or a disk that is full, can leave a file that does not
/// open, or datasets of different lengths. Here all that changes when rows are added, the lengths of all datasets among it,
/// stands in the first page of the file, which is written last and in one go. See docs/decisions/0011-recordings.md.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "new_file.hpp"
#include "tandem/tandem.hpp"

namespace tandem::cli {

/// Datasets that grow together, row by row. Needs no library. A failure is a RunError that names the file, in which stays
/// what was appended before.
class GrowingHdf5 {
 public:
  struct Dataset {
    std::string name, units, meaning;
    std::vector<Index> sizes;  ///< of a row: none or one
    bool in_float = false;     ///< else double
  };
  using Texts = std::vector<std::pair<std::string, std::string>>;

  /// `texts`: attributes of the file. `chunk`: rows that lie side by side. The file appears with its first rows.
  GrowingHdf5(const std::string& path, const Texts& texts, const std::vector<Dataset>& datasets, Index chunk);

  /// `numbers`: for each dataset those of `rows` rows, in its precision.
  void append(const std::vector<const void*>& numbers, Index rows);
  /// The attribute `run` from now on; until then it is "running".
  void end(const std::string& how);
  void close() { file_.close(); }

 private:
  using Address = std::uint64_t;
  /// Where a text stands among the texts of a heap.
  struct Text {
    std::size_t size = 0;
    Address heap = 0;
    std::uint32_t index = 0;
  };
  /// A node of a tree of chunks: their first rows, and where they or further nodes are.
  struct Node {
    Address address, left;
    std::vector<std::pair<std::uint64_t, Address>> children;
  };
  struct Column {
    Dataset dataset;
    Text units, meaning;
    std::size_t row_bytes;
    Address chunk;               ///< that is being filled
    Address root;                ///< of the tree, as the first page has it
    std::vector<Node> nodes;     ///< the last one of every level, of chunks first
    Address first_of_level = 0;  ///< the first node of the highest level that has more than one
  };

  Address take(std::size_t bytes, std::size_t alignment);
  void put(Address at, std::string_view bytes);
  std::vector<Text> put_texts(Address at, const std::vector<std::string>& texts, std::size_t room);
  void put_names();
  void put_node(const Column& column, std::size_t level, const Node& node, Address right);
  void add_chunk(Column& column, std::size_t level, std::uint64_t row, Address child);
  void begin_chunks();
  void commit(Index rows);
  static std::string text_attribute(const std::string& name, const Text& text);
  std::string root_header() const;
  std::string header_of(const Column& column) const;
  std::string first_page() const;

  NewFile file_;
  std::vector<std::pair<std::string, Text>> texts_;
  Text run_;
  std::vector<Column> columns_;
  Index chunk_, rows_ = 0;  ///< rows, and committed_end_: what the first page says
  Address end_ = file_page, committed_end_ = 0, names_ = 0, heap_of_end_ = 0;
  bool published_ = false;
};

}  // namespace tandem::cli
