// Translates and runs.
#include "jit/x64/machine_code.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

#include "jit/x64/combined.h"
#include "jit/x64/hoisting.h"
#include "jit/x64/index_ranges.h"
#include "jit/x64/schedule.h"
#include "jit/x64/slp.h"
#include "jit/x64/translator.h"
#include "ops/elementwise/elementwise.h"

namespace tracefn::machine_code {
namespace {

#if defined(__x86_64__)
constexpr bool kCanRun = true;
#else
constexpr bool kCanRun = false;
#endif

// Bound on the liveness table, which grows as the square of a loop's length.
constexpr std::size_t kMostLiveBits = std::size_t{1} << 26;

bool allowed_by_environment() {
  const char* given = std::getenv("TRACEFN_MACHINE_CODE");
  return !given || std::string_view(given) != "off";
}
std::atomic<bool> switched_on{true};

}  // namespace

bool has_avx() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("avx");
  return has;
#else
  return false;
#endif
}

std::unique_ptr<const MachineCode> MachineCode::translate(std::span<const scalar::BytecodeInstruction> instructions,
                                                          std::span<const scalar::Register> initial,
                                                          std::span<const scalar::Slot> variables, bool with_avx) {
  if (!kCanRun || (instructions.size() + 1) * initial.size() > kMostLiveBits) return nullptr;
  Code code{{instructions.begin(), instructions.end()},
            {initial.begin(), initial.end()},
            {variables.begin(), variables.end()}};
  drop_known_checks(code);
  scalar::drop_unread(code.instructions, code.initial.size(), variables);
  select_instead_of_branching(code);
  scalar::write_in_place(code.instructions, code.initial.size(), variables);
  vectorize_small_tensors(code);
  hoist_invariants(code);
  std::vector<Operation> operations = code.operations();
  combine_instructions(code, operations);
  schedule_instructions(code, operations);
  const Liveness live(code.instructions, code.initial.size(), variables);
  const std::vector<Location> locations =
      assign_locations(code.instructions, operations, code.initial, code.constants(), live);
  std::optional<CodeMemory> memory = CodeMemory::hold(
      ScalarTranslator(code.instructions, operations, locations, live, variables, with_avx).translate());
  if (!memory) return nullptr;
  std::vector<scalar::Register> added(code.initial.begin() + static_cast<std::ptrdiff_t>(initial.size()),
                                      code.initial.end());
  return std::unique_ptr<const MachineCode>(
      new MachineCode(std::move(*memory), std::move(code.instructions), std::move(added)));
}

void MachineCode::run(scalar::Register* registers, scalar::ScalarList* lists, const Node*& failed) const {
  Run run{.lists = lists, .long_run = {}};
  const auto entry = reinterpret_cast<Entry>(reinterpret_cast<std::uintptr_t>(memory_.start()));
  const std::uint64_t answer = entry(registers, &run, lists);
  if (answer == 0) return;
  const int status = static_cast<int>(answer & 0xff);
  try {
    if (status == kThrown) std::rethrow_exception(run.thrown);
    check_status(status);
  } catch (const Error&) {
    const Node* const node = run.long_run.failed ? run.long_run.failed : instructions_[answer >> 8].node;
    if (node) failed = node;
    throw;
  }
}

bool is_on() {
  static const bool allowed = allowed_by_environment();
  return allowed && switched_on.load(std::memory_order_relaxed);
}
void switch_on(bool on) { switched_on.store(on, std::memory_order_relaxed); }

}  // namespace tracefn::machine_code
