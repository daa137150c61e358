// Lists: the common case inline, growth and errors by a call.
#include "jit/x64/support.h"
#include "jit/x64/translator.h"

namespace tracefn::machine_code {
namespace {

using Role = Operation::Role;
using scalar::ListWindow;

}  // namespace

Mem ScalarTranslator::list_field(std::uint32_t list, std::size_t offset) const {
  return {kList, static_cast<std::int32_t>(list * sizeof(scalar::ScalarList) + offset)};
}

void ScalarTranslator::list(std::size_t i) {
  const BytecodeInstruction& s = instructions_[i];
  const Role role = operations_[i].role;
  const Mem size = list_field(s.target, offsetof(ListWindow, size)),
            room = list_field(s.target, offsetof(ListWindow, room)),
            data = list_field(s.target, offsetof(ListWindow, data));
  const Label slow = asm_.new_label(), done = asm_.new_label();
  asm_.mov(Width::k64, kList, kListsAt);
  if (role == Role::kPush || role == Role::kPop) {
    asm_.mov(Width::k64, Gpr::rax, size);
  } else {
    get(Gpr::rax, s.in[0], Type::kInt32);  // compared as unsigned: a negative index is past every size
  }
  switch (role) {
    case Role::kPush:
      asm_.alu(Alu::cmp, Width::k64, Gpr::rax, room);
      asm_.jump(Condition::above_equal, slow);
      asm_.inc(Width::k64, size);
      break;
    case Role::kPop:
      asm_.alu(Alu::sub, Width::k64, Rm(Gpr::rax), 1);
      asm_.jump(Condition::below, slow);
      asm_.mov(Width::k64, size, Gpr::rax);
      break;
    default:
      asm_.alu(Alu::cmp, Width::k64, Gpr::rax, size);
      asm_.jump(Condition::above_equal, slow);
      if (role != Role::kSet) break;
      asm_.alu(Alu::cmp, Width::k64, Gpr::rax, room);
      asm_.jump(Condition::above_equal, slow);
  }
  const std::size_t bytes = size_of(s.operand);
  asm_.mov(Width::k64, Gpr::rdx, data);
  if (bytes == 16) asm_.shift(Shift::shl, Width::k64, Gpr::rax, 4);
  const Mem element{Gpr::rdx, 0, Gpr::rax, static_cast<std::uint8_t>(bytes == 16 ? 1 : bytes)};
  if (scalar::writes(s.kind)) {
    load_element(element, bytes, s.out);
  } else {
    asm_.lea(Width::k64, Gpr::rdx, element);
    store_element(Mem{Gpr::rdx}, bytes, s.in[role == Role::kSet ? 1 : 0]);
  }
  asm_.bind(done);
  out_of_line([=, this] {
    asm_.bind(slow);
    list_call(i);
    asm_.jump(done);
  });
}

void ScalarTranslator::load_element(const Mem& element, std::size_t bytes, Slot out) {
  const Type t = locations_[out].type;
  if (t == Type::kMasks) return load_masks(element, out);
  if (is_in_xmm(t)) {
    const Xmm x = target(out, Xmm::xmm0);
    asm_.movs(form_of(t), x, element);
    return put(out, x, form_of(t));
  }
  if (bytes == 16) {
    asm_.movs(Form::ps, Xmm::xmm0, element);
    return asm_.movs(Form::ps, in_memory(out), Xmm::xmm0);
  }
  const Gpr x = target(out, Gpr::rax);
  is_narrow(t) ? extend(x, element, t) : load(x, element, bytes);
  if (place(out).is_memory) store(in_memory(out), x, bytes);
}

void ScalarTranslator::store_element(const Mem& element, std::size_t bytes, Slot value) {
  const Location& from = locations_[value];
  if (from.type == Type::kMasks) return store_masks(element, value);
  if (is_in_xmm(from.type)) return asm_.movs(form_of(from.type), element, in_xmm(value, Xmm::xmm0, form_of(from.type)));
  if (bytes == 16) {
    asm_.movs(Form::ps, Xmm::xmm0, in_memory(value));
    return asm_.movs(Form::ps, element, Xmm::xmm0);
  }
  if (from.type != Type::kNone) return store(element, in_gpr(value, Gpr::rax, from.type), bytes);
  load(Gpr::rax, in_memory(value), bytes);
  store(element, Gpr::rax, bytes);
}

void ScalarTranslator::list_call(std::size_t i) {
  const BytecodeInstruction& s = instructions_[i];
  const void* function = nullptr;
  switch (operations_[i].role) {
    case Role::kPush:
      function = reinterpret_cast<const void*>(push);
      break;
    case Role::kPop:
      function = reinterpret_cast<const void*>(pop);
      break;
    case Role::kGet:
      function = reinterpret_cast<const void*>(machine_code::get);
      break;
    default:
      function = reinterpret_cast<const void*>(machine_code::set);
  }
  call(i, function, [&] {
    asm_.mov(Width::k64, Gpr::rdi, kRunAt);
    asm_.mov(Gpr::rsi, s.target);
    const int n = operations_[i].num_inputs;
    asm_.lea(Width::k64, Gpr::rdx, in_memory(n > 0 ? s.in[0] : s.out));
    if (n > 1) asm_.lea(Width::k64, Gpr::rcx, in_memory(s.in[1]));
    if (n == 1 && scalar::writes(s.kind)) asm_.lea(Width::k64, Gpr::rcx, in_memory(s.out));
  });
}

}  // namespace tracefn::machine_code
