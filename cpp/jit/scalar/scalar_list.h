// ScalarList: a TensorList or an array while a scalar loop runs: rows of numbers in one buffer, which may still be
// shared. Used by one thread.
#pragma once

#include <span>
#include <utility>

#include "jit/scalar/bytecode.h"
#include "jit/scalar/long_run.h"
#include "ops/list/tensor_list.h"

namespace tracefn::scalar {

// As machine code sees it: `room` rows may be written at `data`, 0 while the buffer is shared.
struct ListWindow {
  unsigned char* data = nullptr;
  std::int64_t size = 0, room = 0;
};

// What does not change while the code runs.
struct ListType {
  DType dtype = DType::kInvalid;
  Shape row;                          // the shape of a row
  bool known = true;                  // unset rows may be read: they are zeros, as their shape is known
  Shape declared = Shape::unknown();  // the element shape of a list that is made here
  bool list = false;
};

class ScalarList : public ListWindow {
 public:
  // Call first. The type must outlive it.
  void declare(const ListType& type);
  // Takes over the list in `handle`, and its buffer if there is no other owner.
  void load(TensorRef& handle);
  // The same for an array.
  void load_array(TensorRef& array);
  // Holds what is no array, for work on it.
  void hold(Tensor handle) { values_ = std::move(handle); }
  Tensor& held() { return values_; }
  // The bytes that were copied or cleared since the last call.
  std::int64_t copied() { return std::exchange(copied_, 0); }
  // The list or the array as it is now.
  Tensor handle();
  Tensor array();
  // For work on whole arrays: the rows, still shared with this; the rows, which this does not have any longer; new
  // rows; and that somebody else has these rows, too, from now on.
  Tensor whole() const;
  // The tensor itself, which stays in this, or null if it has more rows than this.
  Tensor* tensor() { return values_.defined() && size == values_.dim(0) ? &values_ : nullptr; }
  Tensor taken();
  void put(Tensor values);
  void disown();
  // The same if somebody has.
  void check_owner() {
    if (!values_.writable()) disown();
  }
  // The tensor itself, with what is left of earlier rows, to be written or replaced.
  Tensor& memory() {
    if (!tensor()) values_.reset();
    return values_;
  }
  // What was written to memory() is the rows now.
  void put_in_memory();

  void push(const Register& value);
  void pop(Register& value);
  void get(std::int32_t index, Register& value) const;
  void set(std::int32_t index, const Register& value);

  // The instructions on rows (bytecode.h).
  void own(std::uint32_t rows);
  void reserve(std::int32_t rows, std::int32_t most);
  std::int64_t append();
  std::int64_t remove();
  void grow(std::int32_t index);
  void take(ScalarList& from);
  void share(ScalarList& from);

 private:
  unsigned char* at(std::int64_t i) const { return data + static_cast<std::size_t>(i) * row_bytes_; }
  std::int64_t capacity_for(std::int64_t n) const;
  void use(Tensor values);
  void look_at_values();
  void move_to(std::int64_t capacity);
  void clear(std::int64_t from, std::int64_t to);  // rows
  Tensor room_for(std::int64_t rows) const;
  void take_shape(ScalarList& from);
  // Before anything is written.
  void make_writable();

  const ListType* type_ = nullptr;
  // The declared shape of the list's elements: that of the type, or of the list that was loaded. Of an array, any.
  const Shape* shape_ = nullptr;
  Shape loaded_shape_;
  std::int64_t most_ = -1, capacity_ = 0;
  std::size_t row_bytes_ = 0;
  std::int64_t copied_ = 0;
  bool own_ = false;  // the buffer is writable
  Tensor values_;
  // A list with unset elements of unknown shape, as it was loaded, as long as nothing is written.
  Tensor untouched_;
};

// Runs one of the instructions from kRows to kWrapIndex; what it copies counts in `run`.
void run_list_instruction(const BytecodeInstruction& instruction, Register* registers, ScalarList* lists, LongRun& run);

// The message with the operands in place.
std::string index_message(const std::string& text, std::span<const std::int64_t> operands);

}  // namespace tracefn::scalar
