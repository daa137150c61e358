#include "exec/scalar/program_choice.h"

#include <limits>
#include <utility>

#include "exec/compile_mode.h"

namespace tracefn {
namespace {

// Compiling takes about as long as this many runs save.
constexpr std::uint32_t kRunsBefore = 100;
// The first ones also translate to machine code, and are not timed.
constexpr std::uint32_t kFirst = 4, kTimed = 12;

}  // namespace

ProgramChoice::ProgramChoice(const Graph& graph, std::vector<std::uint32_t> arguments)
    : graph_(graph),
      arguments_(std::move(arguments)),
      settled_(compile_mode() == CompileMode::kOff || !ArrayProgram::may_help(graph)) {
  for (auto& time : fastest_) time.store(std::numeric_limits<std::int64_t>::max(), std::memory_order_relaxed);
}
ProgramChoice::~ProgramChoice() = default;

ProgramChoice::Turn ProgramChoice::next_unsettled() {
  const bool at_once = compile_mode() != CompileMode::kAuto;
  const std::uint32_t run = runs_.fetch_add(1, std::memory_order_relaxed) + (at_once ? kRunsBefore : 0);
  if (run < kRunsBefore) return {};
  const ArrayProgram* program = program_.load(std::memory_order_acquire);
  if (!program) {
    // Others run op by op meanwhile.
    if (!compiling_.test_and_set(std::memory_order_acquire)) compile();
    program = program_.load(std::memory_order_acquire);
    if (!program || !at_once) return {};
  }
  if (at_once) return {program, false};
  const std::uint32_t turn = run - kRunsBefore;
  if (turn > kFirst + 2 * kTimed) {
    settle(fastest_[1].load(std::memory_order_relaxed) < fastest_[0].load(std::memory_order_relaxed));
    return next();
  }
  if (turn <= kFirst) return {program, false};
  return {turn % 2 == 0 ? program : nullptr, true};
}

void ProgramChoice::note(bool by_program, std::chrono::nanoseconds time) {
  std::atomic<std::int64_t>& fastest = fastest_[by_program ? 1 : 0];
  if (time.count() < fastest.load(std::memory_order_relaxed)) fastest.store(time.count(), std::memory_order_relaxed);
}

void ProgramChoice::compile() {
  try {
    made_ = ArrayProgram::compile(graph_, arguments_);
  } catch (...) {  // a signal handler's exception: another run tries again
    compiling_.clear(std::memory_order_release);
    throw;
  }
  program_.store(made_.get(), std::memory_order_release);
  if (!made_ || compile_mode() != CompileMode::kAuto) settle(made_ != nullptr);
}

void ProgramChoice::settle(bool by_program) {
  // The program itself stays: another thread may run it.
  if (!by_program) program_.store(nullptr, std::memory_order_relaxed);
  settled_.store(true, std::memory_order_release);
}

}  // namespace tracefn
