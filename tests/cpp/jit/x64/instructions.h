// Instructions of bytecode, written down.
#pragma once

#include "jit/scalar/bytecode.h"

namespace tracefn::test {

inline scalar::BytecodeInstruction made(scalar::Kind kind, scalar::Slot out, scalar::Slot a, scalar::Slot b = 0,
                                        scalar::Slot c = 0) {
  scalar::BytecodeInstruction s;
  s.kind = kind;
  s.out = out;
  s.in[0] = a;
  s.in[1] = b;
  s.in[2] = c;
  return s;
}
inline scalar::BytecodeInstruction on_array(scalar::Kind kind, std::uint32_t array, scalar::Slot out, scalar::Slot a,
                                            scalar::Slot b = 0) {
  scalar::BytecodeInstruction s = made(kind, out, a, b);
  s.target = array;
  s.operand = DType::kFloat;
  return s;
}
inline scalar::BytecodeInstruction jump(scalar::Kind kind, std::uint32_t target, scalar::Slot a = 0,
                                        scalar::Slot b = 0) {
  scalar::BytecodeInstruction s = made(kind, 0, a, b);
  s.target = target;
  return s;
}
// From int32 to int64.
inline scalar::BytecodeInstruction cast(scalar::Slot out, scalar::Slot a) {
  scalar::BytecodeInstruction s = made(scalar::Kind::kUnary, out, a);
  s.function = scalar::kCastFunction;
  s.operand = DType::kInt32;
  s.result = DType::kInt64;
  return s;
}

}  // namespace tracefn::test
