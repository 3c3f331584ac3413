// SPDX-License-Identifier: Apache-2.0
/// An HDF5 file that is whole at every moment while it grows. The HDF5 library writes what describes a file in many
/// places and in an order of its own, so that a program that is killed, or a disk that is full, can leave a file that
/// does not open, or datasets of different lengths. Here all that changes when rows are added, the lengths of all
/// datasets among it, stands in the first page of the file, which is written last, by a single write. See
/// docs/decisions/0011-recordings.md.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/hdf5_bytes.hpp"
#include "files/new_file.hpp"
#include "tandem/tandem.hpp"

namespace tandem::cli {

/// Datasets that grow together, row by row, and others that are replaced piece by piece. Needs no library. A failure is
/// a RunError that names the file, in which stays what was appended before.
class GrowingHdf5 {
 public:
  struct Dataset {
    std::string name, units, meaning;
    std::vector<Index> sizes;  ///< of a row; of a dataset of pieces all
    Hdf5Number number = Hdf5Number::f64;
    Index piece = 1;  ///< rows of a piece, of a dataset of pieces
  };
  using Texts = std::vector<std::pair<std::string, std::string>>;
  /// What is in a file, and how it goes on.
  struct Form {
    Texts texts;                    ///< attributes of the file
    std::vector<Dataset> datasets;  ///< of rows
    Index chunk = 1;                ///< rows that lie side by side
    std::vector<Dataset> pieces;    ///< datasets that are replaced; at most 64 pieces each
    bool appears_at_end = false;    ///< the file does, rather than with its first rows
  };

  /// A new one. No other process may write to it meanwhile.
  GrowingHdf5(const std::string& path, Form form);
  /// One that was written in this form, by a run that has ended or was killed: to go on where it stopped, or to read.
  /// Throws Error if the file has another form, or is damaged.
  GrowingHdf5(const std::string& path, Form form, NewFile::Open how);

  /// `numbers`: for each dataset those of `rows` rows, in its precision. Pieces that were put before appear with them.
  void append(const std::vector<const void*>& numbers, Index rows);
  /// A piece of a dataset of pieces from the next append() on: its numbers, or null: zeros.
  void put_piece(std::size_t dataset, std::size_t piece, const void* numbers);
  /// The attribute `run` from now on; until then it is "running".
  void end(const std::string& how);
  void close() { file_.close(); }

  /// How many rows there are, and some of them.
  Index rows() const { return rows_; }
  void read_rows(std::size_t dataset, Index begin, Index count, void* numbers) const;
  void read_piece(std::size_t dataset, std::size_t piece, void* numbers) const;
  /// The attributes of a file that was written by this class, `run` among them; none of any other file.
  static std::optional<std::map<std::string, std::string>> texts_of(const std::string& path);

 private:
  using Address = std::uint64_t;
  /// A node of a tree of chunks: their first rows, and where they or further nodes are.
  struct Node {
    Address address, left;
    std::vector<std::pair<std::uint64_t, Address>> children;
  };
  /// Messages of an object's header that never change, and where they are.
  struct Constant {
    Address at = 0;
    std::size_t bytes = 0, count = 0;
  };
  struct Column {
    Dataset dataset;
    std::size_t row_bytes = 0;
    Constant constant = {};
    Address chunk = 0;                 ///< that is being filled
    Address root = hdf5_nowhere;       ///< of the tree, as the first page has it
    std::vector<Node> nodes = {};      ///< the last one of every level, of chunks first
    Address first_of_level = 0;        ///< the first node of the highest level that has more than one
    std::vector<Address> chunks = {};  ///< all of them
  };
  /// Every piece has two places, and so has the tree that leads to them: one that is in use, and a spare one.
  struct Pieces {
    Dataset dataset;
    std::size_t piece_bytes = 0;
    Constant constant = {};
    Address root = hdf5_nowhere;
    Address nodes[2] = {0, 0};
    std::vector<std::pair<Address, Address>> places = {};
    std::vector<int> used = {}, next = {};  ///< the place in use, and from the next commit on; -1: none
  };

  // growing_hdf5_layout.cpp: all but rows and pieces
  void lay_out(Form form);
  Address take(std::size_t bytes, std::size_t alignment);
  void put(Address at, std::string_view bytes);
  std::vector<HeapText> put_texts(Address at, const std::vector<std::string>& texts, std::size_t room);
  Constant put_constant(const std::vector<std::string>& messages);
  void put_names();
  static Index rank(const Dataset& dataset, bool grows) { return static_cast<Index>(dataset.sizes.size()) + grows; }
  std::string root_header() const;
  std::string header(const Dataset& dataset, bool grows, Address root, const Constant& constant) const;
  std::string header_of(const Column& column) const;
  std::string header_of(const Pieces& pieces) const;
  std::string first_page() const;

  // growing_hdf5.cpp
  void put_node(const Dataset& dataset, bool grows, std::size_t level, const Node& node, Address right);
  void add_chunk(Column& column, std::size_t level, std::uint64_t row, Address child);
  void begin_chunks();
  void commit(Index rows);
  std::vector<Address> put_trees_of_pieces();

  // growing_hdf5_resume.cpp
  void find_rows(const std::string& page);
  void find_pieces(Pieces& pieces, Address root);

  NewFile file_;
  std::string path_;
  bool writes_ = true;
  HeapText running_, run_;
  Constant constant_;  ///< of the file
  std::vector<Column> columns_;
  std::vector<Pieces> pieces_;
  Index chunk_ = 1, rows_ = 0;  ///< rows, and committed_end_: what the first page says
  Address end_ = file_page, committed_end_ = 0, names_ = 0, heap_of_end_ = 0;
  bool published_ = false, appears_at_end_ = false;
};

}  // namespace tandem::cli
