// SPDX-License-Identifier: Apache-2.0
#include "file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "tandem/error.hpp"
#include "xml.hpp"

namespace tandem::io {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  throw ModelError({{{path, 0, {}}, why}});
}

}  // namespace

std::string read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) refuse_file(path, std::string("cannot be opened: ") + std::strerror(errno));
  constexpr std::size_t piece = std::size_t{1} << 20;
  std::string text;
  while (true) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    errno = 0;
    const std::size_t count = std::fread(text.data() + before, 1, piece, file.get());
    const int error = errno;
    text.resize(before + count);
    if (std::ferror(file.get())) refuse_file(path, std::string("cannot be read: ") + std::strerror(error));
    if (count == 0 || is_binary(text) || text.size() > longest_xml) return text;
  }
}

}  // namespace tandem::io
