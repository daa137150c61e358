// Values as slots, arrays in their states, and changes from one to the other.
#include <algorithm>
#include <cstring>

#include "exec/scalar/compiler.h"
#include "ops/elements.h"
#include "ops/list/tensor_list.h"

namespace tracefn {
namespace {

// Elements of a row: offsets are small numbers.
constexpr std::int64_t kLargestRow = std::int64_t{1} << 24;

}  // namespace

bool ScalarCompiler::is_small(const Shape& shape) const {
  const std::optional<std::int64_t> n = shape.maybe_num_elements();
  return n && *n <= findings_.most_elements;
}

bool ScalarCompiler::has_rows(const Shape& shape) {
  if (!shape.has_rank() || shape.rank() == 0) return false;
  const Shape row = without_first(shape);
  return row.is_fully_known() && row.num_elements() <= kLargestRow;
}

Place ScalarCompiler::opaque() {
  Place p;
  p.number = opaque_++;
  return p;
}

Place ScalarCompiler::elements_place(DType dtype, Shape shape, SmallVector<Slot, 1> slots) const {
  Place p;
  p.kind = Place::kElements;
  p.dtype = dtype;
  p.shape = std::move(shape);
  p.slots = std::move(slots);
  findings_.largest = std::max(findings_.largest, static_cast<std::int64_t>(p.slots.size()));
  return p;
}

Place ScalarCompiler::new_elements(DType dtype, const Shape& shape) {
  SmallVector<Slot, 1> slots;
  for (std::int64_t i = shape.num_elements(); i > 0; --i) slots.push_back(code_.new_slot(size_of(dtype)));
  return elements_place(dtype, shape, std::move(slots));
}

// A variable of unknown shape is assumed to be a scalar: ScalarLoop::run() checks.
Place ScalarCompiler::new_variable(const OutputInfo& info, bool by_index) {
  const bool scalar = !info.shape.has_rank() || info.shape.rank() == 0;
  if (scalar && info.dtype == DType::kVariant) {
    if (info.handle_dtype != DType::kInvalid && !fits(info.handle_dtype)) return opaque();
    return new_list(info.handle_dtype, info.handle_shape, Shape::unknown());
  }
  if (!fits(info.dtype)) return opaque();
  if (scalar) return new_elements(info.dtype, Shape());
  if (is_small(info.shape) && !by_index) return new_elements(info.dtype, info.shape);
  return has_rows(info.shape) ? new_array(info.dtype, info.shape) : opaque();
}

Place ScalarCompiler::constant(const Tensor& value) {
  if (!fits(value.dtype())) {
    Place p = opaque();
    constants_.emplace(p.number, value);
    return p;
  }
  if (!is_small(value.shape())) {
    if (!takes_arrays_ || !has_rows(value.shape())) return opaque();
    const Place array = new_array(value.dtype(), value.shape());
    give(array, value);
    return array;
  }
  SmallVector<Slot, 1> slots;
  const std::size_t bytes = size_of(value.dtype());
  for (std::int64_t i = 0; i < value.num_elements(); ++i)
    slots.push_back(code_.constant(value.data<char>() + static_cast<std::size_t>(i) * bytes, value.dtype()));
  return elements_place(value.dtype(), value.shape(), std::move(slots));
}

Place ScalarCompiler::new_array(DType dtype, Shape shape) {
  Place p;
  p.kind = Place::kArray;
  p.dtype = dtype;
  p.number = code_.new_array(
      {.dtype = dtype, .row = without_first(shape), .known = true, .declared = Shape::unknown(), .list = false});
  arrays_.push_back(
      {.version = 0, .decided = true, .given = false, .accessed = false, .element = {}, .shape = shape, .updates = {}});
  p.shape = std::move(shape);
  return p;
}

Place ScalarCompiler::new_list(DType dtype, const Shape& element_shape, const Shape& declared) {
  Place p;
  p.kind = Place::kList;
  scalar::ListType type{.dtype = dtype, .row = {}, .known = true, .declared = declared, .list = true};
  bool decided = false;
  if (element_shape.is_fully_known()) {
    type.row = element_shape;
    decided = true;
  } else if (auto found = findings_.rows.find(static_cast<std::uint32_t>(code_.num_arrays()));
             found != findings_.rows.end()) {
    type.row = found->second;
    decided = true;
  }
  p.number = code_.new_array(std::move(type));
  arrays_.push_back({.version = 0,
                     .decided = decided && dtype != DType::kInvalid,
                     .given = false,
                     .accessed = false,
                     .element = {},
                     .shape = Shape::unknown(),
                     .updates = {}});
  return p;
}

Place ScalarCompiler::like(const Place& array) {
  const scalar::ListType type = routine_.arrays[array.number];
  Place p = array;
  p.version = 0;
  p.number = code_.new_array(type);
  arrays_.push_back({.version = 0,
                     .decided = arrays_[array.number].decided,
                     .given = false,
                     .accessed = false,
                     .element = {},
                     .shape = arrays_[array.number].shape,
                     .updates = {}});
  return p;
}

Place ScalarCompiler::next_state(const Place& array, const Node* by) {
  Array& state = arrays_[array.number];
  state.updates[state.version] = by;
  state.version = ++last_version_;
  Place p = array;
  p.version = state.version;
  return p;
}

bool ScalarCompiler::is_latest(const Place& p) {
  if (!p.has_rows()) return true;
  const Array& state = arrays_[p.number];
  if (p.version == state.version) return true;
  const auto by = state.updates.find(p.version);
  if (by != state.updates.end() && by->second && findings_.copying.insert(by->second).second) findings_.more = true;
  return refuse("an array that is used after it was updated");
}

void ScalarCompiler::latest(Places& places) const {
  for (Place& p : places)
    if (p.has_rows()) p.version = arrays_[p.number].version;
}

std::vector<std::uint32_t> ScalarCompiler::versions() const {
  std::vector<std::uint32_t> all;
  for (const Array& array : arrays_) all.push_back(array.version);
  return all;
}

void ScalarCompiler::give(const Place& array, Tensor value) {
  routine_.given.emplace_back(array.number, std::move(value));
  arrays_[array.number].given = true;
}

Place ScalarCompiler::own(const Place& array, const Node& by) {
  if (!arrays_[array.number].given && !findings_.copying.contains(&by)) return array;
  const Place copy = like(array);
  code_.on_array(Kind::kShare, copy.number, array.number);
  return copy;
}

std::int64_t ScalarCompiler::row_size(const Place& array) const {
  return routine_.arrays[array.number].row.num_elements();
}

std::optional<Place> ScalarCompiler::as_elements(const Place& p) {
  if (p.has_elements()) return p;
  if (p.kind == Place::kComputed && is_small(p.shape)) return loaded(p);
  if (p.kind != Place::kArray || !is_small(p.shape) || !is_latest(p)) return std::nullopt;
  const Slot zero = code_.constant(std::int64_t{0});
  SmallVector<Slot, 1> slots;
  for (std::int64_t i = 0; i < p.shape.num_elements(); ++i) slots.push_back(load(p, zero, i));
  return elements_place(p.dtype, p.shape, std::move(slots));
}

std::optional<Place> ScalarCompiler::as_array(const Place& p, bool changes) {
  if (p.kind == Place::kArray) return p;
  if (p.kind == Place::kComputed) return in_memory(p);
  if (!takes_arrays_ || !p.has_elements() || p.shape.rank() == 0) return std::nullopt;
  if (!changes)
    for (const std::vector<Stored>* all : {&given_, &stored_})
      for (const Stored& stored : *all)
        if (!stored.expression && !stored.sequence && stored.slots == p.slots && stored.array.dtype == p.dtype &&
            stored.array.shape == p.shape)
          return stored.array;
  const Place array = new_array(p.dtype, p.shape);
  if (const std::optional<Tensor> value = changes ? std::nullopt : known(p)) {
    give(array, *value);
    given_.push_back({p.slots, array, nullptr, nullptr});
    return array;
  }
  code_.own(array.number, static_cast<std::uint32_t>(p.shape[0]));
  const Slot zero = code_.constant(std::int64_t{0});
  for (std::size_t i = 0; i < p.slots.size(); ++i)
    code_.store(array.number, zero, static_cast<std::int64_t>(i), p.slots[i]);
  if (!changes) stored_.push_back({p.slots, array, nullptr, nullptr});
  return array;
}

scalar::Slot ScalarCompiler::load(const Place& array, Slot at, std::int64_t offset) {
  return code_.load(array.number, arrays_[array.number].version, at, offset);
}
scalar::Slot ScalarCompiler::rows(const Place& array) {
  return code_.rows(array.number, arrays_[array.number].version);
}

std::optional<Tensor> ScalarCompiler::known(const Place& p) const {
  if (!p.has_elements()) return std::nullopt;
  Tensor value(p.dtype, p.shape);
  const std::size_t bytes = size_of(p.dtype);
  char* to = value.mutable_data<char>();
  for (Slot s : p.slots) {
    if (!code_.is_constant(s)) return std::nullopt;
    std::memcpy(to, code_.value(s).bytes, bytes);
    to += bytes;
  }
  return value;
}

bool ScalarCompiler::decide(const Place& list, DType dtype, const Shape& element) {
  scalar::ListType& type = routine_.arrays[list.number];
  if (!element.is_fully_known() || element.num_elements() > kLargestRow || !fits(dtype)) return false;
  if (type.dtype != DType::kInvalid && type.dtype != dtype) return false;
  type.dtype = dtype;
  Array& state = arrays_[list.number];
  if (state.decided) {
    if (type.row == element) return true;
    // It was assumed to hold scalars.
    findings_.more |= findings_.rows.emplace(list.number, element).second;
    return refuse("a list of elements of different shapes");
  }
  type.row = element;
  state.decided = true;
  return true;
}

}  // namespace tracefn
