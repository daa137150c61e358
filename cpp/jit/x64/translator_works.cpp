// Work on arrays: what consists of copies and vector code is called without a way through the work's run().
#include "jit/x64/support.h"
#include "jit/x64/translator.h"

namespace tracefn::machine_code {
namespace {

using scalar::CodeCall;
using scalar::ListWindow;

constexpr Gpr kLists = Gpr::r11;  // points to the lists while addresses are made
constexpr std::int32_t kWordBytes = 8;

std::int64_t address(const void* p) { return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(p)); }
template <typename R, typename... Arguments>
std::int64_t address(R (*function)(Arguments...)) {
  return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(function));
}

}  // namespace

// Below the fixed part: the rows left, the places, and the memory for copies.
void ScalarTranslator::find_works() {
  std::size_t most = 0;
  calls_.resize(instructions_.size());
  for (std::size_t i = 0; i < instructions_.size(); ++i) {
    if (instructions_[i].kind != scalar::Kind::kWork) continue;
    const scalar::PartsOfWork* const parts = instructions_[i].work->parts();
    if (!parts) continue;
    calls_[i] = parts->code_calls();
    for (const CodeCall& call : calls_[i]) most = std::max(most, kWordBytes * (1 + call.places.size()) + call.room);
  }
  frame_ += static_cast<std::int32_t>((most + 15) / 16 * 16);
}

void ScalarTranslator::place_address(Gpr to, const CodeCall::Place& place, std::int32_t copies_at) {
  if (place.kind == CodeCall::Place::kCopy) return asm_.lea(Width::k64, to, Mem{Gpr::rsp, copies_at + place.offset});
  asm_.mov(Width::k64, to, Mem{kLists, list_field(place.array, offsetof(ListWindow, data)).disp});
  for (const CodeCall::Place::Move& move : place.moves) {
    asm_.mov(Width::k64, Gpr::rax, Mem{kLists, list_field(move.array, offsetof(ListWindow, data)).disp});
    asm_.imul(Width::k64, Gpr::rax, Mem{Gpr::rax, move.index * kWordBytes}, move.bytes);
    asm_.alu(Alu::add, Width::k64, to, Gpr::rax);
  }
  if (place.offset != 0) asm_.alu(Alu::add, Width::k64, Rm(to), place.offset);
}

void ScalarTranslator::copies(const CodeCall& call, std::span<const CodeCall::Copy> copies, std::int32_t copies_at) {
  for (const CodeCall::Copy& copy : copies) {
    asm_.mov(Width::k64, kLists, kListsAt);
    place_address(Gpr::rdi, copy.from, copies_at);
    place_address(Gpr::rdx, copy.to, copies_at);
    asm_.mov(Gpr::rsi, address(copy.from_strides));
    asm_.mov(Gpr::rcx, address(copy.to_strides));
    asm_.mov(Gpr::r8, address(call.sizes));
    asm_.mov(Gpr::r9, static_cast<std::int64_t>(call.loops));
    asm_.mov(Gpr::rax, address(copy.function));
    asm_.call(Gpr::rax);
  }
}

void ScalarTranslator::part_of_work(std::size_t i, std::size_t number) {
  const CodeCall& part = calls_[i][number];
  const scalar::PartsOfWork* const parts = instructions_[i].work->parts();
  const Label run = asm_.new_label(), finish = asm_.new_label(), done = asm_.new_label();
  const Mem left{Gpr::rsp, kFrame};
  const std::int32_t places_at = kFrame + kWordBytes;
  const auto copies_at = places_at + static_cast<std::int32_t>(kWordBytes * part.places.size());
  // Calls one of the functions of support.h, with its arguments behind the number of the part in place.
  const auto call_parts = [=, this](std::int64_t function) {
    asm_.mov(Width::k64, Gpr::rdi, kRunAt);
    asm_.mov(Gpr::rsi, address(parts));
    asm_.mov(Gpr::rdx, static_cast<std::int64_t>(number));
    asm_.mov(Gpr::rax, function);
    asm_.call(Gpr::rax);
  };
  if (!part.does_anything()) {
    call_parts(address(run_part));
    return check_call(i);
  }
  if (part.code) {
    asm_.mov(Gpr::rax, address(part.code));
    asm_.mov(Width::k64, Gpr::rax, Mem{Gpr::rax});
    asm_.test(Width::k64, Gpr::rax, Gpr::rax);
    asm_.jump(Condition::equal, run);
  }
  copies(part, part.before, copies_at);
  if (part.code) {
    asm_.mov(Width::k64, kLists, kListsAt);
    for (std::size_t k = 0; k < part.places.size(); ++k) {
      if (part.places[k].kind == CodeCall::Place::kNone) continue;
      place_address(Gpr::rdx, part.places[k], copies_at);
      asm_.mov(Width::k64, Mem{Gpr::rsp, places_at + static_cast<std::int32_t>(kWordBytes * k)}, Gpr::rdx);
    }
    asm_.lea(Width::k64, Gpr::rdi, Mem{Gpr::rsp, places_at});
    asm_.mov(Gpr::rsi, part.n);
    asm_.mov(Gpr::rax, part.rows);
    asm_.mov(Width::k64, left, Gpr::rax);
    asm_.mov(Gpr::rdx, address(part.steps));
    asm_.lea(Width::k64, Gpr::rcx, left);
    asm_.mov(Gpr::rax, address(part.code));
    asm_.mov(Width::k64, Gpr::rax, Mem{Gpr::rax});
    asm_.call(Gpr::rax);
    asm_.alu(Alu::cmp, Width::k64, left, 0);
    asm_.jump(Condition::not_equal, finish);
  }
  copies(part, part.after, copies_at);
  asm_.bind(done);
  if (!part.code) return;
  out_of_line([=, this] {
    asm_.bind(run);
    call_parts(address(run_part));
    check_call(i);
    asm_.jump(done);
    asm_.bind(finish);
    asm_.mov(Width::k64, Gpr::rcx, left);
    asm_.mov(Width::k64, Gpr::r8, Gpr::rax);
    call_parts(address(finish_part));
    check_call(i);
    asm_.jump(done);
  });
}

void ScalarTranslator::work(std::size_t i) {
  if (calls_[i].empty()) return array_call(i);
  spill_for_call(i);
  for (std::size_t k = 0; k < calls_[i].size(); ++k) part_of_work(i, k);
  reload_after_call(i);
}

}  // namespace tracefn::machine_code
