// ScalarCode: bytecode under construction. Emits instructions, knows which slots are constants, and computes with these
// at once. Used by one thread.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "exec/scalar/scalar_routine.h"
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/functions.h"

namespace tracefn {

class ScalarCode {
 public:
  using Slot = scalar::Slot;
  using Kind = scalar::Kind;
  using Instruction = scalar::BytecodeInstruction;

  explicit ScalarCode(ScalarRoutine& routine) : routine_(routine) {}

  // Of the instructions from now on.
  void set_node(const Node* node) { node_ = node; }
  const Node* node() const { return node_; }

  // What was computed is not computed again, where it certainly was: not behind a branch or loop that begins at mark()
  // and ends at forget_since().
  std::size_t mark() const { return known_.size(); }
  void forget_since(std::size_t mark);

  std::uint32_t here() const { return static_cast<std::uint32_t>(routine_.instructions.size()); }
  std::size_t num_slots() const { return bytes_.size(); }
  Slot new_slot(std::size_t bytes);
  std::size_t bytes(Slot s) const { return bytes_[s]; }
  // A slot that no instruction writes.
  Slot constant(const void* value, DType dtype);
  template <typename T>
  Slot constant(T value) {
    return constant(&value, DTypeOf<T>::value);
  }
  bool is_constant(Slot s) const { return constant_[s]; }
  const scalar::Register& value(Slot s) const { return routine_.initial[s]; }
  std::optional<std::int64_t> number(Slot s) const;  // of a constant int64

  // An elementwise function. Nothing if there is no kernel.
  std::optional<Slot> apply(const BlockSpec& spec, DType operand, DType result, std::span<const Slot> in);
  template <typename F>
  Slot apply(DType dtype, std::initializer_list<Slot> in) {
    static constexpr BlockSpec spec = block_of<F>;
    const DType result = F::kResult == BlockResult::kBool ? DType::kBool : dtype;
    return *apply(spec, dtype, result, std::span(in.begin(), in.size()));
  }
  Slot cast(Slot s, DType from, DType to);
  // a * b + c
  Slot multiply_add(DType dtype, Slot a, Slot b, Slot c);
  // Of int64.
  Slot add(Slot a, Slot b);
  Slot multiply(Slot a, std::int64_t b);
  void move(Slot from, Slot to);
  std::uint32_t jump(Kind kind, Slot condition = 0);
  void land(std::uint32_t jump) { routine_.instructions[jump].target = here(); }
  void loop(std::uint32_t start) { add(Kind::kLoop).target = start; }
  Instruction& add(Kind kind);

  // Arrays and lists.
  std::uint32_t new_array(scalar::ListType type);
  scalar::ListType& array(std::uint32_t number) { return routine_.arrays[number]; }
  std::size_t num_arrays() const { return routine_.arrays.size(); }
  // Number at + offset.
  Slot load(std::uint32_t array, std::uint32_t version, Slot at, std::int64_t offset);
  void store(std::uint32_t array, Slot at, std::int64_t offset, Slot value);
  Slot rows(std::uint32_t array, std::uint32_t version);
  void own(std::uint32_t array, std::uint32_t rows = scalar::kAsIs);
  // False if it certainly fails. `other` may be in the message, as {2}.
  bool check_index(Slot index, Slot limit, std::string message, std::optional<Slot> other = {});
  std::optional<Slot> wrap_index(Slot index, Slot limit, std::string message);
  void on_array(Kind kind, std::uint32_t array, std::uint32_t other);

 private:
  // Kind, function and dtypes; array, version and offset; operands.
  using Key = std::array<std::uint32_t, 7>;
  static Key key(Kind kind, std::uint32_t what, std::uint32_t version, std::uint32_t offset, std::span<const Slot> in);
  std::optional<Slot> find(const Key& key) const;
  void keep(const Key& key, Slot result);
  // Offsets are parts of machine instructions, so that a large one becomes a part of the index.
  void limit_offset(DType dtype, Slot& at, std::int64_t& offset);
  bool check(Kind kind, Slot index, Slot limit, std::string message, Slot other, Slot out);

  ScalarRoutine& routine_;
  std::vector<std::size_t> bytes_;  // by slot
  std::vector<char> constant_;
  std::map<std::pair<DType, std::string>, Slot> constants_;  // by their bytes
  std::map<Key, Slot> results_;
  std::vector<Key> known_;  // the keys of results_, in order
  const Node* node_ = nullptr;
};

}  // namespace tracefn
