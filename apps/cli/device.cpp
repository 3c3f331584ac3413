// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

namespace tandem::cli {

void add_device(CLI::App* command, std::string& device) {
  command->add_option("--device", device, "where to compute: cpu, or cuda for an NVIDIA GPU")
      ->check(one_of({"cpu", "cuda"}))
      ->type_name("NAME")
      ->capture_default_str();
}

}  // namespace tandem::cli
