// SPDX-License-Identifier: Apache-2.0
/// Parts of an HDF5 file as bytes, of the first versions of every structure. The numbers of sections are those of the
/// HDF5 file format specification, version 3.0.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::cli {

constexpr std::uint64_t hdf5_nowhere = ~std::uint64_t{0};
constexpr std::size_t hdf5_page = 4096;  ///< bytes of the pages in which growing files lie
constexpr std::size_t hdf5_superblock = 96;

/// What the numbers of a dataset are.
enum class Hdf5Number { f64, f32, i64, u8 };
std::size_t bytes_of(Hdf5Number number);

/// Little endian numbers one after the other.
struct Bytes {
  std::string text;

  Bytes& u(std::uint64_t value, int bytes);
  /// A text to a multiple of 8 bytes.
  Bytes& add(std::string_view more);
  Bytes& to_multiple_of(std::size_t size);
};

/// A little endian number out of some bytes.
std::uint64_t number_at(std::string_view bytes, std::size_t at, int size);

/// Where a text stands among the texts of a heap.
struct HeapText {
  std::size_t size = 0;
  std::uint64_t heap = 0;
  std::uint32_t index = 0;
};

/// IV.A.2.d: the types of numbers.
std::string hdf5_number_type(Hdf5Number number);
/// IV.A.1.a: a message of an object's header.
std::string hdf5_message(int type, const std::string& data);
/// IV.A.2.m, III.E: an attribute that is a text in a heap. Its last 16 bytes say where.
std::string hdf5_text_attribute(const std::string& name, const HeapText& text);
/// IV.A.2.f: zeros where nothing was written.
std::string hdf5_fill_value();
/// IV.A.1.a: the header of an object; further messages, `more` of them, stand elsewhere.
std::string hdf5_object_header(const std::vector<std::string>& messages, std::size_t more = 0);

}  // namespace tandem::cli
