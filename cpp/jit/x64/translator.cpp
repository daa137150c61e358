// Frame, jumps, moves and calls in the System V calling convention.
#include "jit/x64/translator.h"

#include "jit/x64/support.h"

namespace tracefn::machine_code {
namespace {

using Role = Operation::Role;

constexpr Gpr kSaved[] = {Gpr::rbx, Gpr::rbp, Gpr::r12, Gpr::r13, Gpr::r14, Gpr::r15};

constexpr std::int32_t kInstructionsBetweenPolls = LongRun::kInstructions;
constexpr std::int32_t kInstructionsOfCall = 16;  // cost of a call, in instructions

}  // namespace

ScalarTranslator::ScalarTranslator(std::span<const BytecodeInstruction> instructions,
                                   std::span<const Operation> operations, std::span<const Location> locations,
                                   const Liveness& live, std::span<const Slot> results, bool has_avx)
    : instructions_(instructions),
      operations_(operations),
      locations_(locations),
      live_(live),
      results_(results),
      is_target_(scalar::targets(instructions)),
      asm_(has_avx) {
  for (std::size_t i = 0; i <= instructions.size(); ++i) labels_.push_back(asm_.new_label());
  epilogue_ = asm_.new_label();
  find_works();
}

std::vector<std::uint8_t> ScalarTranslator::translate() {
  std::vector<char> begins_loop(instructions_.size() + 1, 0);
  for (std::size_t i = 0; i < instructions_.size(); ++i)
    if (scalar::jumps(instructions_[i].kind) && instructions_[i].target <= i) begins_loop[instructions_[i].target] = 1;
  enter();
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    if (begins_loop[i]) asm_.align(32);
    asm_.bind(labels_[i]);
    const bool goes_on = !is_target_[i] && (operations_[i].role == Role::kLoad || operations_[i].role == Role::kStore);
    if (!goes_on) data_in_rdx_ = kNoList;
    if (const std::size_t n = selections_of(i)) {
      selections(i, n);
      i += n;
    } else {
      instruction(i);
    }
  }
  asm_.bind(labels_[instructions_.size()]);
  leave();
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    const std::function<void()> code = std::move(pending_[i]);  // which may add to the list
    code();
  }
  return asm_.finish();
}

// How many of the following selects are the only users of the comparison at i, so that its flags, or its bits in xmm0,
// suffice.
std::size_t ScalarTranslator::selections_of(std::size_t i) const {
  const Operation& o = operations_[i];
  if (o.role != Role::kValue || !is_comparison(o.op) || (is_floating(o.in[0]) && o.op >= MachineOp::kEqual)) return 0;
  if (is_four(o.in[0]) && !is_floating(o.in[0])) return 0;
  std::size_t n = 0;
  for (std::size_t k = i + 1; k < instructions_.size() && !is_target_[k]; ++k, ++n) {
    const Type out = operations_[k].out;
    const bool fits = !is_in_xmm(out) || (is_floating(o.in[0]) && form_of(o.in[0]) == form_of(out));
    const bool selects =
        operations_[k].op == MachineOp::kSelect && fits && instructions_[k].in[0] == instructions_[i].out &&
        instructions_[k].out != instructions_[i].out && instructions_[k].in[1] != instructions_[i].out &&
        instructions_[k].in[2] != instructions_[i].out;
    if (!selects) break;
  }
  return n > 0 && !live_.after.has(i + n, instructions_[i].out) ? n : 0;
}

// None of the instructions of a select changes the flags or xmm0.
void ScalarTranslator::selections(std::size_t i, std::size_t n) {
  const BytecodeInstruction& comparison = instructions_[i];
  bool of_flags = false, of_mask = false;
  for (std::size_t k = i + 1; k <= i + n; ++k) (is_in_xmm(operations_[k].out) ? of_mask : of_flags) = true;
  Flags flags;
  if (of_flags) flags = compare(operations_[i].op, comparison.in[0], comparison.in[1], operations_[i].in[0]);
  if (of_mask) compare_to_mask(comparison, operations_[i]);
  for (std::size_t k = i + 1; k <= i + n; ++k) {
    const BytecodeInstruction& s = instructions_[k];
    if (is_in_xmm(operations_[k].out)) {
      blend(s.in[1], s.in[2], s.out, form_of(operations_[k].out));
    } else {
      select_integer(s, flags);
    }
  }
}

void ScalarTranslator::enter() {
  for (Gpr r : kSaved) asm_.push(r);
  asm_.alu(Alu::sub, Width::k64, Gpr::rsp, frame_);
  asm_.mov(Width::k64, kRunAt, Gpr::rsi);
  asm_.mov(Width::k64, kListsAt, Gpr::rdx);
  asm_.mov(Width::k64, kRegisters, Gpr::rdi);
  asm_.mov(kBudget, kInstructionsBetweenPolls);
  for (Slot s = 0; s < locations_.size(); ++s)
    if (live_.before.has(0, s)) reload(s);
}

void ScalarTranslator::leave() {
  for (Slot s : results_) spill(s);
  asm_.mov(Gpr::rax, 0);
  asm_.bind(epilogue_);
  asm_.alu(Alu::add, Width::k64, Gpr::rsp, frame_);
  for (std::size_t i = std::size(kSaved); i-- > 0;) asm_.pop(kSaved[i]);
  asm_.ret();
}

// The result is dead, and the instruction cannot fail.
bool ScalarTranslator::is_dead(std::size_t i) const {
  const BytecodeInstruction& s = instructions_[i];
  const Operation& o = operations_[i];
  const bool only_computes = o.role == Role::kValue || o.role == Role::kMove || o.role == Role::kLoad ||
                             o.role == Role::kRows || o.role == Role::kData;
  if (!only_computes || live_.after.has(i, s.out)) return false;
  static_assert(
      consecutive(MachineOp::kFloorDiv, MachineOp::kFloorMod, MachineOp::kTruncateDiv, MachineOp::kTruncateMod));
  const bool divides = o.op >= MachineOp::kFloorDiv && o.op <= MachineOp::kTruncateMod && !is_floating(o.in[0]);
  return !divides || (is_immediate(s.in[1]) && value(s.in[1]) != 0);
}

void ScalarTranslator::instruction(std::size_t i) {
  if (is_dead(i)) return;
  const Operation& o = operations_[i];
  switch (o.role) {
    case Role::kValue:
      if (is_four(o.in[0]) || is_four(o.out)) {
        four(i);
      } else if (is_floating(o.in[o.num_inputs - 1]) || o.op == MachineOp::kCast) {
        floating(instructions_[i], o);
      } else {
        integer(i);
      }
      break;
    case Role::kCall:
      kernel_call(i);
      break;
    case Role::kMove:
      move(instructions_[i]);
      break;
    case Role::kPush:
    case Role::kPop:
    case Role::kGet:
    case Role::kSet:
      list(i);
      break;
    case Role::kRows:
    case Role::kData:
    case Role::kCheckIndex:
    case Role::kLoad:
    case Role::kStore:
    case Role::kOwn:
    case Role::kAppend:
    case Role::kRemove:
    case Role::kListCall:
      array(i);
      break;
    default:
      jump(i);
  }
}

void ScalarTranslator::move(const BytecodeInstruction& s) {
  const Location &from = locations_[s.in[0]], &to = locations_[s.out];
  if (is_in_xmm(from.type)) {
    const Form form = form_of(from.type);
    const Xmm x = to.kind == Location::kXmm ? static_cast<Xmm>(to.reg) : in_xmm(s.in[0], Xmm::xmm0, form);
    get(x, s.in[0], form);
    return put(s.out, x, form);
  }
  if (from.type != Type::kNone) {
    const Gpr x = to.kind == Location::kGpr ? static_cast<Gpr>(to.reg) : in_gpr(s.in[0], Gpr::rax, from.type);
    get(x, s.in[0], from.type);
    return put(s.out, x, from.type);
  }
  if (moved_bytes(s.kind) == 16) {
    asm_.movs(Form::ps, Xmm::xmm0, in_memory(s.in[0]));
    asm_.movs(Form::ps, in_memory(s.out), Xmm::xmm0);
  } else {
    load(Gpr::rax, in_memory(s.in[0]), moved_bytes(s.kind));
    store(in_memory(s.out), Gpr::rax, moved_bytes(s.kind));
  }
}

void ScalarTranslator::jump(std::size_t i) {
  const BytecodeInstruction& s = instructions_[i];
  const Operation& o = operations_[i];
  const Label to = labels_[s.target];
  if (o.role == Role::kLoop || o.role == Role::kLoopIf) ask(i);
  if (o.role == Role::kJump || o.role == Role::kLoop) {
    if (s.target != i + 1) asm_.jump(to);
    return;
  }
  const Flags flags = o.op == MachineOp::kNone ? truth(s.in[0]) : compare(o.op, s.in[0], s.in[1], o.in[0]);
  if (o.role == Role::kLoopIf) {
    jump_if(flags, to);
  } else {
    jump_unless(flags, to);
  }
}

void ScalarTranslator::ask(std::size_t i) {
  std::int32_t cost = 1;
  for (std::size_t k = instructions_[i].target; k < i && cost < kInstructionsBetweenPolls; ++k)
    cost += operations_[k].role == Role::kCall || operations_[k].role == Role::kListCall ? kInstructionsOfCall : 1;
  const Label slow = asm_.new_label(), back = asm_.new_label();
  asm_.alu(Alu::sub, Width::k32, Rm(kBudget), cost);
  asm_.jump(Condition::sign, slow);
  asm_.bind(back);
  out_of_line([this, i, slow, back] {
    asm_.bind(slow);
    call(i, reinterpret_cast<const void*>(look), [this] { asm_.mov(Width::k64, Gpr::rdi, kRunAt); });
    asm_.mov(kBudget, kInstructionsBetweenPolls);
    asm_.jump(back);
  });
}

void ScalarTranslator::kernel_call(std::size_t i) {
  static constexpr Gpr kArguments[] = {Gpr::rdi, Gpr::rsi, Gpr::rdx, Gpr::rcx, Gpr::r8, Gpr::r9};
  const BytecodeInstruction& s = instructions_[i];
  const int n = operations_[i].num_inputs;
  const void* kernel = n == 1   ? reinterpret_cast<const void*>(s.unary)
                       : n == 2 ? reinterpret_cast<const void*>(s.binary)
                                : reinterpret_cast<const void*>(s.ternary);
  call(i, kernel, [&] {
    for (int k = 0; k < n; ++k) asm_.lea(Width::k64, kArguments[k], in_memory(s.in[k]));
    asm_.lea(Width::k64, kArguments[n], in_memory(s.out));
    asm_.mov(kArguments[n + 1], 1);
    if (n > 1) asm_.mov(kArguments[n + 2], 0);
  });
}

void ScalarTranslator::call(std::size_t i, const void* function, const std::function<void()>& arguments) {
  spill_for_call(i);
  arguments();
  asm_.mov(Gpr::rax, static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(function)));
  asm_.call(Gpr::rax);
  check_call(i);
  reload_after_call(i);
}

bool ScalarTranslator::lives_on(std::size_t i, Slot slot) const {
  const BytecodeInstruction& s = instructions_[i];
  if (scalar::writes(s.kind) && slot == s.out) return false;
  // A loop's poll comes before its comparison.
  return live_.after.has(i, slot) || (scalar::jumps(s.kind) && live_.before.has(i, slot));
}

void ScalarTranslator::spill_for_call(std::size_t i) {
  for (int k = 0; k < operations_[i].num_inputs; ++k) spill(instructions_[i].in[k]);
  for (Slot slot = 0; slot < locations_.size(); ++slot)
    if (is_lost_in_calls(locations_[slot]) && lives_on(i, slot)) spill(slot);
}

void ScalarTranslator::reload_after_call(std::size_t i) {
  for (Slot slot = 0; slot < locations_.size(); ++slot)
    if (is_lost_in_calls(locations_[slot]) && lives_on(i, slot)) reload(slot);
  if (scalar::writes(instructions_[i].kind)) reload(instructions_[i].out);
}

void ScalarTranslator::check_call(std::size_t i) {
  asm_.test(Width::k32, Gpr::rax, Gpr::rax);
  const Label failed = asm_.new_label();
  asm_.jump(Condition::not_equal, failed);
  out_of_line([this, i, failed] {
    asm_.bind(failed);
    asm_.mov(Width::k32, Gpr::rax, Rm(Gpr::rax));  // the upper half of an int's register is undefined
    asm_.alu(Alu::or_, Width::k64, Rm(Gpr::rax), static_cast<std::int32_t>(i << 8));
    asm_.jump(epilogue_);
  });
}

void ScalarTranslator::fail(std::size_t i, int status) {
  asm_.mov(Gpr::rax, static_cast<std::int64_t>(i << 8 | static_cast<std::size_t>(status)));
  asm_.jump(epilogue_);
}

// Registers that no instruction writes have their initial value.
void ScalarTranslator::spill(Slot s) {
  const Location& l = locations_[s];
  if (!l.written) return;
  if (l.kind == Location::kXmm) asm_.movs(form_of(l.type), in_memory(s), static_cast<Xmm>(l.reg));
  if (l.kind == Location::kGpr) store(in_memory(s), static_cast<Gpr>(l.reg), bytes_of(l.type));
}

void ScalarTranslator::reload(Slot s) {
  const Location& l = locations_[s];
  if (l.kind == Location::kXmm) asm_.movs(form_of(l.type), static_cast<Xmm>(l.reg), in_memory(s));
  if (l.kind == Location::kGpr) load(static_cast<Gpr>(l.reg), in_memory(s), l.type);
}

Rm ScalarTranslator::place(Slot s) const {
  const Location& l = locations_[s];
  if (l.kind == Location::kGpr) return static_cast<Gpr>(l.reg);
  if (l.kind == Location::kXmm) return static_cast<Xmm>(l.reg);
  return in_memory(s);
}

Gpr ScalarTranslator::target(Slot out, Gpr otherwise) const {
  const Location& l = locations_[out];
  return l.kind == Location::kGpr ? static_cast<Gpr>(l.reg) : otherwise;
}
Xmm ScalarTranslator::target(Slot out, Xmm otherwise) const {
  const Location& l = locations_[out];
  return l.kind == Location::kXmm ? static_cast<Xmm>(l.reg) : otherwise;
}

void ScalarTranslator::get(Gpr to, Slot s, Type t) {
  const Rm from = place(s);
  if (is_immediate(s)) {
    asm_.mov(to, value(s));
  } else if (from.is_memory) {
    load(to, from.memory, t);
  } else if (!from.is(to)) {
    asm_.mov(width_of(t), to, from);
  }
}
void ScalarTranslator::get(Xmm to, Slot s, Form form) {
  const Rm from = place(s);
  if (from.is_memory || !from.is(to)) asm_.movs(form, to, from);
}
void ScalarTranslator::put(Slot out, Gpr from, Type t) {
  const Rm to = place(out);
  if (to.is_memory) {
    store(to.memory, from, bytes_of(t));
  } else if (!to.is(from)) {
    asm_.mov(width_of(t), static_cast<Gpr>(to.reg), from);
  }
}
void ScalarTranslator::put(Slot out, Xmm from, Form form) {
  const Rm to = place(out);
  if (to.is_memory) {
    asm_.movs(form, to.memory, from);
  } else if (!to.is(from)) {
    asm_.movs(form, static_cast<Xmm>(to.reg), from);
  }
}
void ScalarTranslator::load(Gpr to, const Mem& from, std::size_t bytes) {
  switch (bytes) {
    case 1:
      return asm_.movzx8(to, from);
    case 2:
      return asm_.movzx16(to, from);
    default:
      return asm_.mov(bytes == 8 ? Width::k64 : Width::k32, to, from);
  }
}
void ScalarTranslator::load(Gpr to, const Mem& from, Type t) {
  if (is_narrow(t)) return extend(to, from, t);
  load(to, from, bytes_of(t));
}
void ScalarTranslator::extend(Gpr to, const Rm& from, Type t) {
  switch (t) {
    case Type::kInt8:
      return asm_.movsx8(to, from);
    case Type::kUInt8:
      return asm_.movzx8(to, from);
    case Type::kInt16:
      return asm_.movsx16(to, from);
    default:
      return asm_.movzx16(to, from);
  }
}
void ScalarTranslator::store(const Mem& to, Gpr from, std::size_t bytes) {
  switch (bytes) {
    case 1:
      return asm_.mov8(to, from);
    case 2:
      return asm_.mov16(to, from);
    default:
      return asm_.mov(bytes == 8 ? Width::k64 : Width::k32, to, from);
  }
}
Gpr ScalarTranslator::in_gpr(Slot s, Gpr otherwise, Type t) {
  if (locations_[s].kind == Location::kGpr) return static_cast<Gpr>(locations_[s].reg);
  get(otherwise, s, t);
  return otherwise;
}
Xmm ScalarTranslator::in_xmm(Slot s, Xmm otherwise, Form form) {
  if (locations_[s].kind == Location::kXmm) return static_cast<Xmm>(locations_[s].reg);
  get(otherwise, s, form);
  return otherwise;
}

}  // namespace tracefn::machine_code
