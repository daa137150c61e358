// MapIterator: calls a function for each element, in order, on the thread that asks.
#pragma once

#include "data/captured_function.h"
#include "data/element_reader.h"

namespace tracefn::data {

class MapIterator final : public Iterator, public RowSource {
 public:
  MapIterator(std::unique_ptr<Iterator> input, std::unique_ptr<BoundFunction> function, bool preserve_cardinality)
      : input_(std::move(input)),
        function_(std::move(function)),
        preserve_cardinality_(preserve_cardinality),
        rows_(works_on_rows(*input_, *function_) ? input_->rows() : nullptr) {}

  // Whether rows stay rows.
  static bool works_on_rows(Iterator& input, const BoundFunction& function) {
    return function.works_on_rows() && input.rows();
  }

  bool next(Element& out) override;
  std::int64_t skip(std::int64_t n) override;
  RowSource* rows() override { return rows_ ? this : nullptr; }
  std::int64_t next_rows(std::int64_t n, std::int64_t* numbers) override;

  void get(std::int64_t row, Element& out) override;
  void gather(std::span<const std::int64_t> rows, Element& out) override;
  std::int64_t num_rows() const override { return rows_->num_rows(); }

  void save(StateWriter& state) override;
  void restore(StateReader& state) override;

 private:
  const std::unique_ptr<Iterator> input_;
  const std::unique_ptr<BoundFunction> function_;
  const bool preserve_cardinality_;
  RowSource* const rows_;
  Element args_;
  std::int64_t number_ = 0;
};

// The function of the elements by their numbers.
std::unique_ptr<ElementReader> mapped_reader(std::unique_ptr<ElementReader> input,
                                             std::unique_ptr<BoundFunction> function);

// What the Error of a mapped function is for the iterator: false if it is the end, the end of another dataset that the
// function has read; otherwise throws.
bool end_or_rethrow(const Error& error, bool preserve_cardinality, std::string_view kind, std::int64_t number);

}  // namespace tracefn::data
