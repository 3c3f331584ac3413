// SPDX-License-Identifier: Apache-2.0
/// Large robots: time and memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "tandem/io/urdf.hpp"

namespace tandem {
namespace {

/// A hanging chain, written without the help of the library.
void write_chain(const std::string& path, int n_links) {
  std::ofstream file(path);
  file << "<?xml version=\"1.0\"?>\n<robot name=\"chain\">\n  <link name=\"link_0\"/>\n";
  for (int i = 1; i <= n_links; ++i) {
    file << "  <link name=\"link_" << i
         << "\">\n    <inertial>\n      <origin xyz=\"0.01 -0.02 0.05\" rpy=\"0 0 0\"/>\n"
         << "      <mass value=\"0.123456789\"/>\n      <inertia ixx=\"0.001\" ixy=\"1e-05\" ixz=\"0\" "
            "iyy=\"0.002\" "
            "iyz=\"-2e-05\" izz=\"0.0015\"/>\n    </inertial>\n    <visual>\n      <geometry>\n        <mesh "
            "filename=\"package://chain/link.stl\"/>\n      </geometry>\n    </visual>\n  </link>\n"
         << "  <joint name=\"joint_" << i
         << "\" type=\"revolute\">\n    <origin xyz=\"0 0 0.1\" rpy=\"0.1 0.2 0.3\"/>\n"
         << "    <parent link=\"link_" << i - 1 << "\"/>\n    <child link=\"link_" << i
         << "\"/>\n    <axis xyz=\"0 1 0\"/>\n"
         << "    <limit lower=\"-3.14\" upper=\"3.14\" effort=\"10\" velocity=\"5\"/>\n"
         << "    <dynamics damping=\"0.1\" friction=\"0\"/>\n  </joint>\n";
  }
  file << "</robot>\n";
}

TEST(UrdfSizeSlow, AHundredThousandLinksTakeTwoSecondsAndAGigabyte) {
  const auto path = std::filesystem::temp_directory_path() / "tandem_chain_100000.urdf";
  write_chain(path.string(), 100'000);
  const std::clock_t start = std::clock();  // processor time: others may be using the machine
  const Model model = load_urdf(path.string());
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::filesystem::remove(path);
  EXPECT_EQ(model.nv(), 100'000);
  EXPECT_EQ(model.depth(), 100'000);

  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const double gigabytes = static_cast<double>(usage.ru_maxrss) / (1024 * 1024);
  std::printf("100,000 links: %.2f s, %.2f GB at most\n", seconds, gigabytes);
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  EXPECT_LT(seconds, 2);
  EXPECT_LT(gigabytes, 1);
#endif
}

}  // namespace
}  // namespace tandem
