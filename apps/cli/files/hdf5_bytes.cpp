// SPDX-License-Identifier: Apache-2.0
#include "files/hdf5_bytes.hpp"

#include <bit>

namespace tandem::cli {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

std::size_t bytes_of(Hdf5Number number) {
  switch (number) {
    case Hdf5Number::f32: return 4;
    case Hdf5Number::u8: return 1;
    case Hdf5Number::f64:
    case Hdf5Number::i64: break;
  }
  return 8;
}

Bytes& Bytes::u(std::uint64_t value, int bytes) {
  for (int k = 0; k < bytes; ++k) text += static_cast<char>(k < 8 ? value >> (8 * k) & 0xFF : 0);
  return *this;
}

Bytes& Bytes::add(std::string_view more) {
  text += more;
  return to_multiple_of(8);
}

Bytes& Bytes::to_multiple_of(std::size_t size) {
  text.resize((text.size() + size - 1) / size * size, '\0');
  return *this;
}

std::uint64_t number_at(std::string_view bytes, std::size_t at, int size) {
  std::uint64_t value = 0;
  for (int k = 0; k < size; ++k)
    value |= std::uint64_t{static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(k)])} << (8 * k);
  return value;
}

namespace {

/// IEEE floating point numbers.
std::string float_type(bool is_short) {
  Bytes b;
  b.u(0x11, 1).u(0x20, 1).u(is_short ? 31 : 63, 1).u(0, 1).u(is_short ? 4 : 8, 4).u(0, 2).u(is_short ? 32 : 64, 2);
  b.u(is_short ? 23 : 52, 1).u(is_short ? 8 : 11, 1).u(0, 1).u(is_short ? 23 : 52, 1).u(is_short ? 127 : 1023, 4);
  return b.to_multiple_of(8).text;
}

std::string whole_type(std::size_t size, bool has_sign) {
  Bytes b;
  b.u(0x10, 1).u(has_sign ? 0x08 : 0, 1).u(0, 2).u(size, 4).u(0, 2).u(8 * size, 2);
  return b.to_multiple_of(8).text;
}

/// A text of any length, UTF-8, whose characters are bytes in a heap.
std::string text_type() {
  Bytes b;
  b.u(0x19, 1).u(0x01, 1).u(0x01, 1).u(0, 1).u(16, 4);
  return b.u(0x10, 1).u(0, 3).u(1, 4).u(0, 2).u(8, 2).to_multiple_of(8).text;
}

}  // namespace

std::string hdf5_number_type(Hdf5Number number) {
  switch (number) {
    case Hdf5Number::f32: return float_type(true);
    case Hdf5Number::i64: return whole_type(8, true);
    case Hdf5Number::u8: return whole_type(1, false);
    case Hdf5Number::f64: break;
  }
  return float_type(false);
}

std::string hdf5_message(int type, const std::string& data) {
  const std::string padded = Bytes().add(data).text;
  return Bytes().u(static_cast<std::uint64_t>(type), 2).u(padded.size(), 2).u(0, 4).text + padded;
}

std::string hdf5_text_attribute(const std::string& name, const HeapText& text) {
  Bytes b;
  b.u(1, 2).u(name.size() + 1, 2).u(text_type().size(), 2).u(8, 2).add(name + '\0').add(text_type());
  b.u(1, 8);  // IV.A.2.b: of one element
  b.u(text.size, 4).u(text.heap, 8).u(text.index, 4);
  return hdf5_message(0x0C, b.text);
}

std::string hdf5_fill_value() { return hdf5_message(0x05, Bytes().u(2, 1).u(3, 1).u(2, 1).u(1, 5).text); }

std::string hdf5_object_header(const std::vector<std::string>& messages, std::size_t more) {
  std::string all;
  for (const std::string& m : messages) all += m;
  return Bytes().u(1, 2).u(messages.size() + more, 2).u(1, 4).u(all.size(), 8).text + all;
}

}  // namespace tandem::cli
