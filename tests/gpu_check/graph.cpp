// SPDX-License-Identifier: Apache-2.0
#include "graph.hpp"

#include <cuda_runtime.h>

#include <cstring>

#include "backends/cuda/error.hpp"
#include "results.hpp"
#include "run.hpp"

namespace tandem::gpu_check {
namespace {

/// The captured calls of a stream, ready to be replayed.
class Graph {
 public:
  template <class F>
  Graph(cudaStream_t stream, F&& calls) {
    cudaGraph_t graph = nullptr;
    cuda::check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "beginning to capture");
    calls();
    cuda::check(cudaStreamEndCapture(stream, &graph), "capturing");
    cuda::check(cudaGraphInstantiate(&executable_, graph, 0), "making a graph");
    cuda::check(cudaGraphDestroy(graph), "making a graph");
  }
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph() { cudaGraphExecDestroy(executable_); }
  void replay(cudaStream_t stream) { cuda::check(cudaGraphLaunch(executable_, stream), "replaying"); }

 private:
  cudaGraphExec_t executable_ = nullptr;
};

/// With all that a call can be given there: results that are turned, reports.
template <class A>
std::string check_graph_of(const Robot& robot, cudaStream_t stream) {
  constexpr Index batch = 1000;
  const Call<A, float> call(robot.model, batch, true);
  const std::size_t out = Call<A, float>::output();
  const Prepared<A, float> prepared(robot.model, {});
  std::vector<cuda::DeviceArray<float>> arrays;
  std::vector<Array<float>> arguments;
  for (std::size_t k = 0; k < Call<A, float>::count(); ++k) {
    arrays.emplace_back(std::span<const float>(call.array(k)));
    arguments.push_back(k == out ? arrays[k].array(call.rows(k)) : arrays[k].array(1, batch));
  }
  const cuda::DeviceArray<std::uint8_t> status(batch);
  Batch<float> states(batch);
  states.stream = stream;
  states.status = {reinterpret_cast<Status*>(status.data()), static_cast<std::size_t>(batch)};
  states.status_place = Place::device;
  cuda::Workspace work;
  const auto read = [&] {
    cuda::synchronise(stream);
    std::vector<float> numbers(arrays[out].size());
    arrays[out].copy_to(std::span<float>(numbers));
    return numbers;
  };
  prepared.run(arguments, states, work);  // the workspace grows
  const std::vector<float> first = read();
  Graph graph(stream, [&] { prepared.run(arguments, states, work); });

  const std::vector<float> q = call.array(0);
  std::vector<float> other(q.size());  // the same states in another order
  for (Index row = 0; row < call.rows(0); ++row)
    std::reverse_copy(q.begin() + row * batch, q.begin() + (row + 1) * batch, other.begin() + row * batch);
  arrays[0].copy_from(std::span<const float>(other));
  prepared.run(arguments, states, work);
  const std::vector<float> second = read();
  arrays[0].copy_from(std::span<const float>(q));
  graph.replay(stream);
  const bool same_first = read() == first;
  arrays[0].copy_from(std::span<const float>(other));
  graph.replay(stream);
  const bool same_second = read() == second;
  if (same_first && same_second && first != second) return {};
  return std::string(A::name) + " of " + robot.name + " gives other numbers in a graph than in a call; ";
}

}  // namespace

void add_graphs(const std::vector<Robot>& robots, std::vector<Unit>& units) {
  for (const Robot& robot : robots) {
    if (robot.model.n_links() > 60) continue;
    units.push_back({"graph of " + robot.name, [&robot] {
                       cudaStream_t stream = nullptr;
                       cuda::check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
                       std::string wrong = check_graph_of<InverseDynamics>(robot, stream);
                       wrong += check_graph_of<MassMatrix>(robot, stream);
                       wrong += check_graph_of<ForwardDynamics>(robot, stream);
                       if (!wrong.empty()) throw Error(wrong);
                       cuda::check(cudaStreamDestroy(stream), "destroying a stream");
                       write_row("graphs", Row().add("robot", robot.name).add("passed", true));
                     }});
  }
}

}  // namespace tandem::gpu_check
