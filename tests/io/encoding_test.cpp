// SPDX-License-Identifier: Apache-2.0
/// Files as people have them: encodings, declarations, line ends, entities, namespaces.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "io/encoding.hpp"
#include "tandem/io/urdf.hpp"

namespace tandem {
namespace {

using namespace std::string_literals;

std::string utf16(const std::u16string& text, bool big_endian) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
    bytes += big_endian ? high : low;
    bytes += big_endian ? low : high;
  }
  return bytes;
}

void expect_name(const std::string& text, const std::string& name, std::size_t warnings = 0) {
  const ModelBuilder robot = read_urdf(text, "f");
  for (const Problem& problem : robot.problems())
    ADD_FAILURE() << to_string(problem.source) << problem.message;
  EXPECT_EQ(robot.name(), name);
  EXPECT_EQ(robot.warnings().size(), warnings);
}

TEST(UrdfEncoding, Utf8) {
  expect_name("<robot name='bras \xC3\xA9l\xC3\xA9gant \xE6\x9C\xBA'/>",
              "bras \xC3\xA9l\xC3\xA9gant \xE6\x9C\xBA");
  expect_name("\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8'?><robot name='a'/>", "a");
}

TEST(UrdfEncoding, Utf16) {
  const std::u16string robot = u"<?xml version='1.0' encoding='UTF-16'?>\r\n<robot name='\u673A'/>";
  for (const bool big_endian : {false, true}) {
    expect_name(utf16(u"\uFEFF" + robot, big_endian), "\xE6\x9C\xBA");
    expect_name(utf16(u"<robot name='\u673A'/>", big_endian), "\xE6\x9C\xBA");
  }
}

TEST(UrdfEncoding, Latin1) {
  expect_name("<?xml version='1.0' encoding='ISO-8859-1'?><robot name='gr\xFC\xDF'/>", "gr\xC3\xBC\xC3\x9F");
  expect_name("<?xml version='1.0' encoding='windows-1252'?><robot name='gr\xFC\xDF'/>",
              "gr\xC3\xBC\xC3\x9F");
}

TEST(UrdfEncoding, WhatIsNoUtf8IsReadAsLatin1WithAWarning) {
  const ModelBuilder robot =
      read_urdf("<?xml version='1.0'?>\n<robot name='a'>\n<!-- 90\xB0 -->\n</robot>", "f");
  EXPECT_TRUE(robot.problems().empty());
  ASSERT_EQ(robot.warnings().size(), 1u);
  EXPECT_EQ(robot.warnings()[0].source.line, 3);
  EXPECT_EQ(robot.warnings()[0].message, "the text is not UTF-8 from here on; read as Latin-1");
  expect_name("<?xml version='1.0' encoding='GBK'?><!-- \xBB\xFA --><robot name='a'/>", "a", 1);
}

TEST(UrdfEncoding, DeclaredEncodingThatIsNotTheTrueOne) {
  for (const std::string declared : {"GB2312", "utf-16", "us-ascii", "nonsense", ""})
    expect_name("<?xml version='1.0' encoding='" + declared + "'?><robot name='\xE6\x9C\xBA'/>",
                "\xE6\x9C\xBA");
}

TEST(UrdfEncoding, DeclarationsThatAreNotWellFormed) {
  for (const std::string declaration :
       {"<?xml?>", "<?xml ?>", "<?xml verison=\"1.0\"?>", "<?xml version=1.0?>",
        "\n\n  <?xml version=\"1.0\"?>", "<?xml encoding='utf-8' version='1.0'?>",
        "<?xml version='1.0' encoding='utf-8' standalone='maybe'?>", "<?xml-stylesheet href='x'?>",
        "<?XML version='1.0'?>"})
    expect_name(declaration + "<robot name='a'/>", "a");
}

TEST(UrdfEncoding, DeclarationKeepsLineNumbers) {
  const std::string link = "<link name='l'><inertial><mass value='x'/></inertial></link></robot>";
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    const std::string text = end + "<?xml" + end + "verison='1.0'?>" + end + "<robot name='a'>" + end + link;
    const ModelBuilder robot = read_urdf(text, "f");
    ASSERT_EQ(robot.problems().size(), 1u);
    EXPECT_EQ(robot.problems()[0].source.line, 5);
  }
}

TEST(UrdfEncoding, CommentsAnywhere) {
  expect_name(
      "<!-- \xE5\x85\xB3\xE8\x8A\x82 --><robot name='a'><!-- <link/> --></robot><!-- end -->\n<!---->\n",
      "a");
}

TEST(UrdfEncoding, EntitiesAndReferences) {
  expect_name("<robot name='&lt;a&gt; &amp; &quot;b&apos; &#252;&#x673A;'/>",
              "<a> & \"b' \xC3\xBC\xE6\x9C\xBA");
  expect_name("<!DOCTYPE robot [<!ENTITY arm 'left'> <!ENTITY full '&arm; arm'>]><robot name='&full;'/>",
              "left arm");
  expect_name("<!DOCTYPE robot SYSTEM 'urdf.dtd'><robot name='a'/>", "a");
  const ModelBuilder robot = read_urdf(
      "<!DOCTYPE robot [<!ENTITY links \"<link name='x'/><link name='y'/>\">]><robot "
      "name='a'>&links;</robot>");
  EXPECT_EQ(robot.links().size(), 2u);
}

TEST(UrdfEncoding, Namespaces) {
  const ModelBuilder plain = read_urdf("<robot name='a' xmlns='http://www.ros.org'><link name='l'/></robot>");
  EXPECT_EQ(plain.links().size(), 1u);
  const ModelBuilder prefixed = read_urdf(
      "<u:robot name='a' xmlns:u='http://www.ros.org'><u:link name='l'><u:inertial><u:mass "
      "value='2'/><u:inertia ixx='1' "
      "iyy='1' izz='1'/></u:inertial></u:link><link name='m'/></u:robot>");
  ASSERT_EQ(prefixed.links().size(), 2u);
  EXPECT_EQ(prefixed.links()[0].mass, 2);
}

TEST(UrdfEncoding, Utf8IsRecognised) {
  EXPECT_EQ(io::find_invalid_utf8(""), std::string_view::npos);
  EXPECT_EQ(io::find_invalid_utf8("0123456789abcdef\xF0\x9F\xA4\x96 \xED\x9F\xBF \xF4\x8F\xBF\xBF"),
            std::string_view::npos);
  for (const std::string wrong :
       {"\x80", "\xC3", "\xC0\x80", "\xC1\xBF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE6\x9C", "\xE6\x9Cx", "\xFF"}) {
    EXPECT_EQ(io::find_invalid_utf8(wrong), 0u);
    EXPECT_EQ(io::find_invalid_utf8("12345678\xC3\xBC" + wrong), 10u);
  }
}

}  // namespace
}  // namespace tandem
