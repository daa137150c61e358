// Operation: the machine operation of a bytecode instruction. Instructions without one call their block kernels.
#pragma once

#include <cstdint>

#include "base/consecutive.h"
#include "jit/scalar/bytecode.h"

namespace tracefn::machine_code {

// What machine registers hold: kFloats and kIntegers are four numbers of 32 bits, kMasks four bools, whose bits are all
// equal. Other values (half, wide unsigned integers, complex numbers) stay in memory. A narrow
// integer is extended to 32 bits in a register, and has its own size in memory; it is moved, selected and cast, and
// computed with as int32 (ScalarCode::apply).
enum class Type : std::uint8_t {
  kNone,
  kBool,
  kInt32,
  kInt64,
  kFloat,
  kDouble,
  kFloats,
  kIntegers,
  kMasks,
  kInt8,
  kUInt8,
  kInt16,
  kUInt16,
};
inline bool is_floating(Type t) { return t >= Type::kFloat && t <= Type::kFloats; }
inline bool is_four(Type t) { return t >= Type::kFloats && t <= Type::kMasks; }
inline bool is_in_xmm(Type t) { return is_floating(t) || is_four(t); }
// Four of these, if registers hold that; else the type itself.
Type four_of(Type t);
inline bool is_integer(Type t) { return t == Type::kInt32 || t == Type::kInt64; }
static_assert(consecutive(Type::kFloat, Type::kDouble, Type::kFloats, Type::kIntegers, Type::kMasks, Type::kInt8));
inline bool is_narrow(Type t) { return t >= Type::kInt8; }
Type type_of(DType dtype);
// Of one number.
DType dtype_of(Type type);
std::size_t bytes_of(Type type);

enum class MachineOp : std::uint8_t {
  kNone,
  kAdd,
  kSub,
  kMul,
  kScaledAdd,  // a * instruction.function + b, b being a constant of 32 bits
  kDiv,        // floating point
  kFloorDiv,
  kFloorMod,
  kTruncateDiv,
  kTruncateMod,
  kSquaredDifference,
  kMaximum,
  kMinimum,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kEqual,
  kNotEqual,
  kNoBits,   // a & b is 0, b being a constant
  kAnyBits,  // it is not
  kAnd,
  kOr,
  kXor,
  kNot,  // of bool
  kNeg,
  kAbs,
  kSquare,
  kSqrt,
  kReciprocal,
  kFloor,
  kCeil,
  kRound,
  kIsNan,
  kCast,
  kSelect,
  kMultiplyAdd,  // floating point
  kBroadcast,    // a number in all four
  kInsert,       // the second operand as number instruction.offset of the first
  kExtract,      // number instruction.offset
};
static_assert(consecutive(MachineOp::kLess, MachineOp::kLessEqual, MachineOp::kGreater, MachineOp::kGreaterEqual,
                          MachineOp::kEqual, MachineOp::kNotEqual, MachineOp::kNoBits, MachineOp::kAnyBits));
inline bool is_comparison(MachineOp op) { return op >= MachineOp::kLess && op <= MachineOp::kAnyBits; }

struct Operation {
  enum class Role : std::uint8_t {
    kValue,  // computes `op` of its operands
    kCall,   // calls a block kernel
    kMove,
    kJump,
    kJumpUnless,  // unless the comparison `op` holds, or the operand if `op` is kNone
    kLoop,
    kLoopIf,
    kPush,
    kPop,
    kGet,
    kSet,
    kRows,
    kData,
    kCheckIndex,
    kLoad,
    kStore,
    kOwn,
    kAppend,
    kRemove,
    kListCall,  // a call; it changes arrays
  };
  Role role = Role::kCall;
  MachineOp op = MachineOp::kNone;
  int num_inputs = 0;
  Type in[3] = {};  // kNone: unknown, or not a register type
  Type out = Type::kNone;
};

Operation operation_of(const scalar::BytecodeInstruction& instruction);
// The value in a register of the bytecode.
std::int64_t integer_in(const scalar::Register& value, Type type);
// Up to 2^30.
bool is_small_power_of_two(std::int64_t number);
// Bytes that a move copies.
std::size_t moved_bytes(scalar::Kind kind);

}  // namespace tracefn::machine_code
