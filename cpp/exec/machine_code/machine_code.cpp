// Translates and runs.
#include "exec/machine_code/machine_code.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "exec/machine_code/combined.h"
#include "exec/machine_code/translator.h"
#include "ops/elementwise.h"

namespace tracefn::machine_code {
namespace {

#if defined(__x86_64__)
constexpr bool kCanRun = true;
#else
constexpr bool kCanRun = false;
#endif

// Bound on the liveness table, which grows as the square of a loop's length.
constexpr std::size_t kMostLiveBits = std::size_t{1} << 21;

bool allowed_by_environment() {
  const char* given = std::getenv("TRACEFN_MACHINE_CODE");
  return !given || std::string_view(given) != "off";
}
std::atomic<bool> switched_on{true};

}  // namespace

std::unique_ptr<const MachineCode> MachineCode::translate(std::span<const scalar::Step> steps,
                                                          std::span<const scalar::Cell> initial,
                                                          std::span<const scalar::Slot> variables) {
  if (!kCanRun || (steps.size() + 1) * initial.size() > kMostLiveBits) return nullptr;
  Code code{{steps.begin(), steps.end()}, {initial.begin(), initial.end()}, {variables.begin(), variables.end()}};
  select_instead_of_branching(code);
  std::vector<Operation> operations = code.operations();
  combine_steps(code, operations);
  const Liveness live(code.steps, code.initial.size(), variables);
  const std::vector<Location> locations =
      assign_locations(code.steps, operations, code.initial, code.constants(), live);
  std::optional<CodeMemory> memory =
      CodeMemory::hold(Translator(code.steps, operations, locations, live, variables).translate());
  if (!memory) return nullptr;
  std::vector<const Node*> nodes;
  nodes.reserve(code.steps.size());
  for (const scalar::Step& step : code.steps) nodes.push_back(step.node);
  return std::unique_ptr<const MachineCode>(new MachineCode(std::move(*memory), std::move(nodes), code.initial.size()));
}

void MachineCode::run(scalar::Cell* cells, scalar::ScalarList* lists, const Node*& failed) const {
  Run run{.lists = lists, .long_run = {}};
  const auto entry = reinterpret_cast<Entry>(reinterpret_cast<std::uintptr_t>(memory_.start()));
  const std::uint64_t answer = entry(cells, &run, lists);
  if (answer == 0) return;
  const int status = static_cast<int>(answer & 0xff);
  try {
    if (status == kThrown) std::rethrow_exception(run.thrown);
    check_status(status);
  } catch (const Error&) {
    if (const Node* node = nodes_[answer >> 8]) failed = node;
    throw;
  }
}

bool is_on() {
  static const bool allowed = allowed_by_environment();
  return allowed && switched_on.load(std::memory_order_relaxed);
}
void switch_on(bool on) { switched_on.store(on, std::memory_order_relaxed); }

}  // namespace tracefn::machine_code
