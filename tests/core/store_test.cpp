// SPDX-License-Identifier: Apache-2.0
/// Files that are kept: they come back to the bit or not at all, whatever became of them and of those who wrote them.
#include "core/store.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <thread>

#include "core/machine.hpp"

namespace tandem::test {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

Bytes bytes(std::size_t n, unsigned seed = 1) {
  std::minstd_rand draw(seed);
  Bytes all(n);
  for (std::byte& b : all) b = static_cast<std::byte>(draw());
  return all;
}
Digest key(std::string_view name) { return Sha256().add(name).digest(); }

class Stored : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "tandem-store-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { fs::remove_all(folder); }

  fs::path file_of(std::string_view name) const { return folder / (hexadecimal(key(name)) + ".kept"); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  fs::path folder;
};

TEST(Sha256, HasTheDigestsOfTheStandard) {
  const auto of = [](std::string_view text) { return hexadecimal(Sha256::of(std::as_bytes(std::span(text)))); };
  EXPECT_EQ(of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(of(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, TellsPartsApart) {
  EXPECT_NE(Sha256().add("ab").add("c").digest(), Sha256().add("a").add("bc").digest());
  EXPECT_NE(Sha256().add("ab").digest(), Sha256().add("ab").add("").digest());
}

TEST_F(Stored, GivesBackWhatWasKept) {
  const Store store(folder / "a" / "b");
  EXPECT_FALSE(store.find(key("x")));
  for (const std::size_t n : {0u, 1u, 63u, 64u, 100000u}) {
    EXPECT_TRUE(store.keep(key("x"), bytes(n)));
    EXPECT_EQ(store.find(key("x")), bytes(n));
    EXPECT_FALSE(store.find(key("y")));
  }
  struct ::stat found{};
  ASSERT_EQ(::stat(store.folder().c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0700u);
}

TEST_F(Stored, NothingIsKeptWithoutAFolder) {
  EXPECT_FALSE(Store("").keep(key("x"), bytes(9)));
  EXPECT_FALSE(Store("").find(key("x")));
  EXPECT_FALSE(Store("/proc/nowhere").keep(key("x"), bytes(9)));
  std::ofstream(folder / "file") << "no folder";
  EXPECT_FALSE(Store(folder / "file").keep(key("x"), bytes(9)));
  EXPECT_FALSE(Store(folder / "file" / "below").keep(key("x"), bytes(9)));
}

TEST_F(Stored, WhatWasChangedOrCutOffIsPassedOverAndReplaced) {
  const Store store(folder);
  const Bytes content = bytes(3000);
  const auto spoil = [&](auto&& how) {
    ASSERT_TRUE(store.keep(key("x"), content));
    how();
    EXPECT_FALSE(store.find(key("x")));
    EXPECT_TRUE(store.keep(key("x"), content));
    EXPECT_EQ(store.find(key("x")), content);
  };
  const auto size = static_cast<std::streamoff>(88 + content.size());
  for (std::streamoff place = 0; place < size; place += place < 100 ? 1 : 97) {
    SCOPED_TRACE(place);
    spoil([&] {  // a bit of it
      std::fstream file(file_of("x"), std::ios::in | std::ios::out | std::ios::binary);
      file.seekg(place);
      const auto byte = static_cast<char>(file.get());
      file.seekp(place);
      file.put(static_cast<char>(byte ^ 4));
    });
    spoil([&] { fs::resize_file(file_of("x"), static_cast<std::uintmax_t>(place)); });
  }
  spoil([&] { fs::resize_file(file_of("x"), static_cast<std::uintmax_t>(size + 1)); });
  spoil([&] { std::ofstream(file_of("x")) << "of another program"; });
}

TEST_F(Stored, AFileUnderAnothersNameIsPassedOver) {
  const Store store(folder);
  ASSERT_TRUE(store.keep(key("x"), bytes(50)));
  fs::rename(file_of("x"), file_of("y"));
  EXPECT_FALSE(store.find(key("y")));
}

TEST_F(Stored, WhatOthersMayWriteToIsPassedOver) {
  const Store store(folder);
  const auto keep_and_find = [&] { return store.keep(key("x"), bytes(50)) && store.find(key("x")); };
  ASSERT_TRUE(keep_and_find());
  for (const ::mode_t mode : {0620u, 0602u}) {
    ASSERT_EQ(::chmod(file_of("x").c_str(), mode), 0);
    EXPECT_FALSE(store.find(key("x")));
  }
  ASSERT_TRUE(keep_and_find()) << "a new file takes its place";
  for (const ::mode_t mode : {0770u, 0702u}) {
    ASSERT_EQ(::chmod(folder.c_str(), mode), 0);
    EXPECT_FALSE(store.find(key("x")));
    EXPECT_FALSE(store.keep(key("x"), bytes(50)));
  }
  ASSERT_EQ(::chmod(folder.c_str(), 0700), 0);
  EXPECT_TRUE(store.find(key("x")));
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown(file_of("x").c_str(), 12345, 12345), 0);
  EXPECT_FALSE(store.find(key("x")));
  ASSERT_TRUE(keep_and_find());
  ASSERT_EQ(::chown(folder.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(keep_and_find());
  EXPECT_FALSE(store.find(key("x")));
}

TEST_F(Stored, NoLinkNorPipeIsFollowed) {
  const Store store(folder);
  ASSERT_TRUE(store.keep(key("x"), bytes(50)));
  fs::rename(file_of("x"), folder / "elsewhere");
  fs::create_symlink(folder / "elsewhere", file_of("x"));
  EXPECT_FALSE(store.find(key("x")));
  fs::remove(file_of("x"));
  ASSERT_EQ(::mkfifo(file_of("x").c_str(), 0600), 0);
  EXPECT_FALSE(store.find(key("x"))) << "and nobody waits for a writer";
  EXPECT_TRUE(store.keep(key("x"), bytes(50)));
  EXPECT_TRUE(store.find(key("x")));
}

TEST_F(Stored, TheOldestGoAndNothingElse) {
  const Store store(folder, 10000);
  std::ofstream(folder / "a file of the user's") << std::string(20000, 'x');
  const auto name = [](int k) { return "entry " + std::to_string(k); };
  for (int k = 0; k < 9; ++k) {
    ASSERT_TRUE(store.keep(key(name(k)), bytes(1000)));
    fs::last_write_time(file_of(name(k)), fs::file_time_type::clock::now() - std::chrono::hours(20 - k));
  }
  EXPECT_TRUE(store.find(key(name(0)))) << "which is now the one that was used last";
  ASSERT_TRUE(store.keep(key("new"), bytes(2000)));
  EXPECT_TRUE(store.find(key(name(0))));
  EXPECT_TRUE(store.find(key("new")));
  EXPECT_FALSE(store.find(key(name(1))));
  EXPECT_FALSE(store.find(key(name(2))));
  EXPECT_TRUE(store.find(key(name(4))));
  EXPECT_FALSE(store.keep(key("large"), bytes(10000)));
  EXPECT_TRUE(store.find(key(name(4))));
  EXPECT_TRUE(fs::exists(folder / "a file of the user's"));
}

/// Several processes write the same few files and read them; whoever finds one finds it whole.
TEST_F(Stored, WritersAtATimeAreNotInEachOthersWay) {
  const Store store(folder);
  const auto work = [&] {
    for (unsigned k = 0; k < 300; ++k) {
      const std::string name = std::to_string(k % 5);
      if (!store.keep(key(name), bytes(20000, k % 5))) return false;
      const auto found = store.find(key(std::to_string((k + 2) % 5)));
      if (found && *found != bytes(20000, (k + 2) % 5)) return false;
    }
    return true;
  };
  std::vector<::pid_t> children;
  for (int k = 0; k < 3; ++k) {
    const ::pid_t child = ::fork();
    if (child == 0) ::_exit(work() ? 0 : 1);
    children.push_back(child);
  }
  bool good = true;
  std::thread other([&] { good = work(); });
  EXPECT_TRUE(work());
  other.join();
  EXPECT_TRUE(good);
  for (const ::pid_t child : children) {
    int status = 1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files(), 5u);
}

TEST_F(Stored, KilledWritersLeaveWholeFiles) {
  const Store store(folder);
  const Bytes content = bytes(1 << 16);
  std::minstd_rand draw(7);
  int left = 0;
  for (int trial = 0; trial < 40 || (left == 0 && trial < 400); ++trial) {  // on a busy machine none may come to write
    const ::pid_t child = ::fork();
    if (child == 0)
      for (;;) store.keep(key("x"), content);
    ::usleep(static_cast<::useconds_t>(draw() % (1000u * static_cast<unsigned>(1 + trial))));
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const auto found = store.find(key("x"));
    if (!found) {
      EXPECT_FALSE(fs::exists(file_of("x")));
      continue;
    }
    ++left;
    EXPECT_TRUE(*found == content);
    fs::remove(file_of("x"));
  }
  EXPECT_GT(left, 0);
  // what they had begun is removed once it is old
  for (const auto& entry : fs::directory_iterator(folder))
    fs::last_write_time(entry, fs::file_time_type::clock::now() - std::chrono::hours(2));
  EXPECT_TRUE(store.keep(key("y"), bytes(10)));
  EXPECT_EQ(files(), 1u);
}

TEST_F(Stored, AFullDiskCostsNothingThatWasKept) {
  if (::mount("tandem-trial", folder.c_str(), "tmpfs", 0, "size=64k,mode=0700") != 0)
    GTEST_SKIP() << "no disk can be mounted";
  const Store store(folder);
  EXPECT_TRUE(store.keep(key("x"), bytes(20000)));
  EXPECT_FALSE(store.keep(key("y"), bytes(60000)));
  EXPECT_FALSE(store.keep(key("x"), bytes(60000, 2)));
  EXPECT_EQ(store.find(key("x")), bytes(20000));
  EXPECT_EQ(files(), 1u);
  EXPECT_TRUE(store.keep(key("y"), bytes(20000))) << "there is room for that";
  ASSERT_EQ(::umount(folder.c_str()), 0);
}

TEST_F(Stored, ALimitOnFilesIsKept) {
  const Store store(folder);
  const ::pid_t child = ::fork();
  if (child == 0) {  // a write beyond the limit would end it by a signal
    const ::rlimit limit = {5000, 5000};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::_exit(!store.keep(key("x"), bytes(6000)) && store.keep(key("y"), bytes(3000)) ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(files(), 1u);
}

TEST(CacheFolder, IsTheUsersUnlessSaidOtherwise) {
  const auto with = [](const char* own, const char* xdg, const char* home) {
    const std::pair<const char*, const char*> all[] = {
        {"TANDEM_CACHE_DIR", own}, {"XDG_CACHE_HOME", xdg}, {"HOME", home}};
    std::vector<std::pair<const char*, std::optional<std::string>>> before;
    for (const auto& [name, value] : all) {
      const char* old = std::getenv(name);
      before.emplace_back(name, old ? std::optional<std::string>(old) : std::nullopt);
      value ? ::setenv(name, value, 1) : ::unsetenv(name);
    }
    const std::string folder = cache_folder();
    for (const auto& [name, value] : before) value ? ::setenv(name, value->c_str(), 1) : ::unsetenv(name);
    return folder;
  };
  EXPECT_EQ(with("/there", "/xdg", "/own"), "/there");
  EXPECT_EQ(with("", "/xdg", "/own"), "") << "nothing is to be kept";
  EXPECT_EQ(with(nullptr, "/xdg", "/own"), "/xdg/tandem");
  EXPECT_EQ(with(nullptr, "not/absolute", "/own"), "/own/.cache/tandem");
  EXPECT_EQ(with(nullptr, nullptr, "/own"), "/own/.cache/tandem");
  EXPECT_EQ(with(nullptr, nullptr, nullptr), "");
}

}  // namespace
}  // namespace tandem::test
