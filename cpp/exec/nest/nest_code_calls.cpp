// Describes boxes so that machine code runs them.
#include <limits>

#include "exec/nest/array_nest.h"
#include "ops/kernel_table.h"

namespace tracefn {
namespace {

using scalar::CodeCall;

// Of a nest whose work takes longer, in nanoseconds, the call costs little.
constexpr double kMostWork = 4000;
// Limits the code's length, and its frame.
constexpr std::size_t kMostCalls = 12, kMostPlaces = 24, kMostRoom = 2048;

bool is_int32(std::int64_t n) {
  return n >= std::numeric_limits<std::int32_t>::min() && n <= std::numeric_limits<std::int32_t>::max();
}

}  // namespace

bool ArrayNest::is_simple(const Box& box, const Program& program) {
  if (program.group && (program.arguments.empty() || !box.is_small || box.row > 1 || !box.walks ||
                        box.places.size() > kMostPlaces || box.scratch > kMostRoom))
    return false;
  for (std::size_t i = 0; i < box.operands.size() + box.results.size(); ++i) {
    const Operand& operand = box.at_place(static_cast<std::int32_t>(i));
    if (!is_int32(operand.offset * operand.bytes)) return false;
    for (const auto& [parameter, factor] : operand.moving)
      if (!is_int32(factor * operand.bytes) || !is_int32(parameter.index)) return false;
  }
  return true;
}

CodeCall::Place ArrayNest::place_of(const Operand& operand) {
  CodeCall::Place place{.kind = CodeCall::Place::kArray,
                        .array = operand.array,
                        .offset = static_cast<std::int32_t>(operand.offset * operand.bytes)};
  for (const auto& [parameter, factor] : operand.moving)
    place.moves.push_back({parameter.array, static_cast<std::int32_t>(parameter.index),
                           static_cast<std::int32_t>(factor * operand.bytes)});
  return place;
}

CodeCall ArrayNest::code_call(std::size_t number) const {
  const Box& box = boxes_[number];
  CodeCall call;
  const std::size_t row = programs_[box.program].group ? box.row : 0;
  call.sizes = box.sizes.data() + row;
  call.loops = box.sizes.size() - row;
  const auto copy = [](const Operand& operand) { return kernel_table().copies.strided[copy_slot(operand.bytes)]; };
  if (!programs_[box.program].group) {
    const Operand &from = box.operands[0], &to = box.results[0];
    call.before.push_back({copy(from), place_of(from), place_of(to), from.strides.data(), to.strides.data()});
    return call;
  }
  std::vector<CodeCall::Place> copies(box.operands.size() + box.results.size());
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const Operand& operand = box.at_place(static_cast<std::int32_t>(i));
    if (operand.form != Operand::kCopied) continue;
    copies[i] = {.kind = CodeCall::Place::kCopy, .offset = static_cast<std::int32_t>(call.room)};
    call.room += room_for(box.n, operand.bytes);
    const std::int64_t* const strides = operand.strides.data() + row;
    if (i < box.operands.size()) {
      call.before.push_back({copy(operand), place_of(operand), copies[i], strides, box.dense.data()});
    } else {
      call.after.push_back({copy(operand), copies[i], place_of(operand), box.dense.data(), strides});
    }
  }
  call.code = &codes_[number];
  call.n = box.n;
  call.rows = box.rows;
  call.steps = box.steps.data();
  for (const std::int32_t i : box.places) {
    if (i < 0) {
      call.places.emplace_back();
    } else if (copies[static_cast<std::size_t>(i)].kind == CodeCall::Place::kCopy) {
      call.places.push_back(copies[static_cast<std::size_t>(i)]);
    } else {
      call.places.push_back(place_of(box.at_place(i)));
    }
  }
  return call;
}

std::vector<CodeCall> ArrayNest::code_calls() const {
  if (boxes_.size() > kMostCalls) return {};
  double work = 0;
  bool any = false;
  std::vector<CodeCall> calls;
  for (std::size_t b = 0; b < boxes_.size(); ++b) {
    const Program& program = programs_[boxes_[b].program];
    const bool simple = is_simple(boxes_[b], program);
    calls.push_back(simple ? code_call(b) : CodeCall{});
    any |= simple;
    work += (program.group ? program.group->cost() : 0.1) * static_cast<double>(boxes_[b].rows * boxes_[b].n);
  }
  return any && work <= kMostWork ? calls : std::vector<CodeCall>{};
}

}  // namespace tracefn
