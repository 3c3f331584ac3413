// SPDX-License-Identifier: Apache-2.0
// A growing file that is opened again. Where everything in it is follows from its form and the number of its rows: the
// file is laid out anew in memory, and must come to the first page that it has.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "cli.hpp"
#include "files/growing_hdf5.hpp"

namespace tandem::cli {
namespace {

constexpr std::size_t header_bytes = 16, message_bytes = 8;  // before an object's messages, before their data
constexpr std::size_t node_bytes = 24, most_texts = std::size_t{1} << 28;
constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";

[[noreturn]] void refuse_growing(const std::string& path) {
  throw Error(fmt::format("{} is damaged, or was not written by a run with these options", path));
}

/// The place of a dataset's tree, behind what its header says of its sizes.
std::size_t root_in_header(std::size_t rank) { return header_bytes + 2 * message_bytes + 8 + 16 * rank + 3; }

}  // namespace

GrowingHdf5::GrowingHdf5(const std::string& path, Form form, NewFile::Open how)
    : file_(path, how), path_(path), writes_(false), published_(true) {
  lay_out(std::move(form));
  std::string page(hdf5_page, '\0');
  if (!file_.read_at(0, page.data(), page.size())) refuse_growing(path);
  find_rows(page);
  std::size_t at = hdf5_superblock + root_header().size();
  const std::size_t run =
      hdf5_superblock + header_bytes + message_bytes + 16 + hdf5_text_attribute("run", run_).size() - 16;
  for (const Column& column : columns_) at += header_of(column).size();
  for (Pieces& pieces : pieces_) {
    find_pieces(pieces, number_at(page, at + root_in_header(pieces.dataset.sizes.size()), 8));
    at += header_of(pieces).size();
  }
  run_ = {number_at(page, run, 4), number_at(page, run + 4, 8),
          static_cast<std::uint32_t>(number_at(page, run + 12, 4))};
  if (run_.heap != running_.heap && run_.heap != heap_of_end_) refuse_growing(path);
  char last = 0;
  if (first_page() != page || !file_.read_at(static_cast<std::int64_t>(committed_end_) - 1, &last, 1))
    refuse_growing(path);
  if (how == NewFile::Open::to_read) return;
  writes_ = true;
  run_ = running_;
  file_.cut(static_cast<std::int64_t>(committed_end_));  // what was not committed
}

/// Lays out as many rows as there are.
void GrowingHdf5::find_rows(const std::string& page) {
  const std::size_t at = hdf5_superblock + root_header().size() + header_bytes + message_bytes + 8;
  const std::uint64_t rows = number_at(page, at, 8);
  if (columns_.empty() || rows >> 48 != 0) refuse_growing(path_);
  std::size_t per_row = 1;
  for (const Column& column : columns_) per_row = std::max(per_row, column.row_bytes);
  char last = 0;  // a file as long as that many rows need, or the number is wrong
  if (rows > 1 && !file_.read_at(static_cast<std::int64_t>((rows - 1) * per_row), &last, 1)) refuse_growing(path_);
  for (std::uint64_t row = 0; row < rows; row += static_cast<std::uint64_t>(chunk_)) {
    begin_chunks();
    for (Column& column : columns_)
      if (column.row_bytes > 0) add_chunk(column, 0, row, column.chunk);
  }
  rows_ = static_cast<Index>(rows);
  committed_end_ = end_;
  for (Column& column : columns_)
    if (!column.nodes.empty()) column.root = column.nodes.back().address;
}

/// Which of the places of every piece are in use.
void GrowingHdf5::find_pieces(Pieces& pieces, Address root) {
  pieces.root = root;
  if (root == hdf5_nowhere) return;
  std::string node(hdf5_page, '\0');
  if ((root != pieces.nodes[0] && root != pieces.nodes[1]) ||
      !file_.read_at(static_cast<std::int64_t>(root), node.data(), node.size()) || !node.starts_with("TREE"))
    refuse_growing(path_);
  const std::size_t key = 8 + 8 * (pieces.dataset.sizes.size() + 1), children = number_at(node, 6, 2);
  if (children > pieces.places.size()) refuse_growing(path_);
  for (std::size_t k = 0; k < children; ++k) {
    const std::size_t at = node_bytes + k * (key + 8);
    const std::uint64_t piece = number_at(node, at + 8, 8) / static_cast<std::uint64_t>(pieces.dataset.piece);
    const std::uint64_t place = number_at(node, at + key, 8);
    if (piece >= pieces.places.size()) refuse_growing(path_);
    const auto& [one, other] = pieces.places[piece];
    if (place != one && place != other) refuse_growing(path_);
    pieces.used[piece] = place == one ? 0 : 1;
  }
  pieces.next = pieces.used;
}

void GrowingHdf5::read_rows(std::size_t dataset, Index begin, Index count, void* numbers) const {
  const Column& column = columns_[dataset];
  auto* to = static_cast<char*>(numbers);
  for (Index done = 0; done < count;) {
    const Index row = begin + done, within = row % chunk_, n = std::min(count - done, chunk_ - within);
    const std::size_t bytes = static_cast<std::size_t>(n) * column.row_bytes;
    const Address at =
        column.chunks[static_cast<std::size_t>(row / chunk_)] + static_cast<std::size_t>(within) * column.row_bytes;
    if (!file_.read_at(static_cast<std::int64_t>(at), to, bytes)) refuse_growing(path_);
    to += bytes;
    done += n;
  }
}

void GrowingHdf5::read_piece(std::size_t dataset, std::size_t piece, void* numbers) const {
  const Pieces& pieces = pieces_[dataset];
  std::memset(numbers, 0, pieces.piece_bytes);
  if (pieces.used[piece] < 0) return;
  const auto& [one, other] = pieces.places[piece];
  if (!file_.read_at(static_cast<std::int64_t>(pieces.used[piece] == 0 ? one : other), static_cast<char*>(numbers),
                     pieces.piece_bytes))
    refuse_growing(path_);
}

namespace {

/// Texts of the attributes among some messages of a header.
class Attributes {
 public:
  Attributes(const NewFile& file, std::map<std::string, std::string>& texts) : file_(file), texts_(texts) {}

  /// False where something is not as this program writes it.
  bool read(std::uint64_t at, std::size_t bytes, bool goes_on) {
    if (bytes > (std::size_t{1} << 20)) return false;
    std::string all(bytes, '\0');
    if (!file_.read_at(static_cast<std::int64_t>(at), all.data(), bytes)) return false;
    for (std::size_t k = 0; k + message_bytes <= bytes;) {
      const std::size_t type = number_at(all, k, 2), size = number_at(all, k + 2, 2), data = k + message_bytes;
      if (data + size > bytes) return false;
      if (type == 0x0C && !attribute({all.data() + data, size})) return false;
      if (type == 0x10 && goes_on && (size < 16 || !read(number_at(all, data, 8), number_at(all, data + 8, 8), false)))
        return false;
      k = data + size;
    }
    return true;
  }

 private:
  bool attribute(std::string_view data) {
    if (data.size() < 24) return false;
    const std::size_t name = number_at(data, 2, 2), to = data.size() - 16;
    if (name == 0 || 8 + name > to) return false;
    const std::uint64_t size = number_at(data, to, 4), heap = number_at(data, to + 4, 8),
                        index = number_at(data, to + 12, 4);
    std::string text;
    if (size > 0 && !find(heap, index, size, text)) return false;
    texts_[std::string(data.substr(8, name - 1))] = text;
    return true;
  }

  bool find(std::uint64_t heap, std::uint64_t index, std::uint64_t size, std::string& text) {
    char head[16];
    if (heap > most_texts || !file_.read_at(static_cast<std::int64_t>(heap), head, sizeof head)) return false;
    const std::string_view words(head, sizeof head);
    if (!words.starts_with("GCOL")) return false;
    const std::uint64_t end = number_at(words, 8, 8);
    for (std::uint64_t at = 16; at + 16 <= end && end < most_texts;) {
      if (!file_.read_at(static_cast<std::int64_t>(heap + at), head, sizeof head)) return false;
      const std::uint64_t found = number_at(words, 0, 2), bytes = number_at(words, 8, 8);
      if (found == index && bytes == size && bytes <= end) {
        text.resize(size);
        return file_.read_at(static_cast<std::int64_t>(heap + at + 16), text.data(), size);
      }
      if (found == 0 || bytes > end) return false;
      at += 16 + (bytes + 7) / 8 * 8;
    }
    return false;
  }

  const NewFile& file_;
  std::map<std::string, std::string>& texts_;
};

}  // namespace

std::optional<std::map<std::string, std::string>> GrowingHdf5::texts_of(const std::string& path) {
  const NewFile file(path, NewFile::Open::to_read);
  std::string page(hdf5_page, '\0');
  std::map<std::string, std::string> texts;
  if (!file.read_at(0, page.data(), page.size()) || !page.starts_with(signature) || page[8] != 0 ||
      number_at(page, 64, 8) != hdf5_superblock)
    return std::nullopt;
  const std::size_t bytes = number_at(page, hdf5_superblock + 8, 4);
  if (!Attributes(file, texts).read(hdf5_superblock + header_bytes, bytes, true) || !texts.contains("run"))
    return std::nullopt;
  return texts;
}

}  // namespace tandem::cli
