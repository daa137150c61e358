// Dataset and Iterator: what a variant made by a dataset op holds, and one pass over it.
//
// A dataset is immutable and counted; any thread may make iterators of it. An iterator is used by one thread at a time,
// not always the same one. It owns what it reads from, so dropping the last one stops everything below it.
//
// Elements come one by one (`next`), or as rows: where the elements of a dataset are rows of tables that are in memory
// or cheap to compute (slices of tensors, ranges, elementwise functions of such), an iterator may say which rows come
// next, and whoever needs many of them, like a batch, fetches them in one step. Transformations that only choose and
// order elements (shuffle, take, repeat, ...) pass row numbers on.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/owned.h"
#include "data/iterator_state.h"
#include "ops/variant_object.h"

namespace tracefn::data {

class ElementReader;
class IteratorContext;
class Recipe;

inline constexpr std::int64_t kInfinite = -1, kUnknownCardinality = -2;

// The elements that an iterator numbers. Any thread may call.
class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual void get(std::int64_t row, Element& out) = 0;
  // The rows stacked: component i has shape [rows.size(), ...].
  virtual void gather(std::span<const std::int64_t> rows, Element& out) = 0;
  // Rows are numbers below it.
  virtual std::int64_t num_rows() const = 0;
};

class Iterator {
 public:
  Iterator() = default;
  virtual ~Iterator() = default;
  Iterator(const Iterator&) = delete;
  Iterator& operator=(const Iterator&) = delete;

  // The next element; false at the end, where `out` is unspecified. After an Error, the element that failed is gone and
  // the next call goes on behind it. `out` may hold an old element, whose memory is reused where nobody else owns it.
  virtual bool next(Element& out) = 0;
  // Leaves out up to n elements and returns how many there were.
  virtual std::int64_t skip(std::int64_t n);

  // If not null, elements are its rows, and next_rows() says which come next. The answer never changes.
  virtual RowSource* rows() { return nullptr; }
  // The numbers of up to `n` further elements; fewer only at the end. Precondition: rows().
  virtual std::int64_t next_rows(std::int64_t n, std::int64_t* numbers);

  // The position, for a new iterator of an equal dataset. Error(kUnimplemented) where there is none.
  virtual void save(StateWriter& state) = 0;
  virtual void restore(StateReader& state) = 0;
};

// What all datasets have: the dtypes and shapes of an element's components.
struct ElementSpec {
  std::vector<DType> dtypes;
  std::vector<Shape> shapes;
  bool operator==(const ElementSpec&) const = default;
};

class Dataset : public VariantObject {
 public:
  // `kind` is the op's name without "Dataset": a literal.
  Dataset(std::string_view kind, ElementSpec spec, std::vector<Ref<Dataset>> inputs = {})
      : kind_(kind), spec_(std::move(spec)), inputs_(std::move(inputs)) {}

  // What it was made of: once, before others see it.
  void set_recipe(std::shared_ptr<const Recipe> recipe) { recipe_ = std::move(recipe); }
  const Recipe* recipe() const { return recipe_.get(); }  // null: it was not made by an op
  // The same number for datasets that are made in the same way.
  std::uint64_t fingerprint() const;

  std::string_view kind() const { return kind_; }
  const ElementSpec& spec() const { return spec_; }
  const std::vector<Ref<Dataset>>& inputs() const { return inputs_; }
  const Dataset& input() const { return *inputs_[0]; }

  virtual std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const = 0;
  // Reads elements by their numbers. Error(kUnimplemented) where they have none, Error(kFailedPrecondition) if nobody
  // knows how many there are.
  virtual std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const;
  // The number of elements, kInfinite, or kUnknownCardinality.
  virtual std::int64_t cardinality() const = 0;

  // The options that it sets, a serialized message; empty: none.
  virtual std::string serialized_options() const { return {}; }

  std::string type_name() const override { return std::string(kind_) + "DatasetOp::Dataset"; }
  Ref<VariantObject> zeros_like() const override;
  Ref<VariantObject> add(const VariantObject& other) const override;
  void visit_owned(OwnedVisitor& visitor) const override;

 private:
  std::string_view kind_;
  ElementSpec spec_;
  std::vector<Ref<Dataset>> inputs_;
  std::shared_ptr<const Recipe> recipe_;
};

// Error(kInvalidArgument), with TensorFlow's words, unless what is produced fits what is expected.
void check_types(std::span<const DType> expected, std::span<const DType> produced);
void check_shapes(std::span<const Shape> expected, std::span<const Shape> produced);
// What an iterator produces, against the op that asked for it.
void check_element(const ElementSpec& expected, const Element& element);

// Tensor `i` of a batch of rows, without the first dimension; shares memory.
Tensor row_of(const Tensor& batch, std::int64_t i);
// The rows of tensors with a first dimension, stacked. `out` may be reused.
void gather_rows(const Tensor& table, std::span<const std::int64_t> rows, Tensor& out);
// A dimension in front.
Shape with_front(std::int64_t first, const Shape& rest);
// Without the first dimension. Precondition: has one.
Shape without_front(const Shape& shape);

}  // namespace tracefn::data
