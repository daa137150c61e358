// Times of instructions as measured on processors with AVX-512, those of many values and of lists with AVX2; ratios
// between them matter, not the times.
#include "exec/scalar/routine_time.h"

#include <set>

#include "jit/x64/operation.h"
#include "ops/op_def.h"

namespace tracefn {
namespace {

using machine_code::MachineOp;
using machine_code::Operation;
using Role = Operation::Role;
using scalar::BytecodeInstruction;
using scalar::Kind;

// How often a loop is taken to run.
constexpr double kIterations = 10;
// More values than these do not stay in the processor's registers.
constexpr std::size_t kRegisters = 24;

bool is_loop(Kind kind) {
  return kind == Kind::kLoop || kind == Kind::kLoopIf || scalar::offset(kind, scalar::kFirstLoopIf) >= 0;
}

double time_of(const BytecodeInstruction& s, double arithmetic) {
  constexpr double kList = 0.8, kBlockKernel = 2, kOfCost = 6, kSlowFloat = 1, kSlowInteger = 4, kListCall = 15,
                   kTake = 5;
  if (s.kind == Kind::kWork) return s.work->expected_time();
  const Operation operation = machine_code::operation_of(s);
  switch (operation.role) {
    case Role::kCall:
      return kBlockKernel + kOfCost * (s.node && op_def(*s.node->op).block ? op_def(*s.node->op).block->cost : 1);
    case Role::kListCall:
      return s.kind == Kind::kTake ? kTake : kListCall;
    case Role::kPush:
    case Role::kPop:
    case Role::kGet:
    case Role::kSet:
    case Role::kOwn:
    case Role::kAppend:
    case Role::kRemove:
      return kList;
    default:
      break;
  }
  switch (operation.op) {
    case MachineOp::kDiv:
    case MachineOp::kSqrt:
    case MachineOp::kReciprocal:
      return kSlowFloat;
    case MachineOp::kFloorDiv:
    case MachineOp::kFloorMod:
    case MachineOp::kTruncateDiv:
    case MachineOp::kTruncateMod:
      return kSlowInteger;
    default:
      return arithmetic;
  }
}

}  // namespace

double expected_time(const ScalarRoutine& routine) {
  const std::vector<BytecodeInstruction>& code = routine.instructions;
  std::vector<double> times(code.size() + 1, 1);
  for (std::size_t i = 0; i < code.size(); ++i)
    if (is_loop(code[i].kind))
      for (std::size_t k = code[i].target; k <= i; ++k) times[k] *= kIterations;
  std::set<scalar::Slot> values;
  for (const BytecodeInstruction& s : code)
    if (scalar::writes(s.kind)) values.insert(s.out);
  const double arithmetic = values.size() > kRegisters ? 0.4 : 0.15;
  double time = 0;
  for (std::size_t i = 0; i < code.size(); ++i) time += times[i] * time_of(code[i], arithmetic);
  return time;
}

}  // namespace tracefn
