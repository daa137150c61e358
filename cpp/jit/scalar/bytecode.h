// Bytecode of scalar loops: instructions over registers of 16 bytes, and over the rows of arrays and lists. The most
// common arithmetic has typed instructions of its own, which need no call; the rest runs block kernels.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/consecutive.h"
#include "ir/graph.h"
#include "ops/elementwise/elementwise.h"
#include "ops/kernel.h"

namespace tracefn::scalar {

class ArrayWork;  // array_work.h

struct alignas(16) Register {
  unsigned char bytes[16];
};
template <typename T>
T get(const Register& reg) {
  T value;
  std::memcpy(&value, reg.bytes, sizeof value);
  return value;
}
template <typename T>
void put(Register& reg, T value) {
  std::memcpy(reg.bytes, &value, sizeof value);
}

// The typed instructions: each line exists for int32, int64, float and double.
#define TRACEFN_SCALAR_ARITHMETIC(X, T) X(Add, T) X(Sub, T) X(Mul, T)
#define TRACEFN_SCALAR_COMPARISONS(X, T) \
  X(Less, T) X(LessEqual, T) X(Greater, T) X(GreaterEqual, T) X(Equal, T) X(NotEqual, T)
#define TRACEFN_SCALAR_TYPES(X, LIST) LIST(X, Int32) LIST(X, Int64) LIST(X, Float) LIST(X, Double)

enum class Kind : std::uint8_t {
  // Block kernels of one, two and three operands.
  kUnary,
  kBinary,
  kTernary,
  kMove1,
  kMove2,
  kMove4,
  kMove8,
  kMove16,
  kJump,
  kJumpUnless,
  kLoop,    // jumps back, and polls for signals now and then
  kLoopIf,  // the same if its operand is true
  // TensorList instructions, `target` being the list; kGet and kSet have the index first.
  kPush,
  kPop,
  kGet,
  kSet,
  // Arrays, and lists whose elements are rows of several numbers: `target` is the array. Indices are int64.
  kRows,     // the number of rows
  kLoad,     // number in[0] + `offset`, unchecked
  kStore,    // in[1] as number in[0] + `offset`, unchecked; the array must be owned
  kOwn,      // no other owner afterwards; makes it `offset` rows, undefined, unless that is kAsIs
  kReserve,  // a new list of in[0] rows of zeros, which takes at most in[1] rows, or any number if that is -1
  kAppend,   // one row more; the result is its index
  kRemove,   // one row less; the result is its index
  kGrow,     // rows of zeros, so that there is one of index in[0]
  kTake,     // the rows of array `offset`, whose rows are undefined afterwards
  kShare,    // the rows of array `offset`, too
  kWork,     // `work`, on whole arrays; it writes `target`
  // The address of the array's numbers, and kLoad and kStore there, it being the last operand.
  kData,
  kLoadAt,
  kStoreAt,
  // Fail with `message` unless 0 <= in[0] < in[1]. The second one counts from in[1] if in[0] is negative, and results
  // in that index.
  kCheckIndex,
  kWrapIndex,
  // Four numbers of dtype `operand` in a register, in machine code only: in[0] as each of them; in[1] as number
  // `offset`
  // of in[0]; number `offset` of in[0].
  kBroadcast,
  kInsert,
  kExtract,
  // a * b + c, rounded once where the kernels have fma
  kMultiplyAddFloat,
  kMultiplyAddDouble,
  kDivFloat,
  kDivDouble,
  kFloorDivInt32,
  kFloorDivInt64,
  kFloorModInt32,
  kFloorModInt64,
#define TRACEFN_KIND(NAME, T) k##NAME##T,
  TRACEFN_SCALAR_TYPES(TRACEFN_KIND, TRACEFN_SCALAR_ARITHMETIC)
      TRACEFN_SCALAR_TYPES(TRACEFN_KIND, TRACEFN_SCALAR_COMPARISONS)
#undef TRACEFN_KIND
// Fused compare-and-use instructions: in the order of the comparisons.
#define TRACEFN_KIND(NAME, T) kJumpUnless##NAME##T,
          TRACEFN_SCALAR_TYPES(TRACEFN_KIND, TRACEFN_SCALAR_COMPARISONS)
#undef TRACEFN_KIND
#define TRACEFN_KIND(NAME, T) kLoopIf##NAME##T,
              TRACEFN_SCALAR_TYPES(TRACEFN_KIND, TRACEFN_SCALAR_COMPARISONS)
#undef TRACEFN_KIND
  // Nothing else follows the fused instructions.
};

inline constexpr int kComparisons = 4 * 6;
inline constexpr Kind kFirstComparison = Kind::kLessInt32;
inline constexpr Kind kFirstJumpUnless = Kind::kJumpUnlessLessInt32;
inline constexpr Kind kFirstLoopIf = Kind::kLoopIfLessInt32;
// The place of a kind in its group.
constexpr int offset(Kind kind, Kind first) { return static_cast<int>(kind) - static_cast<int>(first); }

// What the bytecode optimizer and the translator compute with: groups by type, in the order of the ops, and the fused
// instructions behind everything else.
static_assert(consecutive(Kind::kPush, Kind::kPop, Kind::kGet, Kind::kSet, Kind::kRows, Kind::kLoad, Kind::kStore,
                          Kind::kOwn, Kind::kReserve, Kind::kAppend, Kind::kRemove, Kind::kGrow, Kind::kTake,
                          Kind::kShare, Kind::kWork, Kind::kData, Kind::kLoadAt, Kind::kStoreAt));
static_assert(consecutive(Kind::kMove1, Kind::kMove2, Kind::kMove4, Kind::kMove8, Kind::kMove16));
static_assert(consecutive(Kind::kAddInt32, Kind::kSubInt32, Kind::kMulInt32, Kind::kAddInt64));
static_assert(consecutive(Kind::kFloorModInt64, Kind::kAddInt32) && consecutive(Kind::kMulDouble, kFirstComparison));
static_assert(consecutive(Kind::kLessInt32, Kind::kLessEqualInt32, Kind::kGreaterInt32, Kind::kGreaterEqualInt32,
                          Kind::kEqualInt32, Kind::kNotEqualInt32, Kind::kLessInt64));
static_assert(offset(kFirstJumpUnless, kFirstComparison) == kComparisons);
static_assert(offset(kFirstLoopIf, kFirstJumpUnless) == kComparisons);
#define TRACEFN_SAME_OFFSET(NAME, T)                                                                                 \
  static_assert(offset(Kind::kJumpUnless##NAME##T, kFirstJumpUnless) == offset(Kind::k##NAME##T, kFirstComparison)); \
  static_assert(offset(Kind::kLoopIf##NAME##T, kFirstLoopIf) == offset(Kind::k##NAME##T, kFirstComparison));
TRACEFN_SCALAR_TYPES(TRACEFN_SAME_OFFSET, TRACEFN_SCALAR_COMPARISONS)
#undef TRACEFN_SAME_OFFSET

using Slot = std::uint32_t;

// The function number of casts.
inline constexpr std::uint8_t kCastFunction = 0xff;

// The function number of a kLoad whose address is within the array even if the branch that it is in is not taken.
inline constexpr std::uint8_t kMayRunEarly = 1;

// kOwn leaves the number of rows as it is.
inline constexpr std::uint32_t kAsIs = 0xffffffff;

struct BytecodeInstruction {
  Kind kind = Kind::kUnary;
  // For instructions with block kernels: the number in the table of its arity, and the dtypes of the last operand and
  // the result. For arrays and lists, `operand` is the dtype of the elements; a kLoad may have kMayRunEarly.
  std::uint8_t function = 0;
  DType operand = DType::kInvalid, result = DType::kInvalid;
  Slot in[3] = {};
  Slot out = 0;
  std::uint32_t target = 0;  // jump target, or the list or array
  std::uint32_t offset = 0;
  bool on_four = false;  // numbers at once, neighbours in arrays; in machine code only
  union {
    UnaryBlock unary = nullptr;
    BinaryBlock binary;
    TernaryBlock ternary;
    // With {0}, {1} and {2} for the operands; the ScalarRoutine owns it.
    const std::string* message;
    const ArrayWork* work;  // the ScalarRoutine owns it
  };
  const Node* node = nullptr;
};

// How each kind uses its slots and target.
int num_inputs(Kind kind);
bool writes(Kind kind);
bool jumps(Kind kind);
// Reads or changes list or array `target`.
inline bool on_list(Kind kind) { return kind >= Kind::kPush && kind <= Kind::kStoreAt; }
inline bool is_comparison(Kind kind) {
  int i = offset(kind, kFirstComparison);
  return i >= 0 && i < kComparisons;
}

// By instruction, and for the end: whether it is a jump target.
std::vector<char> targets(std::span<const BytecodeInstruction> instructions);
// By slot: whether an instruction writes it.
std::vector<char> written(std::span<const BytecodeInstruction> instructions, std::size_t num_slots);

// The kind for an elementwise op: a typed one if there is one, else that of its block kernel.
Kind kind_of(const BlockSpec& spec, DType operand);
// Removes the marked instructions; jumps to one lead to its successor.
void drop(std::vector<BytecodeInstruction>& instructions, const std::vector<char>& dropped);
// For values of a given size.
Kind move_of(std::size_t bytes);

// Removes what computes values that nothing reads; the variables are read at the end.
void drop_unread(std::vector<BytecodeInstruction>& instructions, std::size_t num_slots,
                 std::span<const Slot> variables);

// `x = a + b; ...; v = x` becomes `v = a + b` if x is not used afterwards, and v not in between.
void write_in_place(std::vector<BytecodeInstruction>& instructions, std::size_t num_slots,
                    std::span<const Slot> variables);

// Optimizes the bytecode: what nothing reads goes, moves are coalesced into the producer, conditions of several parts
// become jumps, comparisons are fused with their jumps, loops with short conditions are rotated.
void tighten(std::vector<BytecodeInstruction>& instructions, std::size_t num_slots, std::span<const Slot> variables);

}  // namespace tracefn::scalar
