// SPDX-License-Identifier: Apache-2.0
#include "tandem/io/urdf.hpp"

#include <utility>

#include "core/text.hpp"
#include "file.hpp"
#include "urdf_reader.hpp"

namespace tandem {
ModelBuilder io::complete_urdf(std::string_view text, const std::string& name, const MeshOptions& meshes) {
  UrdfReading reading = read_urdf_text(text, name, meshes);
  if (!reading.complete) throw ModelError(reading.description.problems());
  return std::move(reading.description);
}

Model load_urdf(const std::string& path, const BuildOptions& options, const MeshOptions& meshes) {
  return read_urdf_file(path, meshes).build(options);
}

Model parse_urdf(std::string_view text, const BuildOptions& options, const std::string& name,
                 const MeshOptions& meshes) {
  return io::complete_urdf(text, name, meshes).build(options);
}

ModelBuilder read_urdf_file(const std::string& path, const MeshOptions& meshes) {
  return io::complete_urdf(io::read_file(path), path, meshes);
}

ModelBuilder read_urdf(std::string_view text, const std::string& name, const MeshOptions& meshes) {
  if (text.find('<') == std::string_view::npos)  // a builder of nothing would say so when it is built at last
    throw Error(
        sentence("read_urdf: text is ", in_quotes(text), ", expected URDF text; for a file use describe(file)"));
  return io::read_urdf_text(text, name, meshes).description;
}

}  // namespace tandem
