// SPDX-License-Identifier: Apache-2.0
/// Contact dynamics of states as threads of the GPU compute it, run on the processor, against lanes, which
/// tests/contact and tests/python compare with MuJoCo.
#include "touching_threads.hpp"

namespace tandem::test {
namespace {

/// Contact dynamics of states, one of which is not a number, with wrenches and guesses.
TEST(ContactStateThreads, DoWhatLanesDo) {
  const PlainLanes lanes;
  for (const char* name : {"humanoid", "quadruped", "golden humanoid", "fingers", "mimic_branches", "looped"}) {
    SCOPED_TRACE(name);
    const Model model = std::string_view(name) == "looped" ? padded(describe("four_bar").build()) : touching(name);
    if (model.nv() == 0) continue;  // read by MuJoCo
    const TouchingRobots<double> r(model);
    constexpr std::size_t n = std::size_t{TouchingRobots<double>::n};
    const auto& m = model.view<double>();
    const ContactSet set(model);
    const ContactDynamics dynamics(set), on_gpu(set, {.max_contacts = 1000, .max_contact_columns = 1000});
    const auto nv = static_cast<std::size_t>(m.nv), links = static_cast<std::size_t>(m.n_links),
               loops = static_cast<std::size_t>(model.n_loops());
    const std::size_t slots = static_cast<std::size_t>(set.n_slots());
    std::vector<double> tau(r.tau.begin(), r.tau.begin() + static_cast<std::ptrdiff_t>(n * nv));
    std::vector<double> wrenches(n * 6 * links);
    for (std::size_t k = 0; k < wrenches.size(); ++k) wrenches[k] = std::cos(static_cast<double>(k));
    struct Results {
      std::vector<double> a, f_limit, f_friction, f_contact, f_loop, f_coupler;
      std::vector<std::uint8_t> converged;
      std::vector<std::int32_t> steps, dropped;
    };
    const auto results = [&] {
      return Results{std::vector<double>(r.v0), std::vector<double>(n * nv), std::vector<double>(n * nv),
                     std::vector<double>(6 * slots * n), std::vector<double>(6 * loops * n), std::vector<double>(),
                     std::vector<std::uint8_t>(n), std::vector<std::int32_t>(n), std::vector<std::int32_t>(n, 9)};
    };
    Results expected = results(), found = results();
    dynamics({.n = Index{n},
              .threads = 1,
              .q = r.q0,
              .v = r.v0,
              .tau = tau,
              .begin = r.v0,
              .f_ext = wrenches,
              .a = expected.a,
              .f_limit = expected.f_limit,
              .f_friction = expected.f_friction,
              .f_contact = expected.f_contact,
              .f_loop = expected.f_loop,
              .converged = expected.converged,
              .steps = expected.steps,
              .dropped = expected.dropped});
    const ContactCall<double> given = {.problem = &on_gpu.prepared().problem, .forces = found.f_contact.data()};
    const cuda::ContactTables<double> tables(*given.problem, m);
    cuda::DeviceContacts<double> touching_states = tables.call(given);
    double none = 0;
    touching_states.states = {.q = Array<double>::input(r.q0.data(), m.nq),
                              .v = Array<double>::input(r.v0.data(), m.nv),
                              .tau = Array<double>::input(tau.data(), m.nv),
                              .f_ext = Array<double>::input(wrenches.data(), 6 * Index{m.n_links}),
                              .a = {found.a.data(), m.nv},
                              .f_limit = found.f_limit.data(),
                              .f_friction = found.f_friction.data(),
                              .f_loop = found.f_loop.empty() ? &none : found.f_loop.data(),
                              .f_coupler = &none,
                              .converged = found.converged.data(),
                              .steps = found.steps.data(),
                              .dropped = found.dropped.data()};
    const cuda::Replication<double> replication(model);
    const auto view = known_as<cuda::InWarp<double>>(replication.view(m, replication.numbers().data()));
    constexpr Index threads = 3;
    std::vector<double> scratch(static_cast<std::size_t>(cuda::contact_state_rows(touching_states, view) * threads),
                                std::numeric_limits<double>::quiet_NaN());
    cuda::DeviceRollout<double> call;
    call.batch = Index{n};
    for (Index t = 0; t < threads + 2; ++t)
      cuda::run_contact_rollout_thread(call, touching_states, view, {scratch.data(), threads, threads}, {}, t);
    // of number 5, which is not a number, lanes have the contacts of their neighbours, too
    const auto others = [](std::vector<double> x) {
      const auto rows = static_cast<std::ptrdiff_t>(x.size() / n);
      std::fill(x.begin() + 5 * rows, x.begin() + 6 * rows, 0.0);
      return x;
    };
    expect_same(others(found.a), others(expected.a), "a");
    expect_same(others(found.f_limit), others(expected.f_limit), "f_limit");
    expect_same(others(found.f_friction), others(expected.f_friction), "f_friction");
    expect_same(others(found.f_contact), others(expected.f_contact), "f_contact");
    expect_same(others(found.f_loop), others(expected.f_loop), "f_loop");
    EXPECT_EQ(found.converged, expected.converged);
    EXPECT_EQ(found.steps, expected.steps);
    EXPECT_EQ(found.dropped, expected.dropped);
    EXPECT_EQ(found.converged[5], 0);

    // room for no contact: states that touch are NaN, the others as before
    touching_states.room.contacts = 0;
    Results few = results();
    touching_states.states.a.data = few.a.data();
    touching_states.states.f_limit = few.f_limit.data();
    touching_states.states.converged = few.converged.data();
    touching_states.states.dropped = few.dropped.data();
    for (Index t = 0; t < threads; ++t)
      cuda::run_contact_rollout_thread(call, touching_states, view, {scratch.data(), threads, threads}, {}, t);
    for (std::size_t b = 0; b < n; ++b) {
      if (b == 5) continue;
      EXPECT_EQ(few.converged[b] == 0 && std::isnan(few.a[b * nv]), few.dropped[b] > 0) << b;
      if (few.dropped[b] == 0) {
        EXPECT_EQ(few.a[b * nv], found.a[b * nv]);
      }
    }
    EXPECT_GT(std::ranges::count_if(few.dropped, [](int k) { return k > 0; }), 0);
  }
}

}  // namespace
}  // namespace tandem::test
