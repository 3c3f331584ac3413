// SPDX-License-Identifier: Apache-2.0
#include "mjcf_library.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "core/text.hpp"
#include "tandem/error.hpp"

namespace tandem::io {
namespace {

/// A file, or what a folder has that is called so.
void add_candidates(std::vector<std::string>& names, const std::string& given) {
  std::error_code error;
  if (!std::filesystem::is_directory(given, error)) {
    names.push_back(given);
    return;
  }
  for (const char* inner : {"", "lib"})
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(given) / inner, error))
      if (entry.path().filename().string().starts_with("libmujoco.so")) names.push_back(entry.path());
}

/// Fills in the functions. Returns the name of the first that is missing, or null.
const char* find_all(void* handle, MujocoLibrary& library) {
  const char* missing = nullptr;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (!function && !missing) missing = name;
  };
  find(library.version, "mj_version");
  find(library.parse_file, "mj_parseXML");
  find(library.parse_text, "mj_parseXMLString");
  find(library.copy, "mj_copySpec");
  find(library.compile, "mj_compile");
  find(library.delete_spec, "mj_deleteSpec");
  find(library.delete_model, "mj_deleteModel");
  find(library.error, "mjs_getError");
  find(library.first, "mjs_firstElement");
  find(library.next, "mjs_nextElement");
  find(library.first_child, "mjs_firstChild");
  find(library.parent, "mjs_getParent");
  find(library.erase, "mjs_delete");
  find(library.name, "mjs_getName");
  find(library.id, "mjs_getId");
  find(library.text, "mjs_getString");
  find(library.set_text, "mjs_setString");
  find(library.set_in_texts, "mjs_setInStringVec");
  find(library.as_geom, "mjs_asGeom");
  find(library.as_site, "mjs_asSite");
  find(library.as_mesh, "mjs_asMesh");
  find(library.as_material, "mjs_asMaterial");
  find(library.as_light, "mjs_asLight");
  find(library.user_warning, "mju_user_warning");
  return missing;
}

MujocoLibrary open() {
  std::vector<std::string> names;
  const char* named = std::getenv("TANDEM_MUJOCO");
  if (named && *named)
    add_candidates(names, named);
  else
    names = {TANDEM_MUJOCO_LIBRARY, "libmujoco.so"};
  std::string tried;
  for (const std::string& name : names) {
    if (name.empty()) continue;
    MujocoLibrary library{};
    void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      tried += sentence("; ", dlerror());
      continue;
    }
    if (const char* missing = find_all(handle, library))
      tried += sentence("; ", name, " has no ", missing);
    else if (library.version() != mjVERSION_HEADER)
      tried += sentence("; ", name, " has version ", library.version(), ", expected ", mjVERSION_HEADER);
    else
      return library;
    dlclose(handle);
  }
  throw Error(sentence("MJCF requires the library of MuJoCo, which was not found", tried,
                       "; pip install mujoco, and set the environment variable TANDEM_MUJOCO to its folder"));
}

}  // namespace

const MujocoLibrary& MujocoLibrary::get() {
  static const MujocoLibrary library = open();
  return library;
}

}  // namespace tandem::io
