// PassOptions: which passes run. Process-wide (tf.config.optimizer), read when a graph is compiled; already compiled
// graphs do not change. Any thread may read and set them.
#pragma once

#include <cstdint>
#include <string_view>

namespace tracefn {

// Switches for passes, named as in tf.config.optimizer.set_experimental_options.
enum PassSwitch : std::uint32_t {
  kConstantFolding = 1 << 0,
  kArithmeticOptimization = 1 << 1,
  kCommonSubgraphElimination = 1 << 2,
  kShapeOptimization = 1 << 3,
  kLoopOptimization = 1 << 4,
  kFunctionOptimization = 1 << 5,
  kRemapping = 1 << 6,
  kModelPruning = 1 << 7,
  kMetaOptimizer = 1 << 8,  // all of them
  kMachineCode = 1 << 9,    // not a pass: whether scalar loops are compiled to machine code (cpp/jit)
};

// By its name ("disable_model_pruning" is "model_pruning"), or 0.
std::uint32_t pass_switch(std::string_view name);

struct PassOptions {
  std::uint32_t off = 0;             // PassSwitch
  std::int32_t min_graph_nodes = 0;  // smaller graphs are left as they are
  bool verified = false;             // graphs are checked between passes

  bool allows(std::uint32_t switched_by) const { return !(off & (switched_by | kMetaOptimizer)); }
};

// Initially from the environment variable TRACEFN_PASSES: "off" disables all passes, "verify" checks graphs between
// them. Sanitizer and debug builds always check.
PassOptions process_pass_options();
void set_process_pass_options(const PassOptions& options);

}  // namespace tracefn
