// ElementsContext: what the rule of an op sees that computes its results element by element, so that tensors of few
// elements become scalars of machine code. An op that only moves elements needs no rule: OpFacts::moves.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "ops/elementwise/functions.h"
#include "tensor/shape.h"

namespace tracefn {

struct Node;

// Lives on the stack of whoever compiles, for one node; not thread-safe. A rule returns false, whatever it has emitted,
// if it does not know how.
class ElementsContext {
 public:
  // Tensors of few elements have up to this number.
  static constexpr std::int64_t kMost = 64;

  // A number that the code computes.
  using Element = std::uint32_t;
  using Elements = SmallVector<Element, 4>;

  explicit ElementsContext(const Node& n) : node(n) {}
  virtual ~ElementsContext() = default;
  ElementsContext(const ElementsContext&) = delete;
  ElementsContext& operator=(const ElementsContext&) = delete;

  const Node& node;

  // Of an input. The first dimension may be unknown, and then it has no elements here.
  virtual const Shape& shape(std::size_t input) const = 0;
  virtual DType dtype(std::size_t input) const = 0;
  // All elements of an input, in row-major order; nothing if there are too many.
  virtual std::optional<Elements> elements(std::size_t input) = 0;
  // The same as integers, if the compiler knows them.
  virtual std::optional<Dims> integers(std::size_t input) = 0;
  // The value of an integer element, if the compiler knows it.
  virtual std::optional<std::int64_t> integer(Element e, DType dtype) const = 0;

  virtual Element constant(DType dtype, double value) = 0;
  virtual Element index(std::int64_t value) = 0;
  // An elementwise function F of elements of `dtype`.
  template <typename F>
  Element apply(DType dtype, std::initializer_list<Element> in) {
    static constexpr BlockSpec spec = block_of<F>;
    return apply(spec, dtype, F::kResult == BlockResult::kBool ? DType::kBool : dtype,
                 std::span(in.begin(), in.size()));
  }
  virtual Element apply(const BlockSpec& spec, DType operand, DType result, std::span<const Element> in) = 0;
  virtual Element cast(Element e, DType from, DType to) = 0;
  // a * b + c, rounded as the kernels of products do.
  virtual Element multiply_add(DType dtype, Element a, Element b, Element c) = 0;

  // The inputs but the first are one row of many, whose number this is; messages have it as {2}. Nothing if they are
  // all there is.
  virtual std::optional<Element> number() const { return std::nullopt; }
  // The size of an input's dimension, as int64.
  virtual Element size(std::size_t input, int axis) = 0;
  // Fails with `message` unless 0 <= index < limit; {0}, {1} and {2} in it stand for index, limit and `other`. False if
  // it certainly fails.
  [[nodiscard]] virtual bool check_index(Element index, Element limit, std::string message,
                                         std::optional<Element> other = {}) = 0;
  // The same for an index that counts from the end if it is negative: that index, which {0} stands for.
  virtual std::optional<Element> wrap_index(Element index, Element limit, std::string message) = 0;
  // Elements `at` + offsets[i] of an input, in row-major order; `at` has been checked.
  virtual std::optional<Elements> load(std::size_t input, Element at, std::span<const std::int64_t> offsets) = 0;
  // Output `output` is the input with these elements replaced. Several updates are made in order.
  struct Update {
    Element at;
    std::int64_t offset;
    Element value;
  };
  virtual bool update(std::size_t input, std::size_t output, std::span<const Update> updates) = 0;
  // Output `output` is elements `at` + offsets[i] of the input; `at` has been checked. There may be kMostLoaded of
  // them.
  static constexpr std::int64_t kMostLoaded = std::int64_t{1} << 18;
  virtual bool set_loaded(std::size_t output, std::size_t input, Shape shape, Element at,
                          std::span<const std::int64_t> offsets) = 0;
  virtual void set_output(std::size_t output, DType dtype, Shape shape, Elements elements) = 0;

  // Of an index of any integer type.
  Element as_index(Element e, DType from) { return cast(e, from, DType::kInt64); }
};

}  // namespace tracefn
