// SPDX-License-Identifier: Apache-2.0
/// MJCF by MuJoCo's own compiler.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "core/text.hpp"
#include "mjcf_arrays.hpp"
#include "mjcf_library.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace io {
namespace {

/// Captures the warnings of MuJoCo, which it would otherwise print and write to a file. MuJoCo has one handler of
/// warnings per process, therefore the lock.
class CapturedWarnings {
 public:
  explicit CapturedWarnings(const MujocoLibrary& mj) : lock_(mutex()), place_(*mj.user_warning), before_(place_) {
    texts().clear();
    place_ = [](const char* text) { texts().emplace_back(text); };
  }
  ~CapturedWarnings() { place_ = before_; }
  CapturedWarnings(const CapturedWarnings&) = delete;
  CapturedWarnings& operator=(const CapturedWarnings&) = delete;
  static std::vector<std::string>& texts() {
    static std::vector<std::string> all;
    return all;
  }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  std::lock_guard<std::mutex> lock_;
  void (*&place_)(const char*);
  void (*before_)(const char*);
};

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!blank)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

/// The number behind some words, 0 if there is none.
int number_behind(std::string_view text, std::string_view words) {
  const std::size_t found = text.rfind(words);
  return found == std::string_view::npos ? 0 : std::atoi(std::string(text.substr(found + words.size(), 12)).c_str());
}

/// What stands in single quotes behind some words.
std::string quoted_behind(std::string_view text, std::string_view words) {
  const std::size_t found = text.find(words);
  if (found == std::string_view::npos) return {};
  const std::size_t start = found + words.size(), end = text.find('\'', start);
  return std::string(text.substr(start, end == std::string_view::npos ? end : end - start));
}

/// MuJoCo's words: the message, then the element and its line.
Problem problem_of(const std::string& file, std::string_view words) {
  Problem problem{{file, std::max(number_behind(words, ", line "), number_behind(words, "Line number=")), {}}, {}};
  const std::size_t tail = words.rfind("Element ");
  std::string_view message = words;
  if (tail != std::string_view::npos && (tail == 0 || words[tail - 1] == '\n')) {
    std::string name = quoted_behind(words.substr(tail), "Element name '");
    if (name.empty()) name = quoted_behind(words.substr(tail), "Element '");
    if (!name.empty()) problem.source.element = element("element", name);
    message = words.substr(0, tail);
  }
  for (const std::string_view start : {"XML Error: ", "Error: ", "ParseXML: "})
    if (message.starts_with(start)) message.remove_prefix(start.size());
  problem.message = "MuJoCo: " + one_line(message);
  return problem;
}

/// A spec that is changed until it compiles: of shapes only those stay that a body has its inertia from.
class MujocoSpec {
 public:
  MujocoSpec(const MujocoLibrary& mj, mjSpec* spec, const std::string& file)
      : mj_(mj), spec_(spec, {mj}), file_(file) {}

  MujocoModel compiled() {
    leave_shapes_out();
    while (true) {
      const Spec tried(mj_.copy(spec_.get()), {mj_});  // one that could not be compiled cannot be changed
      check_references(tried.get());
      const std::vector<mjsElement*> shapes = all(tried.get(), mjOBJ_GEOM);
      if (mjModel* model = mj_.compile(tried.get(), nullptr)) {
        MujocoModel arrays = arrays_of(*model);
        take_flags(*model, arrays);
        arrays.geom_unread.resize(at(model->ngeom));
        for (const auto& [k, why] : unread_) arrays.geom_unread[at(mj_.id(shapes[k]))] = why;
        mj_.delete_model(model);
        return arrays;
      }
      const char* words = mj_.error(tried.get());
      if (!touching_.empty())
        drop_touching(words ? one_line(words) : "cannot be compiled");
      else
        drop_missing(words);
    }
  }
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  struct DeleteSpec {
    const MujocoLibrary& mj;
    void operator()(mjSpec* spec) const { mj.delete_spec(spec); }
  };
  using Spec = std::unique_ptr<mjSpec, DeleteSpec>;
  /// A shape with a mesh that gives a body its inertia.
  struct Lent {
    mjsGeom* geom;
    std::string mesh, file, body;
    bool moves;
    std::size_t index;
  };
  /// A shape with a mesh that matters to contacts alone.
  struct Touching {
    mjsGeom* geom;
    std::string mesh;
    std::size_t index;
  };

  /// Older versions have one flag for springs and damping.
  static void take_flags(const mjModel& model, MujocoModel& arrays) {
    const int flags = model.opt.disableflags;
    arrays.springs = (flags & spring_flag()) == 0;
    arrays.damping = (flags & damper_flag()) == 0;
  }
  static constexpr int spring_flag() { return 1 << 5; }
  static constexpr int damper_flag() { return mjDSBL_GRAVITY == 1 << 6 ? 1 << 5 : 1 << 6; }

  std::vector<mjsElement*> all(mjSpec* spec, mjtObj kind) {
    std::vector<mjsElement*> found;
    for (mjsElement* e = mj_.first(spec, kind); e; e = mj_.next(spec, e)) found.push_back(e);
    return found;
  }
  template <class F>
  void each(mjtObj kind, F&& f) {
    for (mjsElement* e : all(spec_.get(), kind)) f(e);
  }
  /// Throws ModelError for references to what there is not: a copy lacks the elements that have them.
  void check_references(mjSpec* copy) {
    for (const mjtObj kind : {mjOBJ_EQUALITY, mjOBJ_TENDON, mjOBJ_ACTUATOR, mjOBJ_SENSOR, mjOBJ_PAIR, mjOBJ_EXCLUDE}) {
      if (all(copy, kind).size() == all(spec_.get(), kind).size()) continue;
      if (mjModel* model = mj_.compile(spec_.get(), nullptr)) return mj_.delete_model(model);
      const char* words = mj_.error(spec_.get());
      throw ModelError({problem_of(file_, words ? words : "cannot be compiled")});
    }
  }
  std::string text(const mjString* string) const { return mj_.text(string); }
  std::string name(mjsElement* e) const { return text(mj_.name(e)); }

  void leave_shapes_out() {
    std::size_t k = 0;  // of the shape
    each(mjOBJ_GEOM, [&](mjsElement* e) {
      const std::size_t index = k++;
      mjsGeom* geom = mj_.as_geom(e);
      const std::string mesh = text(geom->meshname), heights = text(geom->hfieldname);
      if (mesh.empty() && heights.empty()) return;
      if (!mesh.empty() && geom->type == mjGEOM_SDF) unread_[index] = "signed distance fields are not read";
      if (mesh.empty()) unread_[index] = sentence("the height field ", in_quotes(heights), " is not read");
      if (mesh.empty() || !weighs(*geom)) {
        // only contacts need the mesh
        const bool touches = geom->contype != 0 || geom->conaffinity != 0;
        if (!unread_.contains(index) && touches) {
          touching_.push_back({geom, mesh, index});
          return;
        }
        unread_.emplace(index, sentence("the mesh ", in_quotes(mesh), " is not read"));
        return blank(*geom);
      }
      const mjsBody* body = mj_.parent(e);
      const std::string called = name(body->element);
      lent_.push_back({geom, mesh, file_of(mesh), called.empty() ? "(without a name)" : called, moves(body), index});
    });
    each(mjOBJ_SITE, [&](mjsElement* e) { blank_site(*mj_.as_site(e)); });
    each(mjOBJ_MATERIAL, [&](mjsElement* e) {
      for (int role = 0; role < mjNTEXROLE; ++role) mj_.set_in_texts(mj_.as_material(e)->textures, role, "");
    });
    each(mjOBJ_LIGHT, [&](mjsElement* e) { blank_light(*mj_.as_light(e)); });
    for (const mjtObj kind : {mjOBJ_TEXTURE, mjOBJ_SKIN, mjOBJ_HFIELD})
      each(kind, [&](mjsElement* e) { mj_.erase(spec_.get(), e); });
    delete_meshes();
    spec_->compiler.LRopt.mode = mjLRMODE_NONE;  // lengths of muscles are not needed
  }

  bool weighs(const mjsGeom& geom) const {
    const mjsBody* body = mj_.parent(geom.element);
    const mjsCompiler& compiler = spec_->compiler;
    const bool is_explicit = body->explicitinertial && compiler.inertiafromgeom != mjINERTIAFROMGEOM_TRUE;
    const bool weightless = geom.mass == 0 || (geom.mass != geom.mass && geom.density == 0);
    const bool counted = compiler.inertiagrouprange[0] <= geom.group && geom.group <= compiler.inertiagrouprange[1];
    return !is_explicit && !weightless && counted && name(body->element) != "world";
  }

  bool moves(const mjsBody* body) const {
    for (; body && name(body->element) != "world"; body = mj_.parent(body->element))
      if (mj_.first_child(body, mjOBJ_JOINT, 0)) return true;
    return false;
  }

  std::string file_of(const std::string& mesh) {
    std::string file;
    each(mjOBJ_MESH, [&](mjsElement* e) {
      if (name(e) == mesh) file = text(mj_.as_mesh(e)->file);
    });
    return file;
  }

  /// Leaves a shape's name and place, as others may refer to it.
  void blank(mjsGeom& geom) {
    mj_.set_text(geom.meshname, "");
    mj_.set_text(geom.hfieldname, "");
    geom.type = mjGEOM_SPHERE;
    geom.size[0] = 1;
    geom.mass = 0;
  }
  template <class Site>
  void blank_site(Site& site) {
    if constexpr (requires { site.meshname; }) {
      if (text(site.meshname).empty()) return;
      mj_.set_text(site.meshname, "");
      site.type = mjGEOM_SPHERE;
      site.size[0] = 1;
    }
  }
  template <class Light>
  void blank_light(Light& light) {
    if constexpr (requires { light.texture; }) mj_.set_text(light.texture, "");
  }

  void delete_meshes() {
    std::set<std::string> used;
    for (const Lent& each : lent_) used.insert(each.mesh);
    for (const Touching& each : touching_) used.insert(each.mesh);
    each(mjOBJ_MESH, [&](mjsElement* e) {
      if (!text(mj_.as_mesh(e)->file).empty() && !used.contains(name(e))) mj_.erase(spec_.get(), e);
    });
  }

  /// Leaves out all meshes that contacts alone need: a file may be missing, or a mesh be one that MuJoCo refuses.
  void drop_touching(const std::string& why) {
    for (const Touching& each : touching_) {
      blank(*each.geom);
      unread_[each.index] = sentence("meshes are not read: MuJoCo: ", why);
    }
    touching_.clear();
    delete_meshes();
  }

  /// Leaves out what a missing file was for, if it can be. Else throws ModelError.
  void drop_missing(const char* words) {
    const std::string error = words ? words : "cannot be compiled";
    std::string file = quoted_behind(error, "pening file '");
    if (file.empty()) file = quoted_behind(error, "ile '");
    const auto is_missing = [&](const Lent& each) {
      return !file.empty() && !each.file.empty() && file.ends_with(each.file);
    };
    if (std::ranges::none_of(lent_, is_missing)) throw ModelError({problem_of(file_, error)});
    std::vector<Problem> problems;
    for (const Lent& each : lent_) {
      if (!is_missing(each) || !each.moves) continue;
      Problem problem{{file_, 0, element("mesh", each.mesh)},
                      sentence("the file ", file, " cannot be opened, but the inertia of body ", in_quotes(each.body),
                               " is computed from it; expected the file or an <inertial> of the body")};
      if (std::ranges::none_of(problems, [&](const Problem& p) { return to_string(p) == to_string(problem); }))
        problems.push_back(std::move(problem));
    }
    if (!problems.empty()) throw ModelError(std::move(problems));
    for (const Lent& each : lent_) {
      if (!is_missing(each)) continue;
      remarks_.push_back(sentence("mesh ", in_quotes(each.mesh), " (", file, ") is missing: the mass of body ",
                                  in_quotes(each.body), ", which does not move, is ignored"));
      unread_[each.index] = sentence("the mesh ", in_quotes(each.mesh), " (", file, ") is missing");
      blank(*each.geom);
    }
    std::erase_if(lent_, is_missing);
    delete_meshes();
  }

  const MujocoLibrary& mj_;
  Spec spec_;
  std::string file_;
  std::vector<Lent> lent_;
  std::vector<Touching> touching_;
  std::map<std::size_t, std::string> unread_;  ///< by the index of the shape, why its form is not known
  std::vector<std::string> remarks_;
};

/// parse(library, error, size) makes the spec.
template <class Parse>
ModelBuilder compiled(const std::string& file, Parse&& parse) {
  const MujocoLibrary& mj = MujocoLibrary::get();
  const CapturedWarnings captured(mj);
  char error[2048] = "";
  mjSpec* parsed = parse(mj, error, static_cast<int>(sizeof error));
  if (!parsed) throw ModelError({problem_of(file, error)});
  MujocoSpec spec(mj, parsed, file);
  const MujocoModel model = spec.compiled();
  ModelBuilder robot = read_mujoco(model, file);
  for (const std::string& text : CapturedWarnings::texts()) robot.warning({file, 0, {}}, "MuJoCo: " + one_line(text));
  for (const std::string& text : spec.remarks()) robot.warning({file, 0, {}}, "MuJoCo: " + text);
  return robot;
}

}  // namespace
}  // namespace io

bool reads_mjcf() {
  try {
    io::MujocoLibrary::get();
    return true;
  } catch (const Error&) {
    return false;
  }
}

ModelBuilder read_mjcf_file(const std::string& path) {
  return io::compiled(path, [&](const io::MujocoLibrary& mj, char* error, int size) {
    return mj.parse_file(path.c_str(), nullptr, error, size);
  });
}

ModelBuilder read_mjcf(std::string_view text, const std::string& name) {
  if (text.find('<') == std::string_view::npos)
    throw Error(
        sentence("read_mjcf: text is ", in_quotes(text), ", expected MJCF text; for a file use describe(file)"));
  return io::compiled(name, [&](const io::MujocoLibrary& mj, char* error, int size) {
    return mj.parse_text(std::string(text).c_str(), nullptr, error, size);
  });
}

}  // namespace tandem
