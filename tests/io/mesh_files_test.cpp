// SPDX-License-Identifier: Apache-2.0
/// Files of meshes: what is read, and what is refused, with the reason.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include "tandem/io/urdf.hpp"
#include "tandem/model/contact.hpp"

namespace tandem {
namespace {

using testing::HasSubstr;
using Points = std::vector<std::array<double, 3>>;

/// A folder that is gone after the test.
class MeshFiles : public testing::Test {
 protected:
  MeshFiles() { std::filesystem::create_directories(folder_); }
  ~MeshFiles() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& content) const {
    const std::filesystem::path path = folder_ / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  std::string refusal(const std::string& name, const std::string& content) const {
    try {
      read_mesh_file(write(name, content));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() /
      ("tandem_meshes_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()) + "_" +
       std::to_string(testing::UnitTest::GetInstance()->random_seed()) + std::to_string(::getpid()));
};

template <class T>
std::string bytes(T x) {
  if constexpr (std::endian::native == std::endian::big) return {};
  const auto own = std::bit_cast<std::array<char, sizeof(T)>>(x);
  return {own.begin(), own.end()};
}

std::string binary_stl(const std::vector<float>& numbers, std::uint32_t triangles) {
  std::string text = std::string(80, 's') + bytes(triangles);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (k % 9 == 0) text += std::string(12, '\0');
    text += bytes(numbers[k]);
    if (k % 9 == 8) text += std::string(2, '\0');
  }
  return text;
}

const std::vector<float> two_triangles = {0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0.5};
const Points corners = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 0.5}};

std::string facet(const std::string& rows) { return "facet normal 0 0 1\nouter loop\n" + rows + "endloop\nendfacet\n"; }

TEST_F(MeshFiles, Read) {
  EXPECT_EQ(read_mesh_file(write("a.stl", binary_stl(two_triangles, 2))), corners);
  EXPECT_EQ(read_mesh_file(write("b.STL", "solid facet\r\n" + facet("vertex 0 0 0\nvertex 1 0 0\nvertex 0 2e0 0\n") +
                                              facet("  vertex 0 0 0\n\tvertex 1 0 0\nvertex 0 0 +.5\n") +
                                              "endsolid facet\n")),
            corners);
  EXPECT_EQ(read_mesh_file(write("c.obj", "# v 7 7 7\nv 9 9 9\nv 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\nvn 0 0 1\nv 0 2 0\n"
                                          "f 2/1/1 3//1 -1 # a face\nv 0 0 0.5\nusemtl x\nf 2 3 \\\n 5\n")),
            corners);
  EXPECT_EQ(read_mesh_file(write("d.obj", "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 0.5")), corners);
}

TEST_F(MeshFiles, Refused) {
  const std::string good = binary_stl(two_triangles, 2);
  EXPECT_THAT(refusal("a.stl", ""), HasSubstr("a.stl\": is no STL: it has 0 bytes"));
  EXPECT_THAT(refusal("a.stl", good.substr(0, 150)), HasSubstr("has 150 bytes, expected 184 for a binary STL of 2"));
  EXPECT_THAT(refusal("a.stl", good + "x"), HasSubstr("has 185 bytes"));
  EXPECT_THAT(refusal("a.stl", binary_stl(two_triangles, 0xFFFFFFFF)), HasSubstr("of 4294967295 triangles"));
  EXPECT_THAT(refusal("a.stl", binary_stl({}, 0)), HasSubstr("there are no triangles"));
  std::vector<float> wrong = two_triangles;
  wrong[10] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(refusal("a.stl", binary_stl(wrong, 2)), HasSubstr("triangle 2 has a coordinate that is not finite"));
  EXPECT_THAT(refusal("a.stl", "solid a\n" + facet("vertex 0 0\n")), HasSubstr("line 4: vertex: expected a number"));
  EXPECT_THAT(refusal("a.stl", "solid a\n" + facet("vertex 0 0 inf\n")), HasSubstr("expected a finite number"));
  EXPECT_THAT(refusal("a.stl", "solid a\n" + facet("vertex 0 0 1\n")), HasSubstr("line 5: a loop ends"));
  EXPECT_THAT(refusal("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 1\n"),
              HasSubstr("before endsolid"));
  EXPECT_THAT(refusal("a.stl", "solid a\nlorem ipsum\n"), HasSubstr("line 2: \"lorem\" is no word of STL"));
  EXPECT_THAT(refusal("a.stl", "solid a\nendsolid a\n"), HasSubstr("there are no triangles"));
  EXPECT_THAT(refusal("a.obj", ""), HasSubstr("there are no triangles"));
  EXPECT_THAT(refusal("a.obj", "v 0 0 0\nf 1 1 2\n"), HasSubstr("line 2: vertex 2 is used, and there are 1 so far"));
  EXPECT_THAT(refusal("a.obj", "v 0 0 0\nf 1 1 0\n"), HasSubstr("vertex 0 is used"));
  EXPECT_THAT(refusal("a.obj", "v 0 0 0\nf 1 1 99999999999999999999\n"), HasSubstr("is no index of a vertex"));
  EXPECT_THAT(refusal("a.obj", "v 0 0 nan\n"), HasSubstr("line 1: v: a coordinate is \"nan\""));
  EXPECT_THAT(refusal("a.obj", "v 0 0 1e999\n"), HasSubstr("beyond the range of a double"));
  EXPECT_THAT(refusal("a.obj", "v 0 0 0\nf 1 \\"), HasSubstr("the file ends within a face"));
  EXPECT_THAT(refusal("a.obj", std::string("v 0 0 0\n\0", 9)), HasSubstr("it is not a text"));
  EXPECT_THAT(refusal("a.dae", "<x/>"), HasSubstr("the format is \"dae\", expected stl or obj"));
  EXPECT_THAT(refusal("a", "x"), HasSubstr("the format is \"\""));
  EXPECT_THROW(read_mesh_file(folder_.string() + "/none.stl"), Error);
  std::filesystem::create_directories(folder_ / "folder.stl");
  EXPECT_THROW(read_mesh_file((folder_ / "folder.stl").string()), Error);
}

std::string with_mesh(const std::string& mesh) {
  return "<robot name='r'><link name='a'><collision name='c'><geometry><mesh " + mesh +
         "/></geometry></collision></link></robot>";
}

TEST_F(MeshFiles, OfUrdf) {
  const std::string stl = write("pack age/meshes/a.stl", binary_stl(two_triangles, 2));
  const std::string urdf = write("pack age/urdf/r.urdf", with_mesh("filename='../meshes/a.stl' scale='2 -1 1'"));
  const Points scaled = {{0, -0.0, 0}, {2, -0.0, 0}, {0, -2, 0}, {0, -0.0, 0.5}};
  EXPECT_EQ(contact_shapes(load_urdf(urdf))[0].vertices, scaled);
  EXPECT_EQ(read_urdf_file(urdf).shapes()[0].vertices, scaled);
  for (const std::string name :
       {"package://pack age/meshes/a.stl", "package://pack age/meshes/%61.stl", "model://pack age/meshes/a.stl"}) {
    const Model model = parse_urdf(with_mesh("filename='" + name + "'"), {}, urdf);
    EXPECT_EQ(contact_shapes(model)[0].vertices, corners) << contact_shapes(model)[0].unread;
  }
  EXPECT_EQ(contact_shapes(parse_urdf(with_mesh("filename='file://" + stl + "'")))[0].vertices, corners);
  // from elsewhere, by the folder of the package or by the one that it is in
  for (const std::string& packages : {folder_.string(), folder_.string() + "/", folder_.string() + "/pack age"}) {
    const Model model =
        parse_urdf(with_mesh("filename='package://pack age/meshes/a.stl'"), {}, "<string>", {.packages = {packages}});
    EXPECT_EQ(contact_shapes(model)[0].vertices, corners) << contact_shapes(model)[0].unread;
  }
}

TEST_F(MeshFiles, MissingOnesAreNamed) {
  const std::string urdf = write("r.urdf", with_mesh("filename='meshes/none.stl'"));
  const auto problem = [&](const std::string& mesh, const MeshOptions& options = {}) {
    const Model model = parse_urdf(with_mesh(mesh), {}, urdf, options);
    EXPECT_TRUE(model.warnings().empty());
    return contact_shapes(model).empty() ? contact_problems(model).at(0) : contact_shapes(model)[0].unread;
  };
  EXPECT_THAT(contact_shapes(load_urdf(urdf))[0].unread,
              HasSubstr("the mesh \"meshes/none.stl\" of URDF is not read: there is no file \"" +
                        (folder_ / "meshes/none.stl").string() + "\""));
  EXPECT_THAT(problem("filename='package://p/a.stl'", {.packages = {"/nowhere"}}),
              HasSubstr("there is no \"p/a.stl\" in the folders \"/nowhere\""));
  EXPECT_THAT(problem("filename='package:///a.stl'"), HasSubstr("no package is named"));
  EXPECT_THAT(problem("filename=''"), HasSubstr("there is no file"));
  EXPECT_THAT(problem("scale='1 1 1'"), HasSubstr("attribute filename is missing"));
  write("a.stl", binary_stl(two_triangles, 2));
  write("bad.stl", "?");
  EXPECT_THAT(problem("filename='a.stl' scale='1 0 1'"), HasSubstr("scale has the number 0"));
  EXPECT_THAT(problem("filename='a.stl' scale='1 nan 1'"), HasSubstr("scale has the number nan"));
  EXPECT_THAT(problem("filename='a.stl' scale='1 1'"), HasSubstr("expected 3 numbers, got 2"));
  EXPECT_THAT(problem("filename='bad.stl'"), HasSubstr("bad.stl\": is no STL: it has 1 bytes"));
  EXPECT_THAT(problem("filename='a.stl'", {.read = false}), HasSubstr("meshes are not to be read"));
  EXPECT_EQ(problem("filename='a.stl'"), "");
}

TEST_F(MeshFiles, OtherFormats) {
  write("a.dae", "");
  const std::string urdf = write("r.urdf", with_mesh("filename='a.dae' scale='1 1 2'"));
  EXPECT_THAT(contact_shapes(load_urdf(urdf))[0].unread, HasSubstr("the format is \"dae\", expected stl or obj"));
  const auto read = [&](const std::string& path) {
    EXPECT_EQ(path, (folder_ / "a.dae").string());
    return Points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.1, 0.1}};
  };
  const Points expected = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 2}};
  EXPECT_EQ(contact_shapes(load_urdf(urdf, {}, {.other_formats = read}))[0].vertices, expected);
  const auto fail = [](const std::string&) -> Points { throw std::runtime_error("no luck"); };
  EXPECT_THAT(contact_shapes(load_urdf(urdf, {}, {.other_formats = fail}))[0].unread, HasSubstr("no luck"));
}

}  // namespace
}  // namespace tandem
