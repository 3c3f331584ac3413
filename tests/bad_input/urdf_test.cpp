// SPDX-License-Identifier: Apache-2.0
/// URDF that cannot become a robot: every problem is reported, with its line, and nothing else happens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "tandem/io/urdf.hpp"

namespace tandem {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// All lines of the error that a text gives; empty if it is accepted.
std::vector<std::string> lines(const std::string& text, const BuildOptions& options = {}) {
  std::vector<std::string> found;
  try {
    parse_urdf(text, options, "f.urdf");
  } catch (const ModelError& error) {
    for (const Problem& p : error.problems()) {
      const std::string where = to_string(p.source);
      found.push_back(where + (where.empty() ? "" : ": ") + p.message);
      if (found.size() <= 100) {
        EXPECT_THAT(error.what(), HasSubstr(found.back()));
      }
    }
    EXPECT_FALSE(found.empty());
  }
  return found;
}

/// The only line.
std::string line(const std::string& text) {
  const auto all = lines(text);
  EXPECT_EQ(all.size(), 1u) << testing::PrintToString(all);
  return all.empty() ? "" : all[0];
}

/// A robot of two links whose joint and second link hold something; the joint begins in line 3.
std::string robot_with(const std::string& in_joint, const std::string& in_inertial = "<mass value='1'/>",
                       const std::string& type = "continuous") {
  return "<robot name='r'>\n<link name='a'/>\n<joint name='j' type='" + type +
         "'><parent link='a'/><child link='b'/>\n" + in_joint + "</joint>\n<link name='b'><inertial>\n" +
         in_inertial + "<inertia ixx='1' iyy='1' izz='1'/></inertial></link></robot>";
}

std::string error_of_file(const std::string& path) {
  try {
    load_urdf(path);
  } catch (const ModelError& error) {
    EXPECT_EQ(error.problems().size(), 1u);
    EXPECT_EQ(error.problems().at(0).source.file, path);
    return error.what();
  }
  return "accepted";
}

TEST(BadUrdf, TheFrameOfTheseTestsIsAccepted) { EXPECT_THAT(lines(robot_with("")), ElementsAre()); }

TEST(BadUrdf, Numbers) {
  EXPECT_EQ(line(robot_with("<axis xyz='0 0'/>")),
            "f.urdf:4: joint \"j\": axis xyz=\"0 0\": expected 3 numbers, got 2");
  EXPECT_EQ(line(robot_with("<axis xyz='1 0 0 0'/>")),
            "f.urdf:4: joint \"j\": axis xyz=\"1 0 0 0\": expected 3 numbers, got 4");
  EXPECT_EQ(line(robot_with("<axis xyz=''/>")),
            "f.urdf:4: joint \"j\": axis xyz=\"\": expected 3 numbers, got none");
  EXPECT_EQ(line(robot_with("<origin rpy='0 0 pi'/>")),
            "f.urdf:4: joint \"j\": origin rpy=\"0 0 pi\": expected 3 numbers, got \"pi\"");
  EXPECT_EQ(
      line(robot_with("<origin xyz='1,0,0'/>")),
      "f.urdf:4: joint \"j\": origin xyz=\"1,0,0\": expected 3 numbers, got 1 (separate numbers by spaces)");
  EXPECT_EQ(line(robot_with("", "<mass value='heavy'/>")),
            "f.urdf:6: link \"b\": mass value=\"heavy\": expected a number");
  EXPECT_EQ(line(robot_with("", "<mass value='0x10'/>")),
            "f.urdf:6: link \"b\": mass value=\"0x10\": expected a number");
  EXPECT_EQ(line(robot_with("", "<mass value='1e999'/>")),
            "f.urdf:6: link \"b\": mass value=\"1e999\": \"1e999\" is beyond the range of a double");
  EXPECT_EQ(line(robot_with("<limit effort='strong'/>")),
            "f.urdf:4: joint \"j\": limit effort=\"strong\": expected a number");
  EXPECT_EQ(line(robot_with("<dynamics damping='0.1Nms'/>")),
            "f.urdf:4: joint \"j\": dynamics damping=\"0.1Nms\": expected a number");
  EXPECT_EQ(line(robot_with("<tandem armature='?'/>")),
            "f.urdf:4: joint \"j\": tandem armature=\"?\": expected a number");
}

TEST(BadUrdf, NumbersThatAreNone) {
  for (const std::string number : {"nan", "inf", "-inf", "NAN"}) {
    EXPECT_THAT(line(robot_with("", "<mass value='" + number + "'/>")), HasSubstr("link \"b\": mass is"));
    EXPECT_THAT(line(robot_with("<origin xyz='0 " + number + " 0'/>")),
                HasSubstr("joint \"j\": position is"));
    EXPECT_THAT(line(robot_with("<origin rpy='0 " + number + " 0'/>")),
                HasSubstr("joint \"j\": rotation is"));
    EXPECT_THAT(line(robot_with("<axis xyz='0 0 " + number + "'/>")), HasSubstr("joint \"j\": axis is"));
    EXPECT_THAT(line(robot_with("<dynamics friction='" + number + "'/>")),
                HasSubstr("joint \"j\": friction is"));
  }
  EXPECT_THAT(line(robot_with("<limit lower='nan' upper='1'/>", "<mass value='1'/>", "revolute")),
              HasSubstr("joint \"j\": position limits are"));
}

TEST(BadUrdf, MissingAttributes) {
  EXPECT_EQ(line(robot_with("<axis/>")), "f.urdf:4: joint \"j\": axis: attribute xyz is missing");
  EXPECT_EQ(line(robot_with("", "<mass/>")), "f.urdf:6: link \"b\": mass: attribute value is missing");
  EXPECT_EQ(line(robot_with("", "")), "f.urdf:5: link \"b\": inertial: <mass value=\"...\"/> is missing");
  EXPECT_EQ(line(robot_with("<mimic multiplier='2'/>")),
            "f.urdf:4: joint \"j\": mimic: attribute joint is missing, expected the joint to follow");
  EXPECT_EQ(line("<robot name='r'><link name='l'><inertial><mass value='1'/>\n<inertia ixx='1' "
                 "iyy='1'/></inertial></link></robot>"),
            "f.urdf:2: link \"l\": inertia: attribute izz is missing");
  EXPECT_THAT(line("<robot name='r'>\n<link/></robot>"), StartsWith("f.urdf:2: link: "));
}

TEST(BadUrdf, JointTypes) {
  const std::string known =
      "expected fixed, revolute, continuous, prismatic, screw, universal, planar, spherical or floating";
  EXPECT_EQ(line(robot_with("", "<mass value='1'/>", "hinge")),
            "f.urdf:3: joint \"j\": type=\"hinge\": unknown joint type, " + known);
  EXPECT_EQ(line(robot_with("", "<mass value='1'/>", "Revolute")),
            "f.urdf:3: joint \"j\": type=\"Revolute\": unknown joint type, " + known);
  EXPECT_EQ(line("<robot name='r'><link name='a'/><link name='b'/>\n<joint name='j'><parent link='a'/><child "
                 "link='b'/></joint></robot>"),
            "f.urdf:2: joint \"j\": attribute type is missing; " + known);
}

TEST(BadUrdf, Screws) {
  const auto screw = [](const std::string& children) {
    return line("<robot name='r'><link name='a'/><link name='b'/>\n<drake:joint name='j' type='screw'><parent "
                "link='a'/><child link='b'/>\n" +
                children + "</drake:joint></robot>");
  };
  EXPECT_EQ(screw(""),
            "f.urdf:2: joint \"j\": <drake:screw_thread_pitch> is missing, expected value=\"...\", in m per "
            "turn");
  EXPECT_EQ(screw("<drake:screw_thread_pitch/>"),
            "f.urdf:3: joint \"j\": drake:screw_thread_pitch: attribute value is missing");
  EXPECT_THAT(screw("<drake:screw_thread_pitch value='steep'/>"),
              HasSubstr("f.urdf:3: joint \"j\": drake:screw_thread_pitch value=\"steep\""));
  EXPECT_THAT(line(robot_with("<drake:screw_thread_pitch value='1'/>")),
              HasSubstr("pitch is 1, expected 0: only helical joints have a pitch"));
}

TEST(BadUrdf, Rotations) {
  EXPECT_EQ(line(robot_with("<origin rpy='0 0 0' quat_xyzw='0 0 0 1'/>")),
            "f.urdf:4: joint \"j\": origin: expected rpy or quat_xyzw, got both");
  EXPECT_EQ(line(robot_with("<origin quat_xyzw='0 0 0 0'/>")),
            "f.urdf:4: joint \"j\": origin quat_xyzw: expected a quaternion that is not zero");
}

TEST(BadUrdf, EveryProblemIsListed) {
  const auto all = lines(R"(<robot name="r">
  <link name="a"/>
  <link name="b"><inertial><mass value="-1"/><inertia ixx="1" iyy="1" izz="x"/></inertial></link>
  <link name="b"/>
  <joint name="j" type="revolute">
    <parent link="a"/>
    <child link="b"/>
    <axis xyz="0 0 0"/>
    <limit lower="1" upper="-1"/>
    <mimic joint="nothing"/>
  </joint>
  <joint name="k" type="screw"><parent link="b"/><child link="nowhere"/></joint>
</robot>)");
  const auto has = [&](const std::string& start, const std::string& part) {
    for (const std::string& l : all)
      if (l.starts_with(start) && l.find(part) != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(has("f.urdf:3: link \"b\": ", "mass is -1"));
  EXPECT_TRUE(has("f.urdf:3: link \"b\": ", "izz=\"x\""));
  EXPECT_TRUE(has("f.urdf:4: link \"b\": ", "duplicate"));
  EXPECT_TRUE(has("f.urdf:5: joint \"j\": ", "axis is"));
  EXPECT_TRUE(has("f.urdf:5: joint \"j\": ", "reversed"));
  EXPECT_TRUE(has("f.urdf:5: joint \"j\": ", "nothing"));
  EXPECT_TRUE(has("f.urdf:12: joint \"k\": ", "screw"));
  EXPECT_TRUE(has("f.urdf:12: joint \"k\": ", "nowhere"));
  EXPECT_EQ(all.size(), 8u) << testing::PrintToString(all);
}

TEST(BadUrdf, TheRobotAsAWhole) {
  const std::string a = "<link name='a'/>", b = "<link name='b'/>";
  const auto joint = [](const std::string& name, const std::string& parent, const std::string& child) {
    return "\n<joint name='" + name + "' type='fixed'><parent link='" + parent + "'/><child link='" + child +
           "'/></joint>";
  };
  const auto robot = [](const std::string& body) { return "<robot name='r'>" + body + "</robot>"; };
  EXPECT_THAT(line(robot("")), HasSubstr("no links"));
  EXPECT_THAT(line(robot(a + b)), HasSubstr("root links"));
  EXPECT_THAT(line(robot(a + "\n" + a)), StartsWith("f.urdf:2: link \"a\": duplicate link name"));
  EXPECT_THAT(lines(robot(a + b + joint("j", "a", "b") + joint("j", "a", "b"))),
              ElementsAre(StartsWith("f.urdf:3: joint \"j\": duplicate joint name"),
                          StartsWith("f.urdf:3: joint \"j\": child link \"b\" has two parents")));
  EXPECT_THAT(lines(robot(a + joint("j", "missing", "a"))),
              ElementsAre(StartsWith("f.urdf:2: joint \"j\": parent link \"missing\" does not exist")));
  EXPECT_THAT(lines(robot(a + b + joint("j", "a", "b") + joint("k", "b", "a"))),
              testing::Contains(HasSubstr("cycle")));
  EXPECT_THAT(lines(robot(a + joint("j", "a", "a"))), testing::Contains(HasSubstr("f.urdf:2: joint \"j\"")));
  EXPECT_THAT(
      lines(
          "<robot name='r'><link name='a'/>\n<joint name='j' type='fixed'><child link='a'/></joint></robot>"),
      testing::Contains(StartsWith("f.urdf:2: joint \"j\": has no parent link")));
}

TEST(BadUrdf, MasslessLinkThatMovesIsWarnedOf) {
  const Model model = parse_urdf(
      "<robot name='r'><link name='a'/><link name='b'/><link name='c'><inertial><mass value='1'/><inertia ixx='1' "
      "iyy='1' izz='1'/></inertial></link>\n<joint name='j' type='continuous'><parent link='a'/><child "
      "link='b'/></joint>\n<joint name='k' type='continuous'><parent link='a'/><child link='c'/></joint></robot>",
      {}, "f.urdf");
  EXPECT_THAT(model.warnings(), ElementsAre(StartsWith("f.urdf:2: joint \"j\": link \"b\"")));
  EXPECT_EQ(model.singular_joints(), model.warnings());
}

TEST(BadUrdf, NoLinks) {
  EXPECT_EQ(line("<robot name='ghost'/>"), "f.urdf: robot \"ghost\": has no links, expected at least one");
}

TEST(BadUrdf, UnexpandedXacro) {
  const std::string file = R"(<?xml version="1.0"?>
<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="m" value="2"/>
  <xacro:macro name="arm"><link name="a"/></xacro:macro>
  <link name="base"><inertial><mass value="${m}"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
</robot>)";
  EXPECT_EQ(line(file),
            "f.urdf:3: unexpanded xacro: <xacro:property>; run xacro on the file first (2 more occurrences)");
  EXPECT_EQ(line(robot_with("<axis xyz='${axis}'/>")),
            "f.urdf:4: unexpanded xacro: axis xyz=\"${axis}\"; run xacro on the file first");
  EXPECT_EQ(line("<robot name='r'>\n<link name='${p}_link'/></robot>"),
            "f.urdf:2: unexpanded xacro: name=\"${p}_link\"; run xacro on the file first");
  EXPECT_EQ(line(robot_with("<origin xyz='$(arg xyz)'/>")),
            "f.urdf:4: unexpanded xacro: origin xyz=\"$(arg xyz)\"; run xacro on the file first");
}

TEST(BadUrdf, OtherLanguages) {
  EXPECT_EQ(line("\n<mujoco/>"),
            "f.urdf:2: the root element is <mujoco>, expected <robot>; this looks like MJCF, not URDF");
  EXPECT_EQ(line("<sdf version='1.6'><model/></sdf>"),
            "f.urdf:1: the root element is <sdf>, expected <robot>; this looks like SDF, not URDF");
  EXPECT_EQ(line("<html><robot/></html>"), "f.urdf:1: the root element is <html>, expected <robot>");
  EXPECT_THAT(line("{\"robot\": 1}"), HasSubstr("f.urdf:1: column 1: not well-formed XML"));
  EXPECT_THAT(line("robot:\n  - link"), HasSubstr("f.urdf:1: column 1: not well-formed XML"));
}

TEST(BadUrdf, XmlThatIsNotWellFormed) {
  EXPECT_EQ(line("<robot name='r'>\n<link name='a'>\n</robot>"),
            "f.urdf:3: link \"a\": column 3: not well-formed XML: mismatched tag");
  EXPECT_EQ(line("<robot name='r'>\n<link name='a'/>"),
            "f.urdf:2: column 17: not XML: the text ends before any element is complete");
  EXPECT_THAT(line("<robot name='r' name='s'/>"),
              HasSubstr("f.urdf:1: column 17: not well-formed XML: duplicate attribute"));
  EXPECT_THAT(line("<robot name='r'/>\n<robot name='s'/>"),
              HasSubstr("f.urdf:2: column 1: not well-formed XML: junk after"));
  EXPECT_THAT(line("<robot name=r/>"), HasSubstr("not well-formed XML"));
  EXPECT_THAT(line("<robot name='&undefined;'/>"), HasSubstr("undefined entity"));
  EXPECT_THAT(line("<robot name='a\x01'/>"), HasSubstr("not well-formed XML"));
  EXPECT_THAT(line("<robot name='r'><!-- a -- b --></robot>"), HasSubstr("not well-formed XML"));
}

TEST(BadUrdf, ProblemsBeforeTheEndOfWellFormedXmlAreReportedToo) {
  EXPECT_THAT(lines("<robot name='r'><link name='a'/>\n<joint name='j' type='hinge'><parent link='a'/><child "
                    "link='b'/></joint>\n"
                    "<link name='b'></robot>"),
              ElementsAre(HasSubstr("f.urdf:2: joint \"j\": type=\"hinge\""),
                          HasSubstr("f.urdf:3: link \"b\": column 18: not well-formed XML: mismatched tag")));
}

TEST(BadUrdf, EveryTruncationIsRefused) {
  const std::string text = "<?xml version='1.0'?>\n" + robot_with("<axis xyz='0 0 1'/><!-- \xE6\x9C\xBA -->");
  ASSERT_TRUE(lines(text).empty());
  for (std::size_t n = 0; n < text.size(); ++n) EXPECT_FALSE(lines(text.substr(0, n)).empty()) << n;
}

TEST(BadUrdf, EmptyAndBinary) {
  EXPECT_EQ(line(""), "f.urdf: the file is empty");
  EXPECT_EQ(line(" \r\n\t"), "f.urdf: the file is empty");
  EXPECT_EQ(line("\xEF\xBB\xBF"), "f.urdf: the file is empty");
  EXPECT_THAT(line("<!-- nothing -->"), HasSubstr("not XML"));
  EXPECT_EQ(line(std::string("\x7F"
                             "ELF\0\0\1",
                             7)),
            "f.urdf: binary data, not XML");
  std::string junk;
  for (int i = 0; i < 4096; ++i) junk += static_cast<char>(128 + (i * 37) % 128);
  EXPECT_THAT(line(junk), HasSubstr("not well-formed XML"));
  EXPECT_THAT(line("\xFF\xFE"), HasSubstr("not XML"));
}

TEST(BadUrdf, EntityBombs) {
  std::string bomb = "<!DOCTYPE r [<!ENTITY a0 'ha'>";
  for (int i = 1; i < 30; ++i) {
    const std::string inner = "&a" + std::to_string(i - 1) + ";";
    bomb += "<!ENTITY a" + std::to_string(i) + " '" + inner + inner + inner + inner + "'>";
  }
  EXPECT_THAT(line(bomb + "]>\n<robot name='&a29;'/>"),
              HasSubstr("f.urdf:2: column 1: entities expand to too much text"));
  EXPECT_THAT(line(bomb + "]>\n<robot name='r'>&a29;</robot>"),
              HasSubstr("entities expand to too much text"));

  std::string quadratic = "<!DOCTYPE r [<!ENTITY a '" + std::string(100'000, 'a') + "'>]><robot name='r'>";
  for (int i = 0; i < 100'000; ++i) quadratic += "&a;";
  EXPECT_THAT(line(quadratic + "</robot>"), HasSubstr("entities expand to too much text"));

  std::string chain = "<!DOCTYPE r [<!ENTITY e0 'x'>";  // followed on the call stack by expat
  for (int i = 1; i < 200'000; ++i)
    chain += "<!ENTITY e" + std::to_string(i) + " '&e" + std::to_string(i - 1) + ";'>";
  EXPECT_THAT(line(chain + "]><robot name='&e199999;'/>"), HasSubstr("more than 500 entities"));
  EXPECT_THAT(line("<!DOCTYPE r [<!ENTITY a '&b;'><!ENTITY b '&a;'>]>\n<robot name='&a;'/>"),
              HasSubstr("an entity refers to itself"));
}

TEST(BadUrdf, NothingOutsideTheTextIsRead) {
  const auto folder = std::filesystem::temp_directory_path() / "tandem_urdf_secret";
  std::ofstream(folder) << "<link name='secret'/>";
  const std::string text = "<!DOCTYPE robot [<!ENTITY x SYSTEM '" + folder.string() +
                           "'>]><robot name='r'><link name='a'/>&x;</robot>";
  EXPECT_EQ(read_urdf(text).links().size(), 1u);
  std::filesystem::remove(folder);
}

TEST(BadUrdf, DeepNesting) {
  const auto nested = [](const std::string& element, int depth) {
    std::string text = "<robot name='r'><link name='a'/>";
    for (int i = 0; i < depth; ++i) text += "<" + element + ">";
    for (int i = 0; i < depth; ++i) text += "</" + element + ">";
    return text + "</robot>";
  };
  EXPECT_TRUE(lines(nested("vendor", 100'000)).empty());
  EXPECT_TRUE(lines(nested("gazebo", 100'000)).empty());
  EXPECT_FALSE(lines(nested("link", 100'000)).empty());
  EXPECT_THAT(line(nested("a", 1'000'001)), HasSubstr("elements are nested more than 1000000 deep"));
  EXPECT_FALSE(lines("<robot name='r'>" + nested("a", 100'000).substr(0, 300'000)).empty());  // never closed
}

TEST(BadUrdf, LongTokensTakeTimeInProportion) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(lines("<robot name='r' x='" + std::string(30'000'000, 'x') + "'><link name='a'/></robot>"),
              ElementsAre());
  EXPECT_THAT(lines("<robot name='r'><!--" + std::string(30'000'000, 'x') + "--><link name='a'/></robot>"),
              ElementsAre());
  std::string attributes;
  for (int i = 0; i < 100'000; ++i) attributes += " a" + std::to_string(i) + "='1'";
  EXPECT_THAT(lines("<robot name='r'" + attributes + "><link name='a'/></robot>"), ElementsAre());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(BadUrdf, LongNamesAreCutInMessages) {
  const std::string message = line(robot_with("<axis xyz='" + std::string(1'000'000, '1') + "'/>"));
  EXPECT_LT(message.size(), 200u);
}

TEST(BadUrdf, ManyProblemsEndTheReading) {
  std::string text = "<robot name='r'><link name='a'/>";
  for (int i = 0; i < 20'000; ++i) text += "\n<joint name='j" + std::to_string(i) + "' type='?'/>";
  const auto all = lines(text + "</robot>");
  EXPECT_EQ(all.size(), 10'001u);
  EXPECT_EQ(all.back(), "f.urdf:10002: too many errors; the rest of the file was not read");
}

TEST(BadUrdf, Files) {
  const std::string folder = std::filesystem::temp_directory_path();
  EXPECT_THAT(error_of_file(folder), HasSubstr("Is a directory"));
  EXPECT_THAT(error_of_file(folder + "/no_such_robot.urdf"), HasSubstr("No such file or directory"));
  EXPECT_THAT(error_of_file(""), HasSubstr("No such file or directory"));
  EXPECT_EQ(error_of_file("/dev/null"), "/dev/null: the file is empty");
  EXPECT_EQ(error_of_file("/dev/zero"), "/dev/zero: binary data, not XML");
}

}  // namespace
}  // namespace tandem
