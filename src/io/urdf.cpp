// SPDX-License-Identifier: Apache-2.0
#include "tandem/io/urdf.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "core/text.hpp"
#include "urdf_reader.hpp"
#include "xml.hpp"

namespace tandem {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  throw ModelError({{{path, 0, {}}, why}});
}

/// All of a file or pipe; stops early at what can be no robot description, as the reader will say.
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
    if (count == 0 || io::is_binary(text) || text.size() > io::longest_xml) return text;
  }
}

/// What a text says that could be read to its end: half a robot would only add problems that follow from the missing half.
ModelBuilder complete(std::string_view text, const std::string& name) {
  io::UrdfReading reading = io::read_urdf_text(text, name);
  if (!reading.complete) throw ModelError(reading.description.problems());
  return std::move(reading.description);
}

}  // namespace

Model load_urdf(const std::string& path, const BuildOptions& options) { return read_urdf_file(path).build(options); }

Model parse_urdf(std::string_view text, const BuildOptions& options, const std::string& name) {
  return complete(text, name).build(options);
}

ModelBuilder read_urdf_file(const std::string& path) { return complete(read_file(path), path); }

ModelBuilder read_urdf(std::string_view text, const std::string& name) {
  if (text.find('<') == std::string_view::npos)  // a builder of nothing would say so when it is built at last
    throw Error(sentence("read_urdf: text is ", in_quotes(text), ", expected URDF text; of a file, describe(file)"));
  return io::read_urdf_text(text, name).description;
}

}  // namespace tandem
