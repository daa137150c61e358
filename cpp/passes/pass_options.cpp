// The process-wide options and the names of switches.
#include "passes/pass_options.h"

#include <cstdlib>
#include <mutex>
#include <utility>

namespace tracefn {
namespace {

#if defined(TRACEFN_VERIFY_PASSES)
constexpr bool kAlwaysVerified = true;
#else
constexpr bool kAlwaysVerified = false;
#endif

PassOptions from_environment() {
  const char* text = std::getenv("TRACEFN_PASSES");
  const std::string_view given = text ? text : "";
  PassOptions options;
  if (given == "off") options.off = kMetaOptimizer;
  options.verified = kAlwaysVerified || given == "verify";
  return options;
}

struct Kept {
  std::mutex mutex;
  PassOptions options = from_environment();
};

Kept& kept() {
  static Kept of_process;
  return of_process;
}

}  // namespace

std::uint32_t pass_switch(std::string_view name) {
  static constexpr std::pair<std::string_view, std::uint32_t> switches[] = {
      {"constant_folding", kConstantFolding},
      {"arithmetic_optimization", kArithmeticOptimization},
      {"common_subgraph_elimination", kCommonSubgraphElimination},
      {"shape_optimization", kShapeOptimization},
      {"loop_optimization", kLoopOptimization},
      {"function_optimization", kFunctionOptimization},
      {"remapping", kRemapping},
      {"model_pruning", kModelPruning},
      {"machine_code", kMachineCode},
      {"meta_optimizer", kMetaOptimizer}};
  for (const auto& [known, bit] : switches)
    if (known == name) return bit;
  return 0;
}

PassOptions process_pass_options() {
  std::lock_guard lock(kept().mutex);
  return kept().options;
}

void set_process_pass_options(const PassOptions& options) {
  std::lock_guard lock(kept().mutex);
  kept().options = options;
}

}  // namespace tracefn
