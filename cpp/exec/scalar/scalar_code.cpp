// Emits bytecode, and computes constants.
#include "exec/scalar/scalar_code.h"

#include <cstring>
#include <limits>

#include "ops/elementwise/functions.h"

namespace tracefn {
namespace {

// Functions whose low bits depend on nothing but the low bits of their operands, or which compare: int32 arithmetic,
// which has instructions of its own, does them for narrow integers.
bool can_be_wider(const BlockSpec& spec) {
  if (spec.arity != BlockArity::kBinary) return false;
  using namespace functions;  // NOLINT(google-build-using-namespace)
  for (const int function : {id_of<Add>, id_of<Sub>, id_of<Mul>, id_of<Maximum>, id_of<Minimum>, id_of<BitwiseAnd>,
                             id_of<BitwiseOr>, id_of<BitwiseXor>, id_of<Less>, id_of<LessEqual>, id_of<Greater>,
                             id_of<GreaterEqual>, id_of<Equal>, id_of<NotEqual>})
    if (spec.function == function) return true;
  return false;
}

}  // namespace

scalar::Slot ScalarCode::new_slot(std::size_t bytes) {
  routine_.initial.emplace_back();
  bytes_.push_back(bytes);
  constant_.push_back(0);
  return static_cast<Slot>(routine_.initial.size() - 1);
}

scalar::Slot ScalarCode::constant(const void* value, DType dtype) {
  const std::size_t bytes = size_of(dtype);
  std::string key(static_cast<const char*>(value), bytes);
  if (auto found = constants_.find({dtype, key}); found != constants_.end()) return found->second;
  const Slot s = new_slot(bytes);
  constants_.emplace(std::pair(dtype, std::move(key)), s);
  std::memcpy(routine_.initial[s].bytes, value, bytes);
  constant_[s] = 1;
  return s;
}

std::optional<std::int64_t> ScalarCode::number(Slot s) const {
  return constant_[s] ? std::optional(scalar::get<std::int64_t>(value(s))) : std::nullopt;
}

ScalarCode::Instruction& ScalarCode::add(Kind kind) {
  routine_.instructions.emplace_back();
  routine_.instructions.back().kind = kind;
  routine_.instructions.back().node = node_;
  return routine_.instructions.back();
}

std::optional<scalar::Slot> ScalarCode::apply(const BlockSpec& spec, DType operand, DType result,
                                              std::span<const Slot> in) {
  const Block block = find_block(spec, operand, result);
  if (!block) return std::nullopt;
  bool known = true;
  for (Slot s : in) known = known && constant_[s];
  if (known) {
    const void* operands[3] = {};
    for (std::size_t i = 0; i < in.size(); ++i) operands[i] = routine_.initial[in[i]].bytes;
    scalar::Register value{};
    if (block.run(operands, value.bytes, 1, 0) == kBlockOk) return constant(value.bytes, result);
  }
  if (is_integer(operand) && size_of(operand) < sizeof(std::int32_t) && can_be_wider(spec)) {
    const Slot wide[2] = {cast(in[0], operand, DType::kInt32), cast(in[1], operand, DType::kInt32)};
    if (result == DType::kBool) return apply(spec, DType::kInt32, result, wide);
    return cast(*apply(spec, DType::kInt32, DType::kInt32, wide), DType::kInt32, operand);
  }
  const auto what = static_cast<std::uint32_t>(spec.arity == BlockArity::kCast ? -1 : spec.function) << 16 |
                    static_cast<std::uint32_t>(slot(operand)) << 8 | static_cast<std::uint32_t>(slot(result));
  const Key known_as = key(scalar::kind_of(spec, operand), what, 0, 0, in);
  if (const std::optional<Slot> found = find(known_as)) return found;
  const Slot out = new_slot(size_of(result));
  keep(known_as, out);
  Instruction& instruction = add(scalar::kind_of(spec, operand));
  instruction.function =
      spec.arity == BlockArity::kCast ? scalar::kCastFunction : static_cast<std::uint8_t>(spec.function);
  instruction.operand = operand;
  instruction.result = result;
  if (in.size() == 1) {
    instruction.unary = block.kernel.unary;
  } else if (in.size() == 2) {
    instruction.binary = block.kernel.binary;
  } else {
    instruction.ternary = block.kernel.ternary;
  }
  for (std::size_t i = 0; i < in.size(); ++i) instruction.in[i] = in[i];
  instruction.out = out;
  return out;
}

scalar::Slot ScalarCode::cast(Slot s, DType from, DType to) {
  if (from == to) return s;
  static constexpr BlockSpec kCast{.arity = BlockArity::kCast, .function = 0};
  return *apply(kCast, from, to, {&s, 1});
}

scalar::Slot ScalarCode::multiply_add(DType dtype, Slot a, Slot b, Slot c) {
  const Slot out = new_slot(size_of(dtype));
  Instruction& instruction = add(dtype == DType::kFloat ? Kind::kMultiplyAddFloat : Kind::kMultiplyAddDouble);
  instruction.operand = instruction.result = dtype;
  instruction.in[0] = a;
  instruction.in[1] = b;
  instruction.in[2] = c;
  instruction.out = out;
  return out;
}

scalar::Slot ScalarCode::add(Slot a, Slot b) {
  if (number(a) == 0) return b;
  if (number(b) == 0) return a;
  return apply<functions::Add>(DType::kInt64, {a, b});
}
scalar::Slot ScalarCode::multiply(Slot a, std::int64_t b) {
  return b == 1 ? a : apply<functions::Mul>(DType::kInt64, {a, constant(b)});
}

void ScalarCode::move(Slot from, Slot to) {
  if (from == to) return;
  Instruction& instruction = add(scalar::move_of(bytes_[from]));
  instruction.in[0] = from;
  instruction.out = to;
}

std::uint32_t ScalarCode::jump(Kind kind, Slot condition) {
  const std::uint32_t at = here();
  add(kind).in[0] = condition;
  return at;
}

std::uint32_t ScalarCode::new_array(scalar::ListType type) {
  routine_.arrays.push_back(std::move(type));
  return static_cast<std::uint32_t>(routine_.arrays.size() - 1);
}

void ScalarCode::limit_offset(DType dtype, Slot& at, std::int64_t& offset) {
  if (offset >= 0 && offset <= std::numeric_limits<std::int32_t>::max() / static_cast<std::int64_t>(size_of(dtype)))
    return;
  at = add(at, constant(offset));
  offset = 0;
}

scalar::Slot ScalarCode::load(std::uint32_t array, std::uint32_t version, Slot at, std::int64_t offset) {
  const DType dtype = routine_.arrays[array].dtype;
  limit_offset(dtype, at, offset);
  const Key known_as = key(Kind::kLoad, array, version, static_cast<std::uint32_t>(offset), {&at, 1});
  if (const std::optional<Slot> found = find(known_as)) return *found;
  const Slot out = new_slot(size_of(dtype));
  keep(known_as, out);
  Instruction& instruction = add(Kind::kLoad);
  instruction.operand = dtype;
  instruction.target = array;
  instruction.offset = static_cast<std::uint32_t>(offset);
  instruction.in[0] = at;
  instruction.out = out;
  return out;
}

void ScalarCode::store(std::uint32_t array, Slot at, std::int64_t offset, Slot value) {
  limit_offset(routine_.arrays[array].dtype, at, offset);
  Instruction& instruction = add(Kind::kStore);
  instruction.operand = routine_.arrays[array].dtype;
  instruction.target = array;
  instruction.offset = static_cast<std::uint32_t>(offset);
  instruction.in[0] = at;
  instruction.in[1] = value;
}

scalar::Slot ScalarCode::rows(std::uint32_t array, std::uint32_t version) {
  const Key known_as = key(Kind::kRows, array, version, 0, {});
  if (const std::optional<Slot> found = find(known_as)) return *found;
  const Slot out = new_slot(sizeof(std::int64_t));
  keep(known_as, out);
  Instruction& instruction = add(Kind::kRows);
  instruction.target = array;
  instruction.out = out;
  return out;
}

void ScalarCode::own(std::uint32_t array, std::uint32_t rows) { on_array(Kind::kOwn, array, rows); }

void ScalarCode::on_array(Kind kind, std::uint32_t array, std::uint32_t other) {
  Instruction& instruction = add(kind);
  instruction.target = array;
  instruction.offset = other;
}

bool ScalarCode::check(Kind kind, Slot index, Slot limit, std::string message, Slot other, Slot out) {
  Instruction& instruction = add(kind);
  instruction.in[0] = index;
  instruction.in[1] = limit;
  instruction.in[2] = other;
  instruction.out = out;
  routine_.messages.push_back(std::move(message));
  instruction.message = &routine_.messages.back();
  return true;
}

bool ScalarCode::check_index(Slot index, Slot limit, std::string message, std::optional<Slot> other) {
  const std::optional<std::int64_t> known = number(index), known_limit = number(limit);
  if (known && known_limit) return *known >= 0 && *known < *known_limit;
  const Slot in[] = {index, limit};
  const Key known_as = key(Kind::kCheckIndex, 0, 0, 0, in);
  if (find(known_as)) return true;
  keep(known_as, index);
  return check(Kind::kCheckIndex, index, limit, std::move(message), other.value_or(index), 0);
}

std::optional<scalar::Slot> ScalarCode::wrap_index(Slot index, Slot limit, std::string message) {
  const std::optional<std::int64_t> known = number(index), known_limit = number(limit);
  if (known && (known_limit || *known >= 0))
    return check_index(known_limit && *known < 0 ? constant(*known + *known_limit) : index, limit, std::move(message))
               ? std::optional(known_limit && *known < 0 ? constant(*known + *known_limit) : index)
               : std::nullopt;
  const Slot in[] = {index, limit};
  const Key known_as = key(Kind::kWrapIndex, 0, 0, 0, in);
  if (const std::optional<Slot> found = find(known_as)) return found;
  const Slot out = new_slot(sizeof(std::int64_t));
  keep(known_as, out);
  check(Kind::kWrapIndex, index, limit, std::move(message), index, out);
  return out;
}

ScalarCode::Key ScalarCode::key(Kind kind, std::uint32_t what, std::uint32_t version, std::uint32_t offset,
                                std::span<const Slot> in) {
  Key made{static_cast<std::uint32_t>(kind), what, version, offset};
  for (std::size_t i = 0; i < 3; ++i) made[4 + i] = i < in.size() ? in[i] : 0xffffffff;
  return made;
}

std::optional<scalar::Slot> ScalarCode::find(const Key& key) const {
  const auto found = results_.find(key);
  return found == results_.end() ? std::nullopt : std::optional(found->second);
}

void ScalarCode::keep(const Key& key, Slot result) {
  results_.emplace(key, result);
  known_.push_back(key);
}

void ScalarCode::forget_since(std::size_t mark) {
  for (; known_.size() > mark; known_.pop_back()) results_.erase(known_.back());
}

}  // namespace tracefn
