// Translating and running.
#include "exec/machine_code/machine_code.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "exec/machine_code/translator.h"
#include "ops/elementwise.h"

namespace tracefn::machine_code {
namespace {

#if defined(__x86_64__)
constexpr bool kCanRun = true;
#else
constexpr bool kCanRun = false;
#endif

// Of the table of live slots, which grows as the square of a loop's length.
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
  std::vector<Operation> operations;
  operations.reserve(steps.size());
  for (const scalar::Step& step : steps) operations.push_back(operation_of(step));
  std::vector<char> constants(initial.size(), 1);
  for (const scalar::Step& step : steps)
    if (scalar::writes(step.kind)) constants[step.out] = 0;
  for (scalar::Slot s : variables) constants[s] = 0;
  const Liveness live(steps, initial.size(), variables);
  const std::vector<Location> locations = assign_locations(steps, operations, initial, constants, live);
  std::optional<CodeMemory> memory =
      CodeMemory::hold(Translator(steps, operations, locations, live, variables).translate());
  if (!memory) return nullptr;
  return std::unique_ptr<const MachineCode>(new MachineCode(std::move(*memory)));
}

void MachineCode::run(std::span<const scalar::Step> steps, scalar::Cell* cells, scalar::ScalarList* lists,
                      Interrupt* interrupt, const Node*& failed) const {
  Run run{lists, interrupt};
  const std::uint64_t answer =
      reinterpret_cast<Entry>(reinterpret_cast<std::uintptr_t>(memory_.start()))(cells, &run, lists);
  if (answer == 0) return;
  const int status = static_cast<int>(answer & 0xff);
  try {
    if (status == kThrown) std::rethrow_exception(run.thrown);
    check_status(status);
  } catch (const Error&) {
    if (const Node* node = steps[answer >> 8].node) failed = node;
    throw;
  }
}

bool is_on() {
  static const bool allowed = allowed_by_environment();
  return allowed && switched_on.load(std::memory_order_relaxed);
}
void switch_on(bool on) { switched_on.store(on, std::memory_order_relaxed); }

}  // namespace tracefn::machine_code
