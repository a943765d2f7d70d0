// How long a cluster of the lab takes if it never waits for the program that brings it up: the node
// model on a virtual clock, and an operator who does the next thing in the very moment it is
// possible. This is what the time of `ichor up` on the lab is held against.
//
//   lab_limit CONTROL_PLANES WORKERS after-api|with-control-planes
//
// Prints seconds of the lab's own time, from "all nodes are in maintenance mode" to "all ready".

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <string>
#include <vector>

#include "sim/node/bench.h"

namespace ichor::sim {
namespace {

class PerfectOperator {
 public:
  PerfectOperator(int control_planes, int workers) {
    for (int i = 1; i <= control_planes; ++i) add(control_planes_, fmt::format("cp{}", i));
    for (int i = 1; i <= workers; ++i) add(workers_, fmt::format("w{}", i));
    for (const auto& node : bench_.nodes) {
      bench_.run_to(*node, Stage::maintenance);
    }
  }

  Duration bring_up(bool workers_wait) {
    const MonoTime began = bench_.clock.now();
    apply_to(control_planes_);
    if (!workers_wait) apply_to(workers_);
    bench_.run_to(
        [&] { return control_planes_.front().node->bootstrap(Bench::admin).has_value(); });
    if (workers_wait) {
      bench_.run_to([&] { return control_planes_.front().node->api_server_ready(); });
      apply_to(workers_);
    }
    bench_.run_to([&] {
      return std::all_of(bench_.nodes.begin(), bench_.nodes.end(), [](const auto& node) {
        const auto status = node->machine_status(Bench::admin);
        return status && status->stage == Stage::running && status->ready;
      });
    });
    return bench_.clock.now() - began;
  }

 private:
  struct Named {
    std::string name;
    Node* node;
  };

  void add(std::vector<Named>& group, const std::string& name) {
    group.push_back({name, &bench_.add(name)});
    group.back().node->power_on();
  }
  void apply_to(const std::vector<Named>& group) {
    for (const Named& one : group) bench_.apply(*one.node, one.name);
  }

  Bench bench_;
  std::vector<Named> control_planes_, workers_;
};

}  // namespace
}  // namespace ichor::sim

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() != 3) {
    std::cerr << "usage: lab_limit CONTROL_PLANES WORKERS after-api|with-control-planes\n";
    return 64;
  }
  ichor::sim::PerfectOperator perfect(std::stoi(words[0]), std::stoi(words[1]));
  const auto took = perfect.bring_up(words[2] == "after-api");
  std::cout << std::chrono::duration<double>(took).count() << '\n';
  return 0;
}
