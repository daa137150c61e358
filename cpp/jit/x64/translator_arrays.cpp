// Arrays, and lists of rows: numbers are loaded and stored inline; what allocates or fails is a call.
#include "jit/x64/support.h"
#include "jit/x64/translator.h"

namespace tracefn::machine_code {
namespace {

using Role = Operation::Role;
using scalar::Kind;
using scalar::ListWindow;

}  // namespace

void ScalarTranslator::array(std::size_t i) {
  const BytecodeInstruction& s = instructions_[i];
  const std::size_t bytes = size_of(s.operand);
  switch (operations_[i].role) {
    case Role::kRows:
    case Role::kData: {
      const Gpr to = target(s.out, Gpr::rax);
      asm_.mov(Width::k64, kList, kListsAt);
      const std::size_t field =
          operations_[i].role == Role::kRows ? offsetof(ListWindow, size) : offsetof(ListWindow, data);
      asm_.mov(Width::k64, to, list_field(s.target, field));
      return put(s.out, to, Type::kInt64);
    }
    case Role::kCheckIndex:
      return check_index(i);
    case Role::kLoad:
      return load_element(element(s), bytes, s.out);
    case Role::kStore: {
      Mem to = element(s);
      if (to.index == Gpr::rax) {
        asm_.lea(Width::k64, Gpr::rdx, to);
        to = Mem{Gpr::rdx};
        data_in_rdx_ = kNoList;
      }
      return store_element(to, bytes, s.in[1]);
    }
    case Role::kOwn:
      return own(i);
    case Role::kAppend:
    case Role::kRemove:
      return add_or_remove_row(i);
    default:
      break;
  }
  switch (s.kind) {
    case Kind::kWork:
      return work(i);
    case Kind::kTake:
      return call(i, reinterpret_cast<const void*>(take), [&] {
        asm_.mov(Width::k64, kList, kListsAt);
        asm_.lea(Width::k64, Gpr::rdi, list_field(s.target, 0));
        asm_.lea(Width::k64, Gpr::rsi, list_field(s.offset, 0));
      });
    case Kind::kReserve:
      return call(i, reinterpret_cast<const void*>(reserve), [&] {
        asm_.mov(Width::k64, Gpr::rdi, kRunAt);
        asm_.mov(Gpr::rsi, s.target);
        load(Gpr::rdx, in_memory(s.in[0]), Type::kInt32);
        load(Gpr::rcx, in_memory(s.in[1]), Type::kInt32);
      });
    default:
      array_call(i);
  }
}

Mem ScalarTranslator::element(const BytecodeInstruction& s) {
  const auto bytes = static_cast<std::int64_t>(size_of(s.operand));
  Gpr start = Gpr::rdx;
  if (s.kind == Kind::kLoadAt || s.kind == Kind::kStoreAt) {
    start = in_gpr(s.in[scalar::num_inputs(s.kind) - 1], start, Type::kInt64);
    data_in_rdx_ = kNoList;
  } else if (data_in_rdx_ != s.target) {
    asm_.mov(Width::k64, kList, kListsAt);
    asm_.mov(Width::k64, start, list_field(s.target, offsetof(ListWindow, data)));
    data_in_rdx_ = s.target;
  }
  if (is_immediate(s.in[0])) {
    const std::int64_t at = (value(s.in[0]) + std::int64_t{s.offset}) * bytes;
    if (at == static_cast<std::int32_t>(at)) return Mem{start, static_cast<std::int32_t>(at)};
  }
  const auto offset = static_cast<std::int32_t>(s.offset * bytes);
  Gpr index = in_gpr(s.in[0], Gpr::rax, Type::kInt64);
  if (bytes <= 8) return Mem{start, offset, index, static_cast<std::uint8_t>(bytes)};
  if (index != Gpr::rax) asm_.mov(Width::k64, Gpr::rax, index);
  asm_.shift(Shift::shl, Width::k64, Gpr::rax, 4);
  return Mem{start, offset, Gpr::rax, 1};
}

void ScalarTranslator::check_index(std::size_t i) {
  const BytecodeInstruction& s = instructions_[i];
  const Gpr index = in_gpr(s.in[0], Gpr::rax, Type::kInt64);
  if (is_immediate(s.in[1])) {
    asm_.alu(Alu::cmp, Width::k64, Rm(index), value(s.in[1]));
  } else {
    asm_.alu(Alu::cmp, Width::k64, index, place(s.in[1]));
  }
  // Compared as unsigned: a negative index is past every limit.
  const Label outside = asm_.new_label(), done = asm_.new_label();
  asm_.jump(Condition::above_equal, outside);
  if (scalar::writes(s.kind)) put(s.out, index, Type::kInt64);
  asm_.bind(done);
  out_of_line([this, i, outside, done] {
    asm_.bind(outside);
    array_call(i);
    asm_.jump(done);
  });
}

void ScalarTranslator::own(std::size_t i) {
  const BytecodeInstruction& s = instructions_[i];
  const Label slow = asm_.new_label(), done = asm_.new_label();
  asm_.mov(Width::k64, kList, kListsAt);
  const Mem room = list_field(s.target, offsetof(ListWindow, room));
  if (s.offset == scalar::kAsIs) {
    asm_.alu(Alu::cmp, Width::k64, room, 0);
    asm_.jump(Condition::equal, slow);
  } else {
    asm_.alu(Alu::cmp, Width::k64, room, static_cast<std::int32_t>(s.offset));
    asm_.jump(Condition::less, slow);
    asm_.mov(Gpr::rax, s.offset);
    asm_.mov(Width::k64, list_field(s.target, offsetof(ListWindow, size)), Gpr::rax);
  }
  asm_.bind(done);
  out_of_line([this, i, slow, done] {
    asm_.bind(slow);
    array_call(i);
    asm_.jump(done);
  });
}

// One row more or less at the end; the result is its index.
void ScalarTranslator::add_or_remove_row(std::size_t i) {
  const BytecodeInstruction& s = instructions_[i];
  const Label slow = asm_.new_label(), done = asm_.new_label();
  const Mem size = list_field(s.target, offsetof(ListWindow, size));
  const Gpr index = target(s.out, Gpr::rax);
  asm_.mov(Width::k64, kList, kListsAt);
  asm_.mov(Width::k64, Gpr::rax, size);
  if (operations_[i].role == Role::kAppend) {
    asm_.alu(Alu::cmp, Width::k64, Gpr::rax, list_field(s.target, offsetof(ListWindow, room)));
    asm_.jump(Condition::above_equal, slow);
    asm_.inc(Width::k64, size);
  } else {
    asm_.alu(Alu::sub, Width::k64, Rm(Gpr::rax), 1);
    asm_.jump(Condition::below, slow);
    asm_.mov(Width::k64, size, Gpr::rax);
  }
  if (index != Gpr::rax) asm_.mov(Width::k64, index, Gpr::rax);
  put(s.out, index, Type::kInt64);
  asm_.bind(done);
  out_of_line([this, i, slow, done] {
    asm_.bind(slow);
    array_call(i);
    asm_.jump(done);
  });
}

void ScalarTranslator::array_call(std::size_t i) {
  call(i, reinterpret_cast<const void*>(run_list), [&] {
    asm_.mov(Width::k64, Gpr::rdi, kRunAt);
    asm_.mov(Gpr::rsi, static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&instructions_[i])));
    asm_.mov(Width::k64, Gpr::rdx, kRegisters);
  });
}

}  // namespace tracefn::machine_code
