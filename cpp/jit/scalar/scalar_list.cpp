// Rows in one buffer: ownership, growth, errors.
#include "jit/scalar/scalar_list.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/physical_memory.h"
#include "jit/scalar/array_work.h"

namespace tracefn::scalar {

void ScalarList::declare(const ListType& type) {
  type_ = &type;
  shape_ = &type.declared;
  row_bytes_ = size_of(type.dtype) * static_cast<std::size_t>(type.row.num_elements());
}

void ScalarList::load(TensorRef& handle) {
  auto& list = static_cast<TensorList&>(*handle.tensor->object());
  loaded_shape_ = list.element_shape;
  shape_ = &loaded_shape_;
  most_ = list.max_num_elements;
  size = list.size();
  if (list.is_packed()) {
    bool only_owner = handle.last_use && handle.tensor->writable() && list.unique();
    use(only_owner ? list.take_packed() : list.packed_values());
    return;
  }
  // One that was reserved rarely grows.
  use(room_for(list.is_unset() ? size : capacity_for(size)));
  bool unset = false;
  if (list.is_unset()) {
    const Tensor& only = list.only_element();
    unset = size > only.defined();
    if (row_bytes_ > 0 && size > 0) std::memset(data, 0, static_cast<std::size_t>(size) * row_bytes_);
    if (row_bytes_ > 0 && only.defined()) std::memcpy(at(list.only_index()), only.raw(), row_bytes_);
  } else {
    for (std::int64_t i = 0; i < size; ++i) {
      const Tensor& t = std::as_const(list).elements()[static_cast<std::size_t>(i)];
      unset |= !t.defined();
      if (row_bytes_ == 0) continue;
      if (t.defined()) {
        std::memcpy(at(i), t.raw(), row_bytes_);
      } else {
        std::memset(at(i), 0, row_bytes_);
      }
    }
  }
  if (unset && !list.element_shape.is_fully_known()) {
    untouched_ = *handle.tensor;
    room = 0;
  }
}

void ScalarList::load_array(TensorRef& array) {
  size = array.tensor->dim(0);
  use(array.last_use && array.tensor->writable() ? std::move(*array.tensor) : *array.tensor);
}

Tensor ScalarList::handle() {
  if (untouched_.defined()) {
    const auto& all = static_cast<const TensorList&>(*untouched_.object());
    if (size == all.size()) return std::move(untouched_);
    // Elements were popped; the others are as they were.
    const Ref<TensorList> rest = all.copy();
    rest->resize(static_cast<std::size_t>(size));
    return Tensor::handle(DType::kVariant, rest);
  }
  auto list = make_ref<TensorList>(type_->dtype, *shape_, most_);
  if (!values_.defined()) use(room_for(0));
  list->pack(std::move(values_), size);
  return Tensor::handle(DType::kVariant, list);
}

Tensor ScalarList::whole() const {
  TRACEFN_CHECK(values_.defined());
  return size == values_.dim(0) ? values_ : values_.rows(0, size);
}

Tensor ScalarList::taken() {
  Tensor all = tensor() ? std::move(values_) : whole();
  values_.reset();
  own_ = false;
  data = nullptr;
  size = room = capacity_ = 0;
  return all;
}

void ScalarList::put(Tensor values) {
  size = values.dim(0);
  use(std::move(values));
}

void ScalarList::put_in_memory() {
  size = values_.dim(0);
  look_at_values();
}

void ScalarList::disown() {
  own_ = false;
  room = 0;
}

Tensor ScalarList::array() {
  if (!values_.defined()) use(room_for(0));
  return size == values_.dim(0) ? std::move(values_) : values_.rows(0, size);
}

void ScalarList::push(const Register& value) {
  const std::int64_t i = append();
  std::memcpy(at(i), value.bytes, row_bytes_);
}
void ScalarList::pop(Register& value) {
  const std::int64_t i = remove();
  std::memcpy(value.bytes, at(i), row_bytes_);
}
void ScalarList::get(std::int32_t index, Register& value) const {
  if (index < 0 || index >= size)
    invalid_argument("Trying to access element ", index, " in a list with ", size, " elements.");
  std::memcpy(value.bytes, at(index), row_bytes_);
}
void ScalarList::set(std::int32_t index, const Register& value) {
  if (index < 0 || index >= size)
    invalid_argument("Trying to modify element ", index, " in a list with ", size, " elements.");
  make_writable();
  std::memcpy(at(index), value.bytes, row_bytes_);
}

void ScalarList::own(std::uint32_t rows) {
  if (rows == kAsIs) return make_writable();
  if (!own_ || capacity_ < rows) use(room_for(rows));
  size = rows;
}

void ScalarList::reserve(std::int32_t rows, std::int32_t most) {
  if (rows < 0) invalid_argument("The num_elements to reserve must be a non negative number, but got ", rows);
  if (static_cast<std::size_t>(rows) > physical_memory() / sizeof(Tensor))
    fail(ErrorKind::kResourceExhausted, "OOM when allocating a list of ", rows, " tensors");
  shape_ = &type_->declared;
  most_ = most;
  untouched_.reset();
  if (!own_ || capacity_ < rows) use(room_for(rows));
  room = most_ == -1 ? capacity_ : std::min(most_, capacity_);
  size = rows;
  clear(0, rows);
}

std::int64_t ScalarList::append() {
  if (most_ != -1 && size >= most_)
    invalid_argument("Tried to push item into a full list list size: ", size, " max_num_elements: ", most_);
  make_writable();
  if (size == capacity_) move_to(capacity_for(size + 1));
  return size++;
}

std::int64_t ScalarList::remove() {
  if (size == 0) invalid_argument("Trying to pop from an empty list.");
  return --size;
}

void ScalarList::grow(std::int32_t index) {
  if (index < 0) invalid_argument("Trying to modify element ", index, " in a list with ", size, " elements.");
  const std::int64_t n = std::int64_t{index} + 1;
  if (static_cast<std::size_t>(n) > physical_memory() / sizeof(Tensor))
    fail(ErrorKind::kResourceExhausted, "OOM when allocating a list of ", n, " tensors");
  make_writable();
  if (n > capacity_) move_to(capacity_for(n));
  clear(size, n);
  size = std::max(size, n);
}

// The other one gets these rows, as memory for its next ones.
void ScalarList::take(ScalarList& from) {
  // Arrays of one capacity, whose rows have one shape, have tensors of one shape.
  if (own_ && from.own_ && capacity_ == from.capacity_ && !type_->list) {
    std::swap(static_cast<ListWindow&>(*this), static_cast<ListWindow&>(from));
    std::swap(most_, from.most_);
    return values_.swap_memory(from.values_);
  }
  std::swap(static_cast<ListWindow&>(*this), static_cast<ListWindow&>(from));
  std::swap(most_, from.most_);
  std::swap(capacity_, from.capacity_);
  std::swap(row_bytes_, from.row_bytes_);
  std::swap(own_, from.own_);
  values_.swap(from.values_);
  // Of lists only.
  if (untouched_.defined() || from.untouched_.defined()) untouched_.swap(from.untouched_);
  take_shape(from);
}

void ScalarList::take_shape(ScalarList& from) {
  if (from.type_->list && from.shape_ == &from.loaded_shape_) {
    loaded_shape_ = from.loaded_shape_;
    shape_ = &loaded_shape_;
  } else {
    shape_ = from.type_->list ? from.shape_ : &type_->declared;
  }
}

void ScalarList::share(ScalarList& from) {
  const ListType* const type = type_;
  from.own_ = false;
  from.room = 0;
  *this = from;
  type_ = type;
  take_shape(from);
}

void ScalarList::clear(std::int64_t from, std::int64_t to) {
  if (from >= to || row_bytes_ == 0) return;
  const std::size_t bytes = static_cast<std::size_t>(to - from) * row_bytes_;
  std::memset(at(from), 0, bytes);
  copied_ += static_cast<std::int64_t>(bytes);
}

void ScalarList::make_writable() {
  untouched_.reset();
  if (own_) {
    room = most_ == -1 ? capacity_ : std::min(most_, capacity_);
  } else if (values_.writable()) {  // the other owner is gone
    use(std::move(values_));
  } else {
    move_to(capacity_);
  }
}

// A list that declares its capacity reserves it at once, up to this limit.
std::int64_t ScalarList::capacity_for(std::int64_t n) const {
  constexpr std::int64_t kMostReserved = 1 << 20, kLeast = 16;
  if (most_ >= n && most_ <= kMostReserved) return most_;
  return std::max({kLeast, n, 2 * size});
}

Tensor ScalarList::room_for(std::int64_t rows) const { return {type_->dtype, with_first(rows, type_->row)}; }

void ScalarList::use(Tensor values) {
  values_ = std::move(values);
  look_at_values();
}

void ScalarList::look_at_values() {
  data = static_cast<unsigned char*>(values_.mutable_raw());
  capacity_ = values_.dim(0);
  own_ = values_.writable();
  room = !own_ ? 0 : most_ == -1 ? capacity_ : std::min(most_, capacity_);
}

void ScalarList::move_to(std::int64_t capacity) {
  Tensor larger = room_for(capacity);
  if (size > 0 && row_bytes_ > 0) {
    const std::size_t bytes = static_cast<std::size_t>(size) * row_bytes_;
    std::memcpy(larger.mutable_raw(), data, bytes);
    copied_ += static_cast<std::int64_t>(bytes);
  }
  use(std::move(larger));
}

std::string index_message(const std::string& text, std::span<const std::int64_t> operands) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '{' && i + 2 < text.size() && text[i + 2] == '}') {
      out += std::to_string(operands[static_cast<std::size_t>(text[i + 1] - '0')]);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

namespace {

void run(const BytecodeInstruction& s, Register* registers, ScalarList* lists, LongRun& run) {
  auto in = [&](int k) { return tracefn::scalar::get<std::int64_t>(registers[s.in[k]]); };
  auto in32 = [&](int k) { return tracefn::scalar::get<std::int32_t>(registers[s.in[k]]); };
  const bool has_address = s.kind == Kind::kLoadAt || s.kind == Kind::kStoreAt;
  auto number = [&] {
    auto* const data =
        has_address ? reinterpret_cast<unsigned char*>(in(num_inputs(s.kind) - 1)) : lists[s.target].data;
    return data + static_cast<std::size_t>(in(0) + static_cast<std::int64_t>(s.offset)) * size_of(s.operand);
  };
  switch (s.kind) {
    case Kind::kRows:
      return put(registers[s.out], lists[s.target].size);
    case Kind::kCheckIndex:
    case Kind::kWrapIndex: {
      const bool wraps = s.kind == Kind::kWrapIndex;
      const std::int64_t limit = in(1), index = wraps && in(0) < 0 ? in(0) + limit : in(0);
      if (index < 0 || index >= limit) {
        const std::int64_t operands[] = {index, limit, in(2)};
        invalid_argument(index_message(*s.message, operands));
      }
      if (wraps) put(registers[s.out], index);
      return;
    }
    case Kind::kData:
      return put(registers[s.out], reinterpret_cast<std::int64_t>(lists[s.target].data));
    case Kind::kLoad:
    case Kind::kLoadAt:
      std::memcpy(registers[s.out].bytes, number(), size_of(s.operand));
      return;
    case Kind::kStore:
    case Kind::kStoreAt:
      std::memcpy(number(), registers[s.in[1]].bytes, size_of(s.operand));
      return;
    case Kind::kOwn:
      return lists[s.target].own(s.offset);
    case Kind::kReserve:
      return lists[s.target].reserve(in32(0), in32(1));
    case Kind::kAppend:
      return put(registers[s.out], lists[s.target].append());
    case Kind::kRemove:
      return put(registers[s.out], lists[s.target].remove());
    case Kind::kGrow:
      return lists[s.target].grow(in32(0));
    case Kind::kTake:
      return lists[s.target].take(lists[s.offset]);
    case Kind::kWork:
      return s.work->run(lists, run);
    default:
      return lists[s.target].share(lists[s.offset]);
  }
}

}  // namespace

void run_list_instruction(const BytecodeInstruction& instruction, Register* registers, ScalarList* lists,
                          LongRun& long_run) {
  run(instruction, registers, lists, long_run);
  if (on_list(instruction.kind)) long_run.copied(lists[instruction.target].copied());
}

}  // namespace tracefn::scalar
