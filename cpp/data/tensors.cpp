// TensorDataset, whose one element is given; TensorSliceDataset, whose elements are the rows of tensors.
#include "data/dataset_ops.h"
#include "data/element_reader.h"
#include "data/iterator_context.h"

namespace tracefn::data {
namespace {

ElementSpec spec_of(const KernelContext& c, const std::vector<Tensor>& components) {
  ElementSpec spec{{}, c.attr("output_shapes").shapes()};
  for (const Tensor& t : components) spec.dtypes.push_back(t.dtype());
  if (spec.dtypes.size() != spec.shapes.size())
    invalid_argument("Number of components does not match: expected ", spec.dtypes.size(), " shapes but got ",
                     spec.shapes.size(), ".");
  return spec;
}

class TensorIterator final : public Iterator {
 public:
  explicit TensorIterator(const std::vector<Tensor>& components) : components_(components) {}
  bool next(Element& out) override {
    if (done_) return false;
    done_ = true;
    out = components_;
    return true;
  }
  void save(StateWriter& state) override { state.flag(done_); }
  void restore(StateReader& state) override { done_ = state.flag(); }

 private:
  const std::vector<Tensor> components_;
  bool done_ = false;
};

class TensorReader final : public ElementReader {
 public:
  explicit TensorReader(const std::vector<Tensor>& components) : components_(components) {}
  void get(std::int64_t index, Element& out) override {
    check_index(index, 1);
    out = components_;
  }

 private:
  const std::vector<Tensor> components_;
};

class TensorDataset final : public Dataset {
 public:
  TensorDataset(ElementSpec spec, std::vector<Tensor> components)
      : Dataset("Tensor", std::move(spec)), components_(std::move(components)) {}
  std::unique_ptr<Iterator> make_iterator(IteratorContext&) const override {
    return std::make_unique<TensorIterator>(components_);
  }
  std::unique_ptr<ElementReader> make_reader(IteratorContext&) const override {
    return std::make_unique<TensorReader>(components_);
  }
  std::int64_t cardinality() const override { return 1; }

 private:
  const std::vector<Tensor> components_;
};

class SliceIterator final : public Iterator, public RowSource {
 public:
  explicit SliceIterator(std::vector<Tensor> tables) : tables_(std::move(tables)), count_(tables_[0].dim(0)) {
    for (const Tensor& t : tables_) shapes_.push_back(without_front(t.shape()));
  }

  bool next(Element& out) override {
    if (next_ >= count_) return false;
    get(next_++, out);
    return true;
  }
  std::int64_t skip(std::int64_t n) override {
    const std::int64_t skipped = std::min(n, count_ - next_);
    next_ += skipped;
    return skipped;
  }
  RowSource* rows() override { return this; }
  std::int64_t next_rows(std::int64_t n, std::int64_t* rows) override {
    n = std::min(n, count_ - next_);
    for (std::int64_t i = 0; i < n; ++i) rows[i] = next_ + i;
    next_ += n;
    return n;
  }

  // Rows share the tables' memory.
  void get(std::int64_t row, Element& out) override {
    out.resize(tables_.size());
    for (std::size_t i = 0; i < tables_.size(); ++i) out[i] = tables_[i].rows(row, row + 1).reshaped(shapes_[i]);
  }
  void gather(std::span<const std::int64_t> rows, Element& out) override {
    out.resize(tables_.size());
    for (std::size_t i = 0; i < tables_.size(); ++i) gather_rows(tables_[i], rows, out[i]);
  }

  std::int64_t num_rows() const override { return count_; }

  void save(StateWriter& state) override { state.number(next_); }
  void restore(StateReader& state) override { next_ = state.count(count_); }

 private:
  const std::vector<Tensor> tables_;
  std::vector<Shape> shapes_;
  const std::int64_t count_;
  std::int64_t next_ = 0;
};

class TensorSliceDataset final : public Dataset {
 public:
  TensorSliceDataset(ElementSpec spec, std::vector<Tensor> tables)
      : Dataset("TensorSlice", std::move(spec)), tables_(std::move(tables)) {}
  std::unique_ptr<Iterator> make_iterator(IteratorContext&) const override {
    return std::make_unique<SliceIterator>(tables_);
  }
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    return row_reader(*this, context);
  }
  std::int64_t cardinality() const override { return tables_[0].dim(0); }

 private:
  const std::vector<Tensor> tables_;
};

void tensor(KernelContext& c) {
  std::vector<Tensor> components = list_input(c, "components");
  ElementSpec spec = spec_of(c, components);
  std::vector<Shape> shapes;
  for (const Tensor& t : components) shapes.push_back(t.shape());
  check_shapes(spec.shapes, shapes);
  spec.shapes = std::move(shapes);
  set_dataset(c, make_ref<TensorDataset>(std::move(spec), std::move(components)));
}

void tensor_slice(KernelContext& c) {
  std::vector<Tensor> tables = list_input(c, "components");
  ElementSpec spec = spec_of(c, tables);
  std::vector<Shape> shapes;
  for (const Tensor& t : tables) {
    if (t.rank() < 1) invalid_argument("All components must be at least 1-dimensional");
    if (t.dim(0) != tables[0].dim(0)) invalid_argument("All components must have the same size in the 0th dimension");
    shapes.push_back(without_front(t.shape()));
  }
  check_shapes(spec.shapes, shapes);
  spec.shapes = std::move(shapes);
  set_dataset(c, make_ref<TensorSliceDataset>(std::move(spec), std::move(tables)));
}

}  // namespace

void register_tensors(Registry& r) {
  const DatasetRecord without_types{.types = false};
  add_dataset(r,
              {.name = "TensorDataset",
               .inputs = {"components: Toutput_types"},
               .attrs = {"Toutput_types: list(type) >= 1", "output_shapes: list(shape) >= 1"},
               .stateful = true,
               .doc = "A dataset of one element, the components.",
               .kernel = tensor},
              without_types);
  add_dataset(r,
              {.name = "TensorSliceDataset",
               .inputs = {"components: Toutput_types"},
               .attrs = {"Toutput_types: list(type) >= 1", "output_shapes: list(shape) >= 1", "is_files: bool = false",
                         "replicate_on_split: bool = false"},
               .stateful = true,
               .doc = "A dataset whose elements are the rows of the components, taken along their first dimension.",
               .kernel = tensor_slice},
              without_types);
}

}  // namespace tracefn::data
