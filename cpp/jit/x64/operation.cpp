// The table of functions with native instructions. Each gives the bits of its block kernel.
#include "jit/x64/operation.h"

#include <bit>

#include "ops/elementwise/functions.h"

namespace tracefn::machine_code {
namespace {

using scalar::BytecodeInstruction;
using scalar::Kind;
using namespace functions;  // NOLINT(google-build-using-namespace)

MachineOp unary_op(int function, Type t) {
  const bool floating = is_floating(t), number = floating || is_integer(t);
  switch (function) {
    case id_of<Neg>:
      return number ? MachineOp::kNeg : MachineOp::kNone;
    case id_of<Abs>:
      return number ? MachineOp::kAbs : MachineOp::kNone;
    case id_of<Square>:
      return number ? MachineOp::kSquare : MachineOp::kNone;
    case id_of<Sqrt>:
      return floating ? MachineOp::kSqrt : MachineOp::kNone;
    case id_of<Reciprocal>:
      return floating ? MachineOp::kReciprocal : MachineOp::kNone;
    case id_of<Floor>:
      return floating ? MachineOp::kFloor : MachineOp::kNone;
    case id_of<Ceil>:
      return floating ? MachineOp::kCeil : MachineOp::kNone;
    case id_of<Round>:
      return floating ? MachineOp::kRound : MachineOp::kNone;
    case id_of<IsNan>:
      return floating ? MachineOp::kIsNan : MachineOp::kNone;
    case id_of<LogicalNot>:
      return t == Type::kBool ? MachineOp::kNot : MachineOp::kNone;
    default:
      return MachineOp::kNone;
  }
}

MachineOp binary_op(int function, Type t) {
  const bool floating = is_floating(t), integer = is_integer(t), boolean = t == Type::kBool;
  switch (function) {
    case id_of<SquaredDifference>:
      return floating || integer ? MachineOp::kSquaredDifference : MachineOp::kNone;
    case id_of<Maximum>:
      return floating || integer ? MachineOp::kMaximum : MachineOp::kNone;
    case id_of<Minimum>:
      return floating || integer ? MachineOp::kMinimum : MachineOp::kNone;
    case id_of<Div>:
    case id_of<TruncateDiv>:
      return integer ? MachineOp::kTruncateDiv : MachineOp::kNone;
    case id_of<TruncateMod>:
      return integer ? MachineOp::kTruncateMod : MachineOp::kNone;
    case id_of<FloorDiv>:
      return floating ? MachineOp::kFloorDiv : MachineOp::kNone;
    case id_of<LogicalAnd>:
      return boolean ? MachineOp::kAnd : MachineOp::kNone;
    case id_of<LogicalOr>:
      return boolean ? MachineOp::kOr : MachineOp::kNone;
    case id_of<BitwiseAnd>:
      return integer ? MachineOp::kAnd : MachineOp::kNone;
    case id_of<BitwiseOr>:
      return integer ? MachineOp::kOr : MachineOp::kNone;
    case id_of<BitwiseXor>:
      return integer ? MachineOp::kXor : MachineOp::kNone;
    case id_of<Equal>:
      return boolean ? MachineOp::kEqual : MachineOp::kNone;
    case id_of<NotEqual>:
      return boolean ? MachineOp::kNotEqual : MachineOp::kNone;
    default:
      return MachineOp::kNone;
  }
}

MachineOp ternary_op(int function, Type t) {
  if (function == id_of<Select> && t != Type::kNone) return MachineOp::kSelect;
  return MachineOp::kNone;
}

bool casts(Type from, Type to) {
  return from != Type::kNone && to != Type::kNone && !(is_floating(from) && is_narrow(to));
}

Operation block(const BytecodeInstruction& instruction) {
  Operation o;
  o.num_inputs = scalar::num_inputs(instruction.kind);
  const Type t = type_of(instruction.operand);
  if (instruction.kind == Kind::kUnary) {
    o.op = instruction.function == scalar::kCastFunction
               ? casts(t, type_of(instruction.result)) ? MachineOp::kCast : MachineOp::kNone
               : unary_op(instruction.function, t);
  } else {
    o.op = instruction.kind == Kind::kBinary ? binary_op(instruction.function, t) : ternary_op(instruction.function, t);
  }
  if (o.op == MachineOp::kNone) return o;
  o.role = Operation::Role::kValue;
  for (int k = 0; k < o.num_inputs; ++k) o.in[k] = t;
  if (o.op == MachineOp::kSelect) o.in[0] = Type::kBool;
  o.out = type_of(instruction.result);
  return o;
}

// The kinds of a group follow the order of the types, and of the ops.
constexpr Type kTypes[4] = {Type::kInt32, Type::kInt64, Type::kFloat, Type::kDouble};
constexpr Type nth(int i) { return kTypes[i]; }
constexpr MachineOp kArithmetic[3] = {MachineOp::kAdd, MachineOp::kSub, MachineOp::kMul};
constexpr MachineOp comparison_op(int i) { return static_cast<MachineOp>(static_cast<int>(MachineOp::kLess) + i % 6); }

#define TRACEFN_ARITHMETIC(NAME, T)                                                                        \
  static_assert(kArithmetic[scalar::offset(Kind::k##NAME##T, Kind::kAddInt32) % 3] == MachineOp::k##NAME); \
  static_assert(nth(scalar::offset(Kind::k##NAME##T, Kind::kAddInt32) / 3) == Type::k##T);
TRACEFN_SCALAR_TYPES(TRACEFN_ARITHMETIC, TRACEFN_SCALAR_ARITHMETIC)
#undef TRACEFN_ARITHMETIC
#define TRACEFN_COMPARISON(NAME, T)                                                                               \
  static_assert(comparison_op(scalar::offset(Kind::k##NAME##T, scalar::kFirstComparison)) == MachineOp::k##NAME); \
  static_assert(nth(scalar::offset(Kind::k##NAME##T, scalar::kFirstComparison) / 6) == Type::k##T);
TRACEFN_SCALAR_TYPES(TRACEFN_COMPARISON, TRACEFN_SCALAR_COMPARISONS)
#undef TRACEFN_COMPARISON

Operation binary(MachineOp op, Type in, Type out) { return {Operation::Role::kValue, op, 2, {in, in}, out}; }

Operation comparison(Operation::Role role, Kind kind, Kind first) {
  const int i = scalar::offset(kind, first);
  Operation o = binary(comparison_op(i), nth(i / 6), Type::kBool);
  o.role = role;
  if (role != Operation::Role::kValue) o.out = Type::kNone;
  return o;
}

using Role = Operation::Role;

Operation of_one(const BytecodeInstruction& instruction) {
  constexpr Type b = Type::kBool, i32 = Type::kInt32, i64 = Type::kInt64, f32 = Type::kFloat, f64 = Type::kDouble;
  const Type element = type_of(instruction.operand);
  switch (instruction.kind) {
    case Kind::kUnary:
    case Kind::kBinary:
    case Kind::kTernary:
      return block(instruction);
    case Kind::kMove1:
    case Kind::kMove2:
    case Kind::kMove4:
    case Kind::kMove8:
    case Kind::kMove16:
      return {Role::kMove, MachineOp::kNone, 1};
    case Kind::kJump:
      return {Role::kJump};
    case Kind::kJumpUnless:
      return {Role::kJumpUnless, MachineOp::kNone, 1, {b}};
    case Kind::kLoop:
      return {Role::kLoop};
    case Kind::kLoopIf:
      return {Role::kLoopIf, MachineOp::kNone, 1, {b}};
    case Kind::kPush:
      return {Role::kPush, MachineOp::kNone, 1, {element}};
    case Kind::kPop:
      return {Role::kPop, MachineOp::kNone, 0, {}, element};
    case Kind::kGet:
      return {Role::kGet, MachineOp::kNone, 1, {i32}, element};
    case Kind::kSet:
      return {Role::kSet, MachineOp::kNone, 2, {i32, element}};
    case Kind::kRows:
      return {Role::kRows, MachineOp::kNone, 0, {}, i64};
    case Kind::kCheckIndex:
      return {Role::kCheckIndex, MachineOp::kNone, 3, {i64, i64, i64}};
    case Kind::kWrapIndex:
      return {Role::kCheckIndex, MachineOp::kNone, 3, {i64, i64, i64}, i64};
    case Kind::kLoad:
      return {Role::kLoad, MachineOp::kNone, 1, {i64}, element};
    case Kind::kStore:
      return {Role::kStore, MachineOp::kNone, 2, {i64, element}};
    case Kind::kData:
      return {Role::kData, MachineOp::kNone, 0, {}, i64};
    case Kind::kLoadAt:
      return {Role::kLoad, MachineOp::kNone, 2, {i64, i64}, element};
    case Kind::kStoreAt:
      return {Role::kStore, MachineOp::kNone, 3, {i64, element, i64}};
    case Kind::kOwn:
      return {Role::kOwn};
    case Kind::kReserve:
      return {Role::kListCall, MachineOp::kNone, 2, {i32, i32}};
    case Kind::kGrow:
      return {Role::kListCall, MachineOp::kNone, 1, {i32}};
    case Kind::kAppend:
      return {Role::kAppend, MachineOp::kNone, 0, {}, i64};
    case Kind::kRemove:
      return {Role::kRemove, MachineOp::kNone, 0, {}, i64};
    case Kind::kTake:
    case Kind::kShare:
    case Kind::kWork:
      return {Role::kListCall};
    case Kind::kBroadcast:
      return {Role::kValue, MachineOp::kBroadcast, 1, {element}, four_of(element)};
    case Kind::kInsert:
      return {Role::kValue, MachineOp::kInsert, 2, {four_of(element), element}, four_of(element)};
    case Kind::kExtract:
      return {Role::kValue, MachineOp::kExtract, 1, {four_of(element)}, element};
    case Kind::kMultiplyAddFloat:
      return {Role::kValue, MachineOp::kMultiplyAdd, 3, {f32, f32, f32}, f32};
    case Kind::kMultiplyAddDouble:
      return {Role::kValue, MachineOp::kMultiplyAdd, 3, {f64, f64, f64}, f64};
    case Kind::kDivFloat:
      return binary(MachineOp::kDiv, Type::kFloat, Type::kFloat);
    case Kind::kDivDouble:
      return binary(MachineOp::kDiv, Type::kDouble, Type::kDouble);
    case Kind::kFloorDivInt32:
      return binary(MachineOp::kFloorDiv, i32, i32);
    case Kind::kFloorDivInt64:
      return binary(MachineOp::kFloorDiv, i64, i64);
    case Kind::kFloorModInt32:
      return binary(MachineOp::kFloorMod, i32, i32);
    case Kind::kFloorModInt64:
      return binary(MachineOp::kFloorMod, i64, i64);
    default:
      break;
  }
  if (instruction.kind >= scalar::kFirstLoopIf)
    return comparison(Role::kLoopIf, instruction.kind, scalar::kFirstLoopIf);
  if (instruction.kind >= scalar::kFirstJumpUnless)
    return comparison(Role::kJumpUnless, instruction.kind, scalar::kFirstJumpUnless);
  if (instruction.kind >= scalar::kFirstComparison)
    return comparison(Role::kValue, instruction.kind, scalar::kFirstComparison);
  const int i = scalar::offset(instruction.kind, Kind::kAddInt32);
  return binary(kArithmetic[i % 3], nth(i / 3), nth(i / 3));
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
    case DType::kInt8:
      return Type::kInt8;
    case DType::kUInt8:
      return Type::kUInt8;
    case DType::kInt16:
      return Type::kInt16;
    case DType::kUInt16:
      return Type::kUInt16;
    default:
      return Type::kNone;
  }
}

DType dtype_of(Type type) {
  constexpr DType kDTypes[] = {DType::kInvalid, DType::kBool,    DType::kInt32,   DType::kInt64,   DType::kFloat,
                               DType::kDouble,  DType::kInvalid, DType::kInvalid, DType::kInvalid, DType::kInt8,
                               DType::kUInt8,   DType::kInt16,   DType::kUInt16};
  return kDTypes[static_cast<std::size_t>(type)];
}

Type four_of(Type t) {
  switch (t) {
    case Type::kFloat:
      return Type::kFloats;
    case Type::kInt32:
      return Type::kIntegers;
    case Type::kBool:
      return Type::kMasks;
    default:
      return t;
  }
}

std::size_t bytes_of(Type type) {
  switch (type) {
    case Type::kBool:
    case Type::kInt8:
    case Type::kUInt8:
      return 1;
    case Type::kInt16:
    case Type::kUInt16:
      return 2;
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

std::int64_t integer_in(const scalar::Register& value, Type type) {
  switch (type) {
    case Type::kInt64:
      return scalar::get<std::int64_t>(value);
    case Type::kInt8:
      return scalar::get<std::int8_t>(value);
    case Type::kBool:
    case Type::kUInt8:
      return scalar::get<std::uint8_t>(value);
    case Type::kInt16:
      return scalar::get<std::int16_t>(value);
    case Type::kUInt16:
      return scalar::get<std::uint16_t>(value);
    default:
      return scalar::get<std::int32_t>(value);
  }
}

bool is_small_power_of_two(std::int64_t number) {
  return number > 0 && number <= 0x4000'0000 && std::has_single_bit(static_cast<std::uint64_t>(number));
}

std::size_t moved_bytes(Kind kind) { return std::size_t{1} << scalar::offset(kind, Kind::kMove1); }

Operation operation_of(const BytecodeInstruction& instruction) {
  Operation o = of_one(instruction);
  if (!instruction.on_four) return o;
  for (Type& t : o.in) t = four_of(t);
  o.out = four_of(o.out);
  return o;
}

}  // namespace tracefn::machine_code
