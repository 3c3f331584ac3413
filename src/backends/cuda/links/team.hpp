// SPDX-License-Identifier: Apache-2.0
/// Joins of runs by teams of eight threads; each thread has one column of all matrices.
///
/// The block-level code of this folder is a template on the type ThreadBlock: CudaThreadBlock in kernels; in the tests
/// an emulation that runs the threads of a block in turn on the CPU. Its members:
///
///     int thread() threads()  Index block()
///     sync() sync_warp() sync_team()          barriers of the block, of a warp, of a team of eight
///     before(x, d)                            x of the thread d before this one in the warp; own x in the first d
///     of_team(x, l)                           x of thread l of the team
///     is_last(counter, size)                  whether the block is the last of `size` to arrive, in all its threads
///     shared()                                shared memory of the block
///     fresh(p)                                *p, which other blocks of the kernel may have written
///     copy_async(to, from) commit() wait()    copies to shared memory; wait() completes those before the last commit
#pragma once
#include "tandem/detail/scan/two_handle.hpp"

#if defined(__CUDACC__)
#define TANDEM_BLOCK __device__ __forceinline__
#define TANDEM_BLOCK_ONCE __device__ __noinline__  // where it is called twice
#define TANDEM_NOT_UNROLLED _Pragma("unroll 1")
#else
#define TANDEM_BLOCK inline
#define TANDEM_BLOCK_ONCE inline
#define TANDEM_NOT_UNROLLED
#endif

namespace tandem::cuda {

inline constexpr int team_size = 8;

/// Eight numbers, one in each thread of a team.
template <class ThreadBlock, class S>
struct TeamRow {
  using Number = S;
  S x;

  TANDEM_BLOCK static int lane() { return ThreadBlock::thread() % team_size; }
  TANDEM_BLOCK static TeamRow zero() { return {S(0)}; }
  TANDEM_BLOCK static TeamRow unit(int i) { return {S(lane() == i)}; }
  TANDEM_BLOCK S operator[](int j) const { return ThreadBlock::of_team(x, j); }

  TANDEM_BLOCK friend TeamRow mul_add(const S& s, const TeamRow& a, const TeamRow& b) {
    return {tandem::mul_add(s, a.x, b.x)};
  }
  TANDEM_BLOCK friend TeamRow operator*(const S& s, const TeamRow& a) { return {s * a.x}; }
  TANDEM_BLOCK friend TeamRow operator-(const TeamRow& a, const TeamRow& b) { return {a.x - b.x}; }
  TANDEM_BLOCK friend TeamRow choose(bool condition, const TeamRow& a, const TeamRow& b) {
    return {condition ? a.x : b.x};
  }
  TANDEM_BLOCK friend TeamRow first_six(const TeamRow& a, const TeamRow& b) { return {lane() < 6 ? a.x : b.x}; }
};

/// A run in 90 numbers: A [6][6], C [21], J [21], b [6], eta [6].
struct RunNumbers {
  enum { A = 0, C = 36, J = 57, b = 78, eta = 84, count = 90, apart = 91 };
  TANDEM_HD static constexpr int upper(int i, int j) { return i <= j ? i * (11 - i) / 2 + j : j * (11 - j) / 2 + i; }
  /// Those of a run, but C.
  template <class S>
  TANDEM_HD static void store(const TwoHandle<S>& e, S* to) {
    TANDEM_UNROLLED for (int i = 0; i < 6; ++i) tandem::store(to, A + 6 * i, e.A[i]);
    const auto& [J_, H, M] = e.J;
    const S rows[21] = {J_.xx,    J_.xy,    J_.xz,    H.row0.x, H.row0.y, H.row0.z, J_.yy,
                        J_.yz,    H.row1.x, H.row1.y, H.row1.z, J_.zz,    H.row2.x, H.row2.y,
                        H.row2.z, M.xx,     M.xy,     M.xz,     M.yy,     M.yz,     M.zz};
    TANDEM_UNROLLED for (int i = 0; i < 21; ++i) to[J + i] = rows[i];
    tandem::store(to, b, e.b);
    tandem::store(to, eta, e.eta);
  }
  /// J and eta.
  template <class S>
  TANDEM_HD static ArticulatedInertia<S> load_J(const S* from) {
    const S* x = from + J;
    return {{x[0], x[6], x[11], x[1], x[2], x[7]},
            {{x[3], x[4], x[5]}, {x[8], x[9], x[10]}, {x[12], x[13], x[14]}},
            {x[15], x[18], x[20], x[16], x[17], x[19]}};
  }
};

/// A run in a team: one column in every thread, single numbers in memory.
template <class ThreadBlock, class S>
struct TeamRun {
  using Row = TeamRow<ThreadBlock, S>;
  using Rows = two_handle::Rows<Row>;
  S* at;

  struct Full : Rows {
    const S* at;
    TANDEM_BLOCK S operator()(int i, int j) const { return at[6 * i + j]; }
  };
  struct Symmetric : Rows {
    const S* at;
    TANDEM_BLOCK S operator()(int i, int j) const { return at[RunNumbers::upper(i, j)]; }
  };

  template <class>
  TANDEM_BLOCK Full load_Ab() const {
    Full rows;
    rows.at = at + RunNumbers::A;
    const int lane = Row::lane(), first = lane < 6 ? RunNumbers::A + lane : RunNumbers::b, apart = lane < 6 ? 6 : 1;
    TANDEM_UNROLLED for (int i = 0; i < 6; ++i) rows.e[i].x = at[first + apart * i];
    return rows;
  }
  template <class>
  TANDEM_BLOCK Symmetric load_C() const {
    Symmetric rows;
    rows.at = at + RunNumbers::C;
    const int lane = Row::lane();
    TANDEM_UNROLLED for (int i = 0; i < 6; ++i) rows.e[i].x =
        lane < 6 ? at[RunNumbers::C + RunNumbers::upper(i, lane)] : S(0);
    return rows;
  }
  template <class>
  TANDEM_BLOCK Symmetric load_Je() const {
    Symmetric rows;
    rows.at = at + RunNumbers::J;
    const int lane = Row::lane();
    TANDEM_UNROLLED for (int i = 0; i < 6; ++i) rows.e[i].x =
        at[lane < 6 ? RunNumbers::J + RunNumbers::upper(i, lane) : RunNumbers::eta + i];
    return rows;
  }
  TANDEM_BLOCK Rows load_A_transposed() const {
    Rows rows;
    const int lane = Row::lane() < 6 ? Row::lane() : 0;
    TANDEM_UNROLLED for (int i = 0; i < 6; ++i) rows.e[i].x = at[RunNumbers::A + 6 * lane + i];
    return rows;
  }
  /// By way of the memory of A.
  TANDEM_BLOCK Rows transposed(const Rows& rows) const {
    store_Ab(rows);
    ThreadBlock::sync_team();
    return load_A_transposed();
  }
  /// What stood there has been read by all of the team.
  TANDEM_BLOCK void store_Ab(const Rows& rows) const {
    ThreadBlock::sync_team();
    const int lane = Row::lane(), first = lane < 6 ? RunNumbers::A + lane : RunNumbers::b, apart = lane < 6 ? 6 : 1;
    if (lane < 7) TANDEM_UNROLLED for (int i = 0; i < 6; ++i) at[first + apart * i] = rows.e[i].x;
  }
  TANDEM_BLOCK void store_C(const Rows& rows) const {
    ThreadBlock::sync_team();
    const int lane = Row::lane();
    TANDEM_UNROLLED for (int i = 0; i < 6; ++i) if (i <= lane && lane < 6)
        at[RunNumbers::C + RunNumbers::upper(i, lane)] = rows.e[i].x;
  }
  TANDEM_BLOCK void store_Je(const Rows& rows) const {
    ThreadBlock::sync_team();
    const int lane = Row::lane();
    TANDEM_UNROLLED for (int i = 0; i < 6; ++i) {
      if (i <= lane && lane < 6) at[RunNumbers::J + RunNumbers::upper(i, lane)] = rows.e[i].x;
      if (lane == 6) at[RunNumbers::eta + i] = rows.e[i].x;
    }
  }
};

/// Data of a join for part_runs(): (a, f) between the runs as a linear function of (a_1, f_2, 1), [12][13].
template <class ThreadBlock, class S>
struct TeamJoin {
  using Row = TeamRow<ThreadBlock, S>;
  using Rows = two_handle::Rows<Row>;
  enum { row = 13, count = 12 * row };
  S* at;

  TANDEM_BLOCK void keep_acceleration(const Rows& Zz) const { keep(0, Zz); }
  TANDEM_BLOCK void keep_wrench(const Rows& Y) const { keep(6 * row, Y); }
  TANDEM_BLOCK void keep_end(const Rows&, const Rows& V_T, const TeamRun<ThreadBlock, S>& Q) const {
    Rows minus_V_T;
    TANDEM_UNROLLED for (int i = 0; i < 6; ++i) minus_V_T.e[i].x = -V_T.e[i].x;
    keep_columns_of_end(0, minus_V_T);
    keep_columns_of_end(6 * row, wrench_of_end(minus_V_T, Q.template load_Je<Row>(), Q.load_A_transposed()));
  }

 private:
  TANDEM_BLOCK void keep(int first, const Rows& rows) const {
    const int lane = Row::lane();
    if (lane < 7)
      TANDEM_UNROLLED for (int i = 0; i < 6; ++i) at[first + row * i + (lane < 6 ? lane : 12)] = rows.e[i].x;
  }
  TANDEM_BLOCK void keep_columns_of_end(int first, const Rows& rows) const {
    const int lane = Row::lane();
    if (lane < 6) TANDEM_UNROLLED for (int i = 0; i < 6; ++i) at[first + row * i + 6 + lane] = rows.e[i].x;
  }
};

/// Join `slots` runs, a power of two, in a binary tree. Only neighbours on a path are joined: those of the run in slot
/// P are in slots P .. ends[P] - 1. A joined run is in its first slot; the data of a join are in the first slot of its
/// outboard run.
template <class ThreadBlock, class S>
TANDEM_BLOCK_ONCE void join_runs(S* runs, int slots, const short* ends, S* joins) {
  using Run = TeamRun<ThreadBlock, S>;
  using Join = TeamJoin<ThreadBlock, S>;
  const int team = ThreadBlock::thread() / team_size, teams = ThreadBlock::threads() / team_size;
  TANDEM_NOT_UNROLLED for (int s = 1; s < slots; s *= 2) {
    TANDEM_NOT_UNROLLED for (int j = team; j < slots / (2 * s); j += teams) {
      const int P = 2 * j * s, Q = P + s;
      if (Q >= ends[P]) continue;
      const Run run_P = {runs + P * RunNumbers::apart}, run_Q = {runs + Q * RunNumbers::apart};
      join<false, typename Run::Row>(run_P, run_Q, Join{joins + Q * Join::count}, run_P);
    }
    ThreadBlock::sync();
  }
}

/// Back substitution after join_runs(): from the values at the handles of a joined run, in the port [12] of its first
/// slot, compute those of every run. Sixteen threads per join.
template <class ThreadBlock, class S>
TANDEM_BLOCK void part_runs(S* ports, int slots, const short* ends, const S* joins) {
  enum { row = TeamJoin<ThreadBlock, S>::row, count = TeamJoin<ThreadBlock, S>::count, threads = 16 };
  const int lane = ThreadBlock::thread() % threads, team = ThreadBlock::thread() / threads,
            teams = ThreadBlock::threads() / threads;
  for (int s = slots / 2; s >= 1; s /= 2) {
    const int n_joins = slots / (2 * s);
    for (int base = 0; base < n_joins; base += teams) {
      const int j = base + team, P = 2 * j * s, Q = P + s;
      const bool works = j < n_joins && lane < 12 && Q < ends[P];
      S x(0), f_2(0);
      if (works) {
        const S* const numbers = joins + Q * count + row * lane;
        S k[row];
        TANDEM_UNROLLED for (int i = 0; i < row; ++i) k[i] = numbers[i];
        x = k[12];
        TANDEM_UNROLLED for (int i = 0; i < 12; ++i) x = mul_add(k[i], ports[12 * P + i], x);
        f_2 = ports[12 * P + lane];
      }
      ThreadBlock::sync_warp();
      if (works) {
        ports[12 * Q + lane] = lane < 6 ? x : f_2;
        if (lane >= 6) ports[12 * P + lane] = x;
      }
    }
    ThreadBlock::sync();
  }
}

}  // namespace tandem::cuda
