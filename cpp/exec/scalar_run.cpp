// The interpreter loop: one switch with the most common arithmetic inline, the rest by calls.
#include "exec/scalar_run.h"

#include <cstring>
#include <functional>
#include <type_traits>

#include "exec/long_run.h"

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

}  // namespace

void run(std::span<const Step> code, Cell* cells, ScalarList* lists, const Node*& failed) {
  const Step* const steps = code.data();
  const Step* const end = steps + code.size();
  const Step* step = steps;
  LongRun long_run;
  std::int64_t budget = LongRun::kSteps;
  auto in = [&](int k) -> const Cell& { return cells[step->in[k]]; };
  auto ask = [&] {
    budget -= step - (steps + step->target);
    if (budget > 0) return;
    budget = LongRun::kSteps;
    long_run.look();
  };
  try {
    while (step != end) {
      int status = kBlockOk;
      switch (step->kind) {
        case Kind::kUnary:
          status = step->unary(&in(0), &cells[step->out], 1);
          break;
        case Kind::kBinary:
          status = step->binary(&in(0), &in(1), &cells[step->out], 1, 0);
          break;
        case Kind::kTernary:
          status = step->ternary(&in(0), &in(1), &in(2), &cells[step->out], 1, 0);
          break;
        // Moves copy only what was written: a wider load would stall on store forwarding.
        case Kind::kMove1:
          cells[step->out].bytes[0] = in(0).bytes[0];
          break;
        case Kind::kMove2:
          put(cells[step->out], get<std::uint16_t>(in(0)));
          break;
        case Kind::kMove4:
          put(cells[step->out], get<std::uint32_t>(in(0)));
          break;
        case Kind::kMove8:
          put(cells[step->out], get<std::uint64_t>(in(0)));
          break;
        case Kind::kMove16:
          cells[step->out] = in(0);
          break;
        case Kind::kPush:
          lists[step->target].push(in(0));
          break;
        case Kind::kPop:
          lists[step->target].pop(cells[step->out]);
          break;
        case Kind::kGet:
          lists[step->target].get(get<std::int32_t>(in(0)), cells[step->out]);
          break;
        case Kind::kSet:
          lists[step->target].set(get<std::int32_t>(in(0)), in(1));
          break;
        case Kind::kJump:
          step = steps + step->target;
          continue;
        case Kind::kJumpUnless:
          step = in(0).bytes[0] ? step + 1 : steps + step->target;
          continue;
        case Kind::kLoop:
          ask();
          step = steps + step->target;
          continue;
        case Kind::kLoopIf:
          ask();
          step = in(0).bytes[0] ? steps + step->target : step + 1;
          continue;
        case Kind::kDivFloat:
          put(cells[step->out], get<float>(in(0)) / get<float>(in(1)));
          break;
        case Kind::kDivDouble:
          put(cells[step->out], get<double>(in(0)) / get<double>(in(1)));
          break;
#define TRACEFN_DIVISION(NAME, FUNCTION, T)                          \
  case Kind::k##NAME##T:                                             \
    if (get<T>(in(1)) == 0) {                                        \
      status = kBlockDivisionByZero;                                 \
    } else {                                                         \
      put(cells[step->out], FUNCTION(get<T>(in(0)), get<T>(in(1)))); \
    }                                                                \
    break;
          TRACEFN_DIVISION(FloorDiv, floor_div, Int32)
          TRACEFN_DIVISION(FloorDiv, floor_div, Int64)
          TRACEFN_DIVISION(FloorMod, floor_mod, Int32)
          TRACEFN_DIVISION(FloorMod, floor_mod, Int64)
#define TRACEFN_BINARY(NAME, T)                                  \
  case Kind::k##NAME##T:                                         \
    put(cells[step->out], NAME()(get<T>(in(0)), get<T>(in(1)))); \
    break;
          TRACEFN_SCALAR_TYPES(TRACEFN_BINARY, TRACEFN_SCALAR_ARITHMETIC)
          TRACEFN_SCALAR_TYPES(TRACEFN_BINARY, TRACEFN_SCALAR_COMPARISONS)
#define TRACEFN_JUMP(NAME, T)                                                      \
  case Kind::kJumpUnless##NAME##T:                                                 \
    step = NAME()(get<T>(in(0)), get<T>(in(1))) ? step + 1 : steps + step->target; \
    continue;                                                                      \
  case Kind::kLoopIf##NAME##T:                                                     \
    ask();                                                                         \
    step = NAME()(get<T>(in(0)), get<T>(in(1))) ? steps + step->target : step + 1; \
    continue;
          TRACEFN_SCALAR_TYPES(TRACEFN_JUMP, TRACEFN_SCALAR_COMPARISONS)
#undef TRACEFN_DIVISION
#undef TRACEFN_BINARY
#undef TRACEFN_JUMP
      }
      if (status != kBlockOk) check_status(status);
      ++step;
    }
  } catch (const Error&) {
    if (step->node) failed = step->node;
    throw;
  }
}

}  // namespace tracefn::scalar
