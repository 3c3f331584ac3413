// SPDX-License-Identifier: Apache-2.0
/// A row of threads.
#include <atomic>
#include <thread>
#include <vector>

#include "core/text.hpp"
#include "processor.hpp"
#include "tandem/error.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tandem {
namespace macroparallel {
namespace {

void breathe() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

/// Until the number is no longer `old`: for some microseconds awake, where each thread has a core, then asleep.
template <class N>
void wait_while(const std::atomic<N>& number, N old, bool awake) {
  for (int k = awake ? 4000 : 0; k > 0; --k) {
    if (number.load(std::memory_order_acquire) != old) return;
    breathe();
  }
  number.wait(old, std::memory_order_acquire);
}

/// Messages one way between two neighbours, one at a time.
struct alignas(64) Channel {
  std::atomic<int> full = 0;
  double numbers[longest_message];

  void send(const double* from, int n, bool awake) {
    wait_while(full, 1, awake);
    std::copy_n(from, n, numbers);
    full.store(1, std::memory_order_release);
    full.notify_one();
  }
  void receive(double* to, int n, bool awake) {
    wait_while(full, 0, awake);
    std::copy_n(numbers, n, to);
    full.store(0, std::memory_order_release);
    full.notify_one();
  }
};

/// The channels between a thread and its neighbours.
class ThreadRow final : public Row {
 public:
  /// outward[k], inward[k]: between places k and k + 1.
  ThreadRow(int here, int of, std::vector<Channel>& outward, std::vector<Channel>& inward, bool awake)
      : place_(here), size_(of), outward_(outward), inward_(inward), awake_(awake) {}
  int place() const override { return place_; }
  int size() const override { return size_; }
  void send(Side to, const double* numbers, int n) override {
    if (to == Side::tip)
      outward_[static_cast<std::size_t>(place_)].send(numbers, n, awake_);
    else
      inward_[static_cast<std::size_t>(place_ - 1)].send(numbers, n, awake_);
  }
  void receive(Side from, double* numbers, int n) override {
    if (from == Side::tip)
      inward_[static_cast<std::size_t>(place_)].receive(numbers, n, awake_);
    else
      outward_[static_cast<std::size_t>(place_ - 1)].receive(numbers, n, awake_);
  }

 private:
  int place_, size_;
  std::vector<Channel>&outward_, &inward_;
  bool awake_;
};

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace
}  // namespace macroparallel

struct Macroparallel::Threads {
  Model model;
  MacroparallelOptions options;
  std::vector<std::unique_ptr<macroparallel::Processor>> processors;
  std::vector<macroparallel::Channel> outward, inward;
  std::vector<MacroparallelReport> reports;
  macroparallel::StateHere state;
  std::atomic<unsigned> call = 0;
  std::atomic<Index> here = 0, done = 0;  ///< threads that are there, and that have finished
  bool ends = false, awake = true;
  std::vector<std::thread> helpers;

  Threads(Model robot, const MacroparallelOptions& given, int n)
      : model(std::move(robot)),
        options(given),
        outward(static_cast<std::size_t>(n)),
        inward(static_cast<std::size_t>(n)),
        reports(static_cast<std::size_t>(n)),
        awake(n <= macroparallel::cores()) {
    const auto& m = model.view<double>();
    const int bodies = m.n_links - 1, unknowns = macroparallel::unknowns_of(m, 1, m.n_links);
    const auto first = [&](int place) { return 1 + static_cast<int>(Index{bodies} * place / n); };
    for (int k = 0; k < n; ++k)
      processors.push_back(macroparallel::processor_for(m, first(k), first(k + 1), bodies, unknowns));
    for (int k = 1; k < n; ++k) helpers.emplace_back([this, k] { help(k); });
  }
  ~Threads() {
    ends = true;
    ++call;
    call.notify_all();
    for (std::thread& helper : helpers) helper.join();
  }

  void help(int k) {
    for (unsigned last = 0;;) {
      macroparallel::wait_while(call, last, awake);
      last = call.load(std::memory_order_acquire);
      if (ends) return;
      work(k);
    }
  }
  /// All begin together.
  void work(int k) {
    const auto place = static_cast<std::size_t>(k);
    const int n = static_cast<int>(processors.size());
    macroparallel::ThreadRow row(k, n, outward, inward, awake);
    meet(here, n);
    reports[place] = processors[place]->run(row, options, state);
    meet(done, n);
  }
  void meet(std::atomic<Index>& count, Index n) const {
    const Index before = count.fetch_add(1, std::memory_order_acq_rel), all = (before / n + 1) * n;
    if (before + 1 == all) return count.notify_all();
    for (Index seen = before + 1; seen < all; seen = count.load(std::memory_order_acquire))
      macroparallel::wait_while(count, seen, awake);
  }
};

Macroparallel::Macroparallel(const Model& model, const MacroparallelOptions& options) {
  macroparallel::check_options(options);
  const auto& m = model.view<double>();
  const int bodies = m.n_links - 1;
  macroparallel::check_served(m, 1, m.n_links);
  if (options.processors > bodies)
    throw Error(sentence("macroparallel: processors is ", options.processors,
                         ", expected at most the number of bodies, ", bodies));
  const int n = options.processors > 0 ? options.processors : std::min(bodies, macroparallel::cores());
  threads_ = std::make_unique<Threads>(model, options, n);
}
Macroparallel::Macroparallel(Macroparallel&&) noexcept = default;
Macroparallel& Macroparallel::operator=(Macroparallel&&) noexcept = default;
Macroparallel::~Macroparallel() = default;

int Macroparallel::processors() const { return threads_ ? static_cast<int>(threads_->processors.size()) : 0; }

void Macroparallel::set_options(const MacroparallelOptions& options) {
  if (!threads_) throw Error("macroparallel: the object was moved from");
  macroparallel::check_options(options);
  if (options.processors != 0 && options.processors != processors())
    throw Error(sentence("macroparallel: processors is ", options.processors, ", expected ", processors(),
                         ", the number given at construction, or 0"));
  threads_->options = options;
}

MacroparallelReport Macroparallel::forward_dynamics(std::span<const double> q, std::span<const double> v,
                                                    std::span<const double> tau, std::span<const double> f_ext,
                                                    std::span<double> a) {
  if (!threads_) throw Error("macroparallel: the object was moved from");
  Threads& t = *threads_;
  const auto size = [](const char* name, std::size_t given, Index expected) {
    if (static_cast<Index>(given) != expected)
      throw Error(sentence("macroparallel: ", name, " has ", given, " numbers, expected ", expected));
  };
  size("q", q.size(), t.model.nq());
  size("v", v.size(), t.model.nv());
  size("tau", tau.size(), t.model.nv());
  size("a", a.size(), t.model.nv());
  if (!f_ext.empty()) size("f_ext", f_ext.size(), Index{6} * t.model.n_links());
  t.state = {q.data(), v.data(), tau.data(), {f_ext.empty() ? nullptr : f_ext.data(), 0}, a.data()};
  t.call.fetch_add(1, std::memory_order_release);
  t.call.notify_all();
  t.work(0);
  return macroparallel::of_all(t.reports);
}

}  // namespace tandem
