// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

#include "backends/cuda/contact_tables.hpp"
#include "backends/cuda/error.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::cuda {

/// What threads read of a contact problem, in one piece of memory of the device in use.
template <class T>
class ContactProblemThere {
 public:
  ContactProblemThere(const ContactCall<T>& given, const ModelView<T>& m) {
    const ContactTables<T> tables(*given.problem, m);
    call_ = tables.call(given);
    std::vector<ThreadShape<T>> shapes = tables.shapes();
    call_.shapes = shapes.data();
    count_parts();
    std::size_t size = 0;
    for_each_array(shapes, m, [&](auto* of, Index rows) {
      size = aligned(size) + static_cast<std::size_t>(rows) * sizeof(*of);
    });
    std::vector<std::byte> bytes(size);
    auto* const there = static_cast<std::byte*>(memory_.reserve(size + alignment));
    std::size_t next = 0;
    for_each_array(shapes, m, [&](auto*& of, Index rows) {
      if (!of || rows == 0) return;
      next = aligned(next);
      const std::size_t length = static_cast<std::size_t>(rows) * sizeof(*of);
      std::memcpy(bytes.data() + next, of, length);
      of = reinterpret_cast<std::remove_reference_t<decltype(of)>>(there + next);
      next += length;
    });
    copy_to_device(there, bytes.data(), next);
    check(cudaDeviceSynchronize(), "copying contacts");
  }
  const DeviceContacts<T>& call() const { return call_; }

 private:
  static constexpr std::size_t alignment = 256;
  static std::size_t aligned(std::size_t size) { return (size + alignment - 1) / alignment * alignment; }

  void count_parts() {
    const TendonList& tendons = call_.joints.tendons;
    for (int t = 0; t < tendons.n; ++t)
      tendon_parts_ = std::max(tendon_parts_, Index{tendons.kinds[t].first} + tendons.kinds[t].count);
    const CouplerList& couplers = call_.joints.couplers;
    for (int c = 0; c < couplers.n; ++c)
      for (int end = 0; end < 2; ++end)
        coupler_parts_ = std::max(coupler_parts_, Index{couplers.kinds[c].first[end]} + couplers.kinds[c].count[end]);
  }

  /// Vertices come before the shapes that point to them.
  template <class F>
  void for_each_array(std::vector<ThreadShape<T>>& shapes, const ModelView<T>& m, F&& f) {
    JointSoftness& joints = call_.joints;
    for (ThreadShape<T>& shape : shapes) f(shape.vertices, 3 * Index{shape.n_vertices});
    f(call_.shapes, Index{call_.n_shapes});
    f(call_.pairs, Index{call_.n_pairs});
    f(call_.no_friction, Index{m.nv} * warp);
    f(joints.limit, Index{m.nv});
    f(joints.friction, Index{m.nv});
    f(joints.margin, Index{m.nv});
    f(joints.mobility, Index{m.nv});
    f(joints.tendons.parts, tendon_parts_);
    f(joints.tendons.kinds, Index{joints.tendons.n});
    f(joints.couplers.parts, coupler_parts_);
    f(joints.couplers.kinds, Index{joints.couplers.n});
    f(joints.loops.kinds, Index{joints.loops.n});
    f(joints.carried.kinds, Index{joints.carried.n});
  }

  Index tendon_parts_ = 0, coupler_parts_ = 0;
  DeviceContacts<T> call_;
  Memory memory_{Place::device};
};

}  // namespace tandem::cuda
