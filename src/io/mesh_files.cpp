// SPDX-License-Identifier: Apache-2.0
/// Where the meshes of a URDF are, and what their files hold.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "core/text.hpp"
#include "mesh_formats.hpp"
#include "tandem/io/meshes.hpp"

namespace tandem {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t longest_mesh = std::uintmax_t{1} << 30;

/// A path as errors show it, whole.
std::string shown(const fs::path& path) {
  std::string text = "\"";
  for (const char c : path.lexically_normal().string())
    text += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  return text + "\"";
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// The folder of a file, or the current one where the name is that of no file.
fs::path folder_of(const std::string& file) {
  std::error_code error;
  const fs::path current = fs::current_path(error);
  return is_file(file) ? (current / file).parent_path().lexically_normal() : current;
}

/// %20 and the like, as URIs have them.
std::string decoded(std::string_view text) {
  std::string all;
  const auto digit = [](char c) {
    const std::size_t place = std::string_view("0123456789abcdef0123456789ABCDEF").find(c);
    return place == std::string_view::npos ? -1 : static_cast<int>(place % 16);
  };
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (text[k] == '%' && k + 2 < text.size() && digit(text[k + 1]) >= 0 && digit(text[k + 2]) >= 0) {
      all += static_cast<char>(16 * digit(text[k + 1]) + digit(text[k + 2]));
      k += 2;
    } else {
      all += text[k];
    }
  }
  return all;
}

void add_folders_of(const char* variable, std::vector<fs::path>& folders) {
  const char* given = std::getenv(variable);
  std::string_view rest = given != nullptr ? given : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(':'), rest.size());
    if (end > 0) {
      folders.emplace_back(rest.substr(0, end));
      folders.emplace_back(folders.back() / "share");
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string content_of(const std::string& path) {
  std::error_code error;
  if (!is_file(path)) throw Error("is no file");
  const std::uintmax_t size = fs::file_size(path, error);
  if (error || size > longest_mesh) throw Error(sentence("has ", size, " bytes, expected at most ", longest_mesh));
  const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (!file) throw Error(sentence("cannot be opened: ", std::strerror(errno)));
  std::string content(static_cast<std::size_t>(size), '\0');
  content.resize(std::fread(content.data(), 1, content.size(), file.get()));
  if (content.size() != size) throw Error(sentence("ends after ", content.size(), " of ", size, " bytes"));
  return content;
}

io::Vertices vertices_of(const std::string& path, const std::string& format) {
  const std::string content = content_of(path);
  return format == "stl" ? io::read_stl(content) : io::read_obj(content);
}

}  // namespace

std::string find_mesh_file(const std::string& name, const std::string& urdf, const std::vector<std::string>& packages) {
  const fs::path here = folder_of(urdf);
  std::string_view rest = name;
  const bool in_package = rest.starts_with("package://") || rest.starts_with("model://");
  if (!in_package) {
    if (rest.starts_with("file://")) rest.remove_prefix(7);
    const fs::path path = here / decoded(rest);
    if (is_file(path)) return path.string();
    throw Error(sentence("there is no file ", shown(path)));
  }
  rest.remove_prefix(rest.find("://") + 3);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  if (slash == 0) throw Error("no package is named");
  const fs::path package = rest.substr(0, slash), file = decoded(rest.substr(std::min(slash + 1, rest.size())));
  std::vector<fs::path> folders(packages.begin(), packages.end());
  for (fs::path& folder : folders) folder = (fs::absolute(folder) / "").lexically_normal().parent_path();
  add_folders_of("ROS_PACKAGE_PATH", folders);
  add_folders_of("AMENT_PREFIX_PATH", folders);
  folders.push_back(here);
  for (fs::path above = here; above.has_relative_path(); folders.push_back(above)) above = above.parent_path();
  for (const fs::path& folder : folders)
    for (const fs::path& root : {folder / package, folder})
      if (root.filename() == package && is_file(root / file)) return (root / file).string();
  throw Error(sentence("there is no ", shown(package / file), " in the folders ", comma_separated(folders, shown),
                       "; packages = [folder], or ROS_PACKAGE_PATH, names the folder of ", shown(package)));
}

std::vector<std::array<double, 3>> read_mesh_file(const std::string& path) {
  const std::string format = io::mesh_format(path);
  try {
    if (format != "stl" && format != "obj")
      throw Error(sentence("the format is ", in_quotes(format), ", expected stl or obj"));
    const io::Vertices vertices = vertices_of(path, format);
    if (vertices.empty()) throw Error("there are no triangles");
    return convex_hull(vertices);
  } catch (const Error& error) {
    throw Error(sentence(shown(path), ": ", error.what()));
  }
}

}  // namespace tandem
