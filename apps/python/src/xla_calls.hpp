// SPDX-License-Identifier: Apache-2.0
/// What XLA, which compiles for JAX, hands to functions that are called from compiled code: the part of its binary
/// interface for foreign functions (version 0.1 and later ones, which only add members behind these) that is used here.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tandem::python::xla {

struct Extension {
  std::size_t size;
  int type;
  Extension* next;
};
inline constexpr int metadata_extension = 1;

struct Version {
  std::size_t size;
  Extension* extensions;
  int major, minor;
};

struct Metadata {
  std::size_t size;
  Version version;
  std::uint32_t traits;
};

struct MetadataExtension {
  Extension base;
  Metadata* metadata;
};

struct Error;  ///< of XLA
inline constexpr int invalid_argument = 3;

struct ErrorArguments {
  std::size_t size;
  Extension* extensions;
  const char* message;
  int code;
};

struct Context;
struct StreamArguments {
  std::size_t size;
  Extension* extensions;
  Context* context;
  void* stream;
};

struct Functions {
  std::size_t size;
  Extension* extensions;
  Version version;
  const void* internal;
  Error* (*create_error)(ErrorArguments*);
  void* others[3];
  Error* (*get_stream)(StreamArguments*);
};

inline constexpr int int64_type = 5, float32_type = 11, float64_type = 12;

struct Buffer {
  std::size_t size;
  Extension* extensions;
  int type;
  void* data;
  std::int64_t rank;
  std::int64_t* sizes;
};

struct Name {
  const char* text;
  std::size_t length;
};
struct Scalar {
  int type;
  void* value;
};
inline constexpr int scalar_attribute = 3;

struct Buffers {
  std::size_t size;
  Extension* extensions;
  std::int64_t count;
  int* types;
  void** entries;
};
struct Attributes {
  std::size_t size;
  Extension* extensions;
  std::int64_t count;
  int* types;
  Name** names;
  void** entries;
};

struct Call {
  std::size_t size;
  Extension* extensions;
  const Functions* functions;
  Context* context;
  int stage;
  Buffers inputs, outputs;
  Attributes attributes;
};

}  // namespace tandem::python::xla
