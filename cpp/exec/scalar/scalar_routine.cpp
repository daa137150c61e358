// Chooses between machine code and the interpreter.
#include "exec/scalar/scalar_routine.h"

#include <algorithm>
#include <memory>

#include "exec/compile_mode.h"
#include "exec/scalar/interpreter.h"

namespace tracefn {
namespace {

// Straight-line code takes a few nanoseconds per instruction in the interpreter; translating it takes some ten
// microseconds.
constexpr std::uint32_t kRunsBeforeTranslation = 100;

}  // namespace

ScalarRoutine::~ScalarRoutine() { delete machine_code_.load(std::memory_order_acquire); }

const machine_code::MachineCode* ScalarRoutine::machine_code() const {
  const machine_code::MachineCode* known = machine_code_.load(std::memory_order_acquire);
  if (known || untranslatable_.load(std::memory_order_relaxed)) return known;
  if (!runs_often && compile_mode() != CompileMode::kAlways) {
    const std::uint32_t runs = runs_.load(std::memory_order_relaxed);
    runs_.store(runs + 1, std::memory_order_relaxed);
    if (runs < kRunsBeforeTranslation) return nullptr;
  }
  std::unique_ptr<const machine_code::MachineCode> made =
      machine_code::MachineCode::translate(instructions, initial, variables);
  if (!made) {
    untranslatable_.store(true, std::memory_order_relaxed);
    return nullptr;
  }
  if (machine_code_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) return made.release();
  return known;
}

ScalarRoutine::Registers::Registers(const ScalarRoutine& routine) : routine_(routine), code_(routine.machine_code()) {
  const std::span<const scalar::Register> added =
      code_ ? code_->added_registers() : std::span<const scalar::Register>{};
  const std::size_t n = routine.initial.size() + added.size();
  if (n <= kFew) {
    std::ranges::copy(added, std::ranges::copy(routine.initial, few_).out);
    registers_ = few_;
    return;
  }
  many_.reserve(n);
  many_.assign(routine.initial.begin(), routine.initial.end());
  many_.insert(many_.end(), added.begin(), added.end());
  registers_ = many_.data();
}

void ScalarRoutine::Registers::run(scalar::ScalarList* lists, const Node*& failed) {
  if (code_) {
    code_->run(registers_, lists, failed);
  } else {
    scalar::run(routine_.instructions, registers_, lists, failed);
  }
}

}  // namespace tracefn
