// The interpreter loop: one switch with the most common arithmetic inline, the rest by calls.
#include "exec/scalar/interpreter.h"

#include <cmath>
#include <cstring>
#include <functional>
#include <type_traits>

#include "base/check.h"
#include "jit/scalar/long_run.h"
#include "ops/kernel_table.h"

namespace tracefn::scalar {
namespace {

using Int32 = std::int32_t;
using Int64 = std::int64_t;
using Float = float;
using Double = double;

// Integers wrap around.
template <typename T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

struct Add {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) + static_cast<Wrapping<T>>(b));
  }
};
struct Sub {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) - static_cast<Wrapping<T>>(b));
  }
};
struct Mul {
  template <typename T>
  T operator()(T a, T b) const {
    return static_cast<T>(static_cast<Wrapping<T>>(a) * static_cast<Wrapping<T>>(b));
  }
};
using Less = std::less<>;
using LessEqual = std::less_equal<>;
using Greater = std::greater<>;
using GreaterEqual = std::greater_equal<>;
using Equal = std::equal_to<>;
using NotEqual = std::not_equal_to<>;

// Floor division; a divisor of 0 is left to the caller, one of -1 would overflow.
template <typename T>
T floor_div(T a, T b) {
  if (b == -1) return Sub()(T{0}, a);
  T q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
template <typename T>
T floor_mod(T a, T b) {
  if (b == -1) return 0;
  T r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

// As matrix products do.
template <typename T>
T multiply_add(T a, T b, T c) {
  if (kernels_multiply_add()) return std::fma(a, b, c);
  return static_cast<T>(a * b) + c;
}

}  // namespace

void run(std::span<const BytecodeInstruction> code, Register* registers, ScalarList* lists, const Node*& failed) {
  const BytecodeInstruction* const instructions = code.data();
  const BytecodeInstruction* const end = instructions + code.size();
  const BytecodeInstruction* instruction = instructions;
  LongRun long_run;
  std::int64_t budget = LongRun::kInstructions;
  auto in = [&](int k) -> const Register& { return registers[instruction->in[k]]; };
  auto ask = [&] {
    budget -= instruction - (instructions + instruction->target);
    if (budget > 0) return;
    budget = LongRun::kInstructions;
    long_run.look();
  };
  try {
    while (instruction != end) {
      int status = kBlockOk;
      switch (instruction->kind) {
        case Kind::kUnary:
          status = instruction->unary(&in(0), &registers[instruction->out], 1);
          break;
        case Kind::kBinary:
          status = instruction->binary(&in(0), &in(1), &registers[instruction->out], 1, 0);
          break;
        case Kind::kTernary:
          status = instruction->ternary(&in(0), &in(1), &in(2), &registers[instruction->out], 1, 0);
          break;
        // Moves copy only what was written: a wider load would stall on store forwarding.
        case Kind::kMove1:
          registers[instruction->out].bytes[0] = in(0).bytes[0];
          break;
        case Kind::kMove2:
          put(registers[instruction->out], get<std::uint16_t>(in(0)));
          break;
        case Kind::kMove4:
          put(registers[instruction->out], get<std::uint32_t>(in(0)));
          break;
        case Kind::kMove8:
          put(registers[instruction->out], get<std::uint64_t>(in(0)));
          break;
        case Kind::kMove16:
          registers[instruction->out] = in(0);
          break;
        case Kind::kPush:
          lists[instruction->target].push(in(0));
          long_run.copied(lists[instruction->target].copied());
          break;
        case Kind::kPop:
          lists[instruction->target].pop(registers[instruction->out]);
          break;
        case Kind::kGet:
          lists[instruction->target].get(get<std::int32_t>(in(0)), registers[instruction->out]);
          break;
        case Kind::kSet:
          lists[instruction->target].set(get<std::int32_t>(in(0)), in(1));
          long_run.copied(lists[instruction->target].copied());
          break;
        case Kind::kRows:
        case Kind::kCheckIndex:
        case Kind::kWrapIndex:
        case Kind::kLoad:
        case Kind::kStore:
        case Kind::kOwn:
        case Kind::kReserve:
        case Kind::kAppend:
        case Kind::kRemove:
        case Kind::kGrow:
        case Kind::kTake:
        case Kind::kShare:
        case Kind::kWork:
        case Kind::kData:
        case Kind::kLoadAt:
        case Kind::kStoreAt:
          run_list_instruction(*instruction, registers, lists, long_run);
          break;
        case Kind::kBroadcast:
        case Kind::kInsert:
        case Kind::kExtract:
          check_failed(__FILE__, __LINE__, "bytecode without instructions on four numbers");
        case Kind::kMultiplyAddFloat:
          put(registers[instruction->out], multiply_add(get<float>(in(0)), get<float>(in(1)), get<float>(in(2))));
          break;
        case Kind::kMultiplyAddDouble:
          put(registers[instruction->out], multiply_add(get<double>(in(0)), get<double>(in(1)), get<double>(in(2))));
          break;
        case Kind::kJump:
          instruction = instructions + instruction->target;
          continue;
        case Kind::kJumpUnless:
          instruction = in(0).bytes[0] ? instruction + 1 : instructions + instruction->target;
          continue;
        case Kind::kLoop:
          ask();
          instruction = instructions + instruction->target;
          continue;
        case Kind::kLoopIf:
          ask();
          instruction = in(0).bytes[0] ? instructions + instruction->target : instruction + 1;
          continue;
        case Kind::kDivFloat:
          put(registers[instruction->out], get<float>(in(0)) / get<float>(in(1)));
          break;
        case Kind::kDivDouble:
          put(registers[instruction->out], get<double>(in(0)) / get<double>(in(1)));
          break;
#define TRACEFN_DIVISION(NAME, FUNCTION, T)                                     \
  case Kind::k##NAME##T:                                                        \
    if (get<T>(in(1)) == 0) {                                                   \
      status = kBlockDivisionByZero;                                            \
    } else {                                                                    \
      put(registers[instruction->out], FUNCTION(get<T>(in(0)), get<T>(in(1)))); \
    }                                                                           \
    break;
          TRACEFN_DIVISION(FloorDiv, floor_div, Int32)
          TRACEFN_DIVISION(FloorDiv, floor_div, Int64)
          TRACEFN_DIVISION(FloorMod, floor_mod, Int32)
          TRACEFN_DIVISION(FloorMod, floor_mod, Int64)
#define TRACEFN_BINARY(NAME, T)                                             \
  case Kind::k##NAME##T:                                                    \
    put(registers[instruction->out], NAME()(get<T>(in(0)), get<T>(in(1)))); \
    break;
          TRACEFN_SCALAR_TYPES(TRACEFN_BINARY, TRACEFN_SCALAR_ARITHMETIC)
          TRACEFN_SCALAR_TYPES(TRACEFN_BINARY, TRACEFN_SCALAR_COMPARISONS)
#define TRACEFN_JUMP(NAME, T)                                                                                  \
  case Kind::kJumpUnless##NAME##T:                                                                             \
    instruction = NAME()(get<T>(in(0)), get<T>(in(1))) ? instruction + 1 : instructions + instruction->target; \
    continue;                                                                                                  \
  case Kind::kLoopIf##NAME##T:                                                                                 \
    ask();                                                                                                     \
    instruction = NAME()(get<T>(in(0)), get<T>(in(1))) ? instructions + instruction->target : instruction + 1; \
    continue;
          TRACEFN_SCALAR_TYPES(TRACEFN_JUMP, TRACEFN_SCALAR_COMPARISONS)
#undef TRACEFN_DIVISION
#undef TRACEFN_BINARY
#undef TRACEFN_JUMP
      }
      if (status != kBlockOk) check_status(status);
      ++instruction;
    }
  } catch (const Error&) {
    const Node* const node = long_run.failed ? long_run.failed : instruction->node;
    if (node) failed = node;
    throw;
  }
}

}  // namespace tracefn::scalar
