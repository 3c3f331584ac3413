// SPDX-License-Identifier: Apache-2.0
/// MuJoCo's library, opened when it is needed.
#pragma once
#include <mujoco/mujoco.h>

#include <string>

namespace tandem::io {

/// The functions that are used, as MuJoCo's headers declare them.
struct MujocoLibrary {
  decltype(&::mj_version) version;
  decltype(&::mj_parseXML) parse_file;
  decltype(&::mj_parseXMLString) parse_text;
  decltype(&::mj_copySpec) copy;
  decltype(&::mj_compile) compile;
  decltype(&::mj_deleteSpec) delete_spec;
  decltype(&::mj_deleteModel) delete_model;
  decltype(&::mjs_getError) error;
  decltype(&::mjs_firstElement) first;
  decltype(&::mjs_nextElement) next;
  decltype(&::mjs_firstChild) first_child;
  decltype(&::mjs_getParent) parent;
  decltype(&::mjs_delete) erase;
  decltype(&::mjs_getName) name;
  decltype(&::mjs_getId) id;
  decltype(&::mjs_getString) text;
  decltype(&::mjs_setString) set_text;
  decltype(&::mjs_setInStringVec) set_in_texts;
  decltype(&::mjs_asGeom) as_geom;
  decltype(&::mjs_asSite) as_site;
  decltype(&::mjs_asMesh) as_mesh;
  decltype(&::mjs_asMaterial) as_material;
  decltype(&::mjs_asLight) as_light;
  void (**user_warning)(const char*);  ///< where its warnings go

  /// The library of the headers' version. Throws Error that says where it was looked for, and what was found there.
  static const MujocoLibrary& get();
};

}  // namespace tandem::io
