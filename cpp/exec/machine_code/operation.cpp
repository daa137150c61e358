// The table of functions with native instructions. Each gives the bits of its block kernel.
#include "exec/machine_code/operation.h"

#include <bit>

#include "ops/elementwise.kernels.h"

namespace tracefn::machine_code {
namespace {

using scalar::Kind;
using scalar::Step;

Op unary_op(int function, Type t) {
  const bool floating = is_floating(t), number = floating || is_integer(t);
  switch (function) {
    case kNeg:
      return number ? Op::kNeg : Op::kNone;
    case kAbs:
      return number ? Op::kAbs : Op::kNone;
    case kSquare:
      return number ? Op::kSquare : Op::kNone;
    case kSqrt:
      return floating ? Op::kSqrt : Op::kNone;
    case kReciprocal:
      return floating ? Op::kReciprocal : Op::kNone;
    case kFloor:
      return floating ? Op::kFloor : Op::kNone;
    case kCeil:
      return floating ? Op::kCeil : Op::kNone;
    case kRound:
      return floating ? Op::kRound : Op::kNone;
    case kIsNan:
      return floating ? Op::kIsNan : Op::kNone;
    case kLogicalNot:
      return t == Type::kBool ? Op::kNot : Op::kNone;
    default:
      return Op::kNone;
  }
}

Op binary_op(int function, Type t) {
  const bool floating = is_floating(t), integer = is_integer(t), boolean = t == Type::kBool;
  switch (function) {
    case kSquaredDifference:
      return floating || integer ? Op::kSquaredDifference : Op::kNone;
    case kMaximum:
      return floating || integer ? Op::kMaximum : Op::kNone;
    case kMinimum:
      return floating || integer ? Op::kMinimum : Op::kNone;
    case kDiv:
    case kTruncateDiv:
      return integer ? Op::kTruncateDiv : Op::kNone;
    case kTruncateMod:
      return integer ? Op::kTruncateMod : Op::kNone;
    case kFloorDiv:
      return floating ? Op::kFloorDiv : Op::kNone;
    case kLogicalAnd:
      return boolean ? Op::kAnd : Op::kNone;
    case kLogicalOr:
      return boolean ? Op::kOr : Op::kNone;
    case kBitwiseAnd:
      return integer ? Op::kAnd : Op::kNone;
    case kBitwiseOr:
      return integer ? Op::kOr : Op::kNone;
    case kBitwiseXor:
      return integer ? Op::kXor : Op::kNone;
    case kEqual:
      return boolean ? Op::kEqual : Op::kNone;
    case kNotEqual:
      return boolean ? Op::kNotEqual : Op::kNone;
    default:
      return Op::kNone;
  }
}

Op ternary_op(int function, Type t) {
  if (function == kSelect && t != Type::kNone) return Op::kSelect;
  return Op::kNone;
}

bool casts(Type from, Type to) { return from != Type::kNone && to != Type::kNone; }

Operation block(const Step& step) {
  Operation o;
  o.num_inputs = scalar::num_inputs(step.kind);
  const Type t = type_of(step.operand);
  if (step.kind == Kind::kUnary) {
    o.op = step.function == scalar::kCastFunction ? casts(t, type_of(step.result)) ? Op::kCast : Op::kNone
                                                  : unary_op(step.function, t);
  } else {
    o.op = step.kind == Kind::kBinary ? binary_op(step.function, t) : ternary_op(step.function, t);
  }
  if (o.op == Op::kNone) return o;
  o.role = Operation::Role::kValue;
  for (int k = 0; k < o.num_inputs; ++k) o.in[k] = t;
  if (o.op == Op::kSelect) o.in[0] = Type::kBool;
  o.out = type_of(step.result);
  return o;
}

// The kinds of a group follow the order of the types.
Type nth(int i) {
  static constexpr Type kTypes[4] = {Type::kInt32, Type::kInt64, Type::kFloat, Type::kDouble};
  return kTypes[i];
}
Operation binary(Op op, Type in, Type out) { return {Operation::Role::kValue, op, 2, {in, in}, out}; }

Operation comparison(Operation::Role role, Kind kind, Kind first) {
  const int i = static_cast<int>(kind) - static_cast<int>(first);
  Operation o = binary(static_cast<Op>(static_cast<int>(Op::kLess) + i % 6), nth(i / 6), Type::kBool);
  o.role = role;
  if (role != Operation::Role::kValue) o.out = Type::kNone;
  return o;
}

}  // namespace

Type type_of(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return Type::kBool;
    case DType::kInt32:
      return Type::kInt32;
    case DType::kInt64:
      return Type::kInt64;
    case DType::kFloat:
      return Type::kFloat;
    case DType::kDouble:
      return Type::kDouble;
    default:
      return Type::kNone;
  }
}

std::size_t bytes_of(Type type) {
  switch (type) {
    case Type::kBool:
      return 1;
    case Type::kInt32:
    case Type::kFloat:
      return 4;
    case Type::kInt64:
    case Type::kDouble:
      return 8;
    default:
      return 16;
  }
}

std::int64_t integer_in(const scalar::Cell& cell, Type type) {
  return type == Type::kInt64 ? scalar::get<std::int64_t>(cell) : scalar::get<std::int32_t>(cell);
}

bool is_small_power_of_two(std::int64_t number) {
  return number > 0 && number <= 0x4000'0000 && std::has_single_bit(static_cast<std::uint64_t>(number));
}

std::size_t moved_bytes(Kind kind) {
  return std::size_t{1} << (static_cast<int>(kind) - static_cast<int>(Kind::kMove1));
}

Operation operation_of(const Step& step) {
  using Role = Operation::Role;
  constexpr Type b = Type::kBool, i32 = Type::kInt32, i64 = Type::kInt64;
  const Type element = type_of(step.operand);
  switch (step.kind) {
    case Kind::kUnary:
    case Kind::kBinary:
    case Kind::kTernary:
      return block(step);
    case Kind::kMove1:
    case Kind::kMove2:
    case Kind::kMove4:
    case Kind::kMove8:
    case Kind::kMove16:
      return {Role::kMove, Op::kNone, 1};
    case Kind::kJump:
      return {Role::kJump};
    case Kind::kJumpUnless:
      return {Role::kJumpUnless, Op::kNone, 1, {b}};
    case Kind::kLoop:
      return {Role::kLoop};
    case Kind::kLoopIf:
      return {Role::kLoopIf, Op::kNone, 1, {b}};
    case Kind::kPush:
      return {Role::kPush, Op::kNone, 1, {element}};
    case Kind::kPop:
      return {Role::kPop, Op::kNone, 0, {}, element};
    case Kind::kGet:
      return {Role::kGet, Op::kNone, 1, {i32}, element};
    case Kind::kSet:
      return {Role::kSet, Op::kNone, 2, {i32, element}};
    case Kind::kDivFloat:
      return binary(Op::kDiv, Type::kFloat, Type::kFloat);
    case Kind::kDivDouble:
      return binary(Op::kDiv, Type::kDouble, Type::kDouble);
    case Kind::kFloorDivInt32:
      return binary(Op::kFloorDiv, i32, i32);
    case Kind::kFloorDivInt64:
      return binary(Op::kFloorDiv, i64, i64);
    case Kind::kFloorModInt32:
      return binary(Op::kFloorMod, i32, i32);
    case Kind::kFloorModInt64:
      return binary(Op::kFloorMod, i64, i64);
    default:
      break;
  }
  if (step.kind >= scalar::kFirstLoopIf) return comparison(Role::kLoopIf, step.kind, scalar::kFirstLoopIf);
  if (step.kind >= scalar::kFirstJumpUnless) return comparison(Role::kJumpUnless, step.kind, scalar::kFirstJumpUnless);
  if (step.kind >= scalar::kFirstComparison) return comparison(Role::kValue, step.kind, scalar::kFirstComparison);
  const int i = static_cast<int>(step.kind) - static_cast<int>(Kind::kAddInt32);
  static constexpr Op kArithmetic[3] = {Op::kAdd, Op::kSub, Op::kMul};
  return binary(kArithmetic[i % 3], nth(i / 3), nth(i / 3));
}

}  // namespace tracefn::machine_code
