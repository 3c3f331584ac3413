// SPDX-License-Identifier: Apache-2.0
#include "model/names.hpp"

#include <gtest/gtest.h>

#ifdef TANDEM_HAS_RAPIDCHECK
#include <rapidcheck/gtest.h>

#include <map>
#endif

#include "core/text.hpp"

namespace tandem::model_detail {
namespace {

TEST(Names, AreFoundByTheFirstOfEqualOnes) {
  Names names;
  EXPECT_EQ(names.find("a"), -1);
  EXPECT_EQ(names.add("a"), 0);
  EXPECT_EQ(names.add("b"), 1);
  EXPECT_EQ(names.add("a"), 0);
  EXPECT_EQ(names.add(""), 3);
  EXPECT_EQ(names.size(), 4);
  EXPECT_EQ(names[2], "a");
  EXPECT_EQ(names[3], "");
  EXPECT_EQ(names.find("a"), 0);
  EXPECT_EQ(names.find("b"), 1);
  EXPECT_EQ(names.find(""), 3);
  EXPECT_EQ(names.find("ab"), -1);
}

TEST(Names, EndWithAZeroByteForC) {
  Names names;
  for (const char* name : {"arm", "", "hand"}) names.add(name);
  EXPECT_STREQ(names[0].data(), "arm");
  EXPECT_STREQ(names[1].data(), "");
  EXPECT_STREQ(names[2].data(), "hand");
}

TEST(Names, AreFoundAmongMany) {
  Names names;
  for (int i = 0; i < 100000; ++i) names.add("link" + std::to_string(i));
  for (int i = 0; i < 100000; ++i) ASSERT_EQ(names.find("link" + std::to_string(i)), i);
  EXPECT_EQ(names.find("link100000"), -1);
}

TEST(EditDistance, CountsLetters) {
  EXPECT_EQ(edit_distance("elbow", "elbow", 5), 0);
  EXPECT_EQ(edit_distance("elbow", "elbw", 5), 1);
  EXPECT_EQ(edit_distance("elbow", "elbows", 5), 1);
  EXPECT_EQ(edit_distance("elbow", "elbaw", 5), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting", 5), 3);
  EXPECT_EQ(edit_distance("", "abc", 5), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting", 1), 2);
}

TEST(Suggestion, NamesTheNearestFirst) {
  Names names;
  for (const char* name : {"shoulder", "elbow_left", "elbow", "wrist", "elbows"}) names.add(name);
  const auto suggestion = [&](std::string_view word) {
    return model_detail::suggestion(word, {{&names, names.size()}});
  };
  EXPECT_EQ(suggestion("elbo"), "; did you mean \"elbow\" or \"elbows\"?");
  EXPECT_EQ(suggestion("knee"), "");
  EXPECT_EQ(suggestion(std::string(1000, 'x')), "");
}

TEST(Text, OfNumbers) {
  EXPECT_EQ(text(0.1), "0.1");
  EXPECT_EQ(text(-0.0), "-0");
  EXPECT_EQ(text(1e-9), "1e-09");
  EXPECT_EQ(text(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(rounded_text(1.0 / 3), "0.333333");
}

TEST(Text, OfNames) {
  EXPECT_EQ(in_quotes("a\nb"), "\"a?b\"");
  EXPECT_EQ(in_quotes("größe"), "\"größe\"");
  EXPECT_EQ(in_quotes(std::string(100, 'x')), "\"" + std::string(60, 'x') + "...\"");
  // a character of two bytes across the cut is left out as a whole
  EXPECT_EQ(in_quotes(std::string(59, 'x') + "öö"), "\"" + std::string(59, 'x') + "...\"");
}

#ifdef TANDEM_HAS_RAPIDCHECK

RC_GTEST_PROP(Names, BehaveLikeAMap,
              (const std::vector<std::string>& words, const std::vector<std::string>& others)) {
  Names names;
  std::map<std::string, int> first;
  for (const std::string& word : words) {
    const int index = names.size();
    RC_ASSERT(names.add(word) == first.emplace(word, index).first->second);
    RC_ASSERT(names[index] == word);
  }
  for (const std::string& word : others) {
    const auto found = first.find(word);
    RC_ASSERT(names.find(word) == (found == first.end() ? -1 : found->second));
  }
}

RC_GTEST_PROP(EditDistance, IsAMetric, (const std::string& a, const std::string& b, const std::string& c)) {
  const int limit = 1000;
  RC_ASSERT(edit_distance(a, a, limit) == 0);
  RC_ASSERT(edit_distance(a, b, limit) == edit_distance(b, a, limit));
  RC_ASSERT(edit_distance(a, c, limit) <= edit_distance(a, b, limit) + edit_distance(b, c, limit));
  RC_ASSERT(edit_distance(a, b, 2) == std::min(edit_distance(a, b, limit), 3));
}

#endif

}  // namespace
}  // namespace tandem::model_detail
