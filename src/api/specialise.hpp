// SPDX-License-Identifier: Apache-2.0
/// The algorithm of a plan assembled for its robot.
#pragma once
#include <array>
#include <atomic>
#include <string>

#include "backends/cpu/assembled.hpp"
#include "backends/cpu/link_kernels.hpp"
#include "core/background.hpp"
#include "tandem/api/plan.hpp"

namespace tandem {

/// Why an algorithm is not assembled for a robot; empty if it can be.
template <class T>
std::string why_not_specialised(const Algorithm& algorithm, const Model& model, const Options& options,
                                const Way<T>& ordinary);

/// Straight lines of instructions, one for every choice of arguments and parameters that calls give. Each is assembled on a thread of its own
/// once it is asked for, or once enough states have come with that choice; meanwhile calls go the ordinary way. Results have the
/// bits of that way, but for the sign of a zero. Any number of threads may call.
template <class T>
class Specialised {
 public:
  /// With `wait` the line for calls that give what is needed and nothing else is there afterwards, with `on` it is on its way.
  /// Throws Error if one of these was asked for and it cannot be.
  Specialised(const Algorithm& algorithm, const Model& model, const Options& options, const Way<T>& ordinary,
              Specialise how);

  /// The line for a call of that many states, or null if it goes the ordinary way.
  const Assembled<T>* line_for(const Model& model, const Call<T>& call, Index states);

  /// That for calls which give what is needed and nothing else, if it is there.
  const Assembled<T>* ready() const;
  /// In words, how such calls are served.
  std::string told() const;

 private:
  using Given = std::uint32_t;  // a bit for each argument that is there, for each parameter, and one that there are any
  enum Stage : int { unused, on_its_way, there, refused };
  struct Line {
    std::atomic<Given> given = 0;  // 0: for no call yet
    std::atomic<Index> states = 0;
    std::atomic<int> stage = unused;
    std::string why;  // it was refused
    std::unique_ptr<const Assembled<T>> function;
    Background thread;
  };

  static constexpr Given any = Given{1} << 31;
  static constexpr std::size_t first_parameter = 16;

  Given given_in(const Call<T>& call) const;
  /// Null once there are lines for other choices in all places.
  Line* line_of(Given given);
  void begin(Line& line, const Model& model);
  void assemble(Line& line, const Model& model) noexcept;
  Assembled<T> assembled(Given given, const Model& model) const;

  const Algorithm& algorithm_;
  Options options_;
  const KernelTables& tables_;
  const Kernel<T>* ordinary_;
  Registers registers_;
  bool asked_for_;
  std::array<Line, 8> lines_;  // the first is that of calls which give what is needed
};

/// For a way, or null if nothing is to be assembled. Throws as the constructor does.
template <class T>
std::shared_ptr<Specialised<T>> lines_of(const Algorithm& algorithm, const Model& model, const Options& options,
                                         const Way<T>& ordinary, Specialise how);

/// "kernels for every robot" and more.
std::string ordinary_way(const std::string& more);

/// Numbers of scratch memory for calls of a line, without those of the ordinary way.
template <class T>
Index scratch_of(const Assembled<T>& assembled);

}  // namespace tandem
