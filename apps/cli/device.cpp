// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"

namespace tandem::cli {

void add_device(Command& command, std::string& device) {
  command.option("--device", device, "device: cpu, or cuda for an NVIDIA GPU",
                 {.type = "NAME", .check = one_of({"cpu", "cuda"}), .shows_default = true});
}

Device device_named(const std::string& name, bool wants_status) {
  if (name != "cuda") return {};
  if (wants_status) throw Error("--status requires --device cpu");
  return {Device::cuda, cuda::device_number()};
}

}  // namespace tandem::cli
