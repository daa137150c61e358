// Datasets for the tests of cpp/data, made by their ops.
#pragma once

#include <vector>

#include "../exec/graphs.h"
#include "data/dataset_ops.h"
#include "data/iterator_context.h"
#include "exec/eager.h"
#include "ops/build.h"
#include "ops/emit.h"

namespace tracefn::test {

inline Tensor i64(std::int64_t value) { return Tensor::scalar(value); }

inline const std::vector<DType> kNumberTypes{DType::kInt64};
inline const std::vector<Shape> kNumberShapes{Shape()};

// A dataset made by an op with these attributes behind output_types and output_shapes.
inline Tensor dataset(std::string_view op, std::vector<Operand> inputs, std::vector<NamedAttr> attrs = {},
                      std::vector<Shape> shapes = kNumberShapes) {
  const OpDef& def = Registry::get().at(op);
  AttrList list(def.signature.attrs.size());
  auto set = [&](std::string_view name, Attr value) {
    list.at(static_cast<std::size_t>(def.signature.attr_index(name))) = std::move(value);
  };
  set("output_types", kNumberTypes);
  set("output_shapes", std::move(shapes));
  for (NamedAttr& attr : attrs) set(attr.name, attr.value);
  Operands outputs;
  emit(def, inputs, std::move(list), outputs);
  return outputs[0].tensor;
}

inline Tensor numbers(std::int64_t stop) { return dataset("RangeDataset", {i64(0), i64(stop), i64(1)}); }
inline Tensor mapped(const Tensor& input, const FuncRef& f) {
  return dataset("MapDataset", {input}, {{"f", f}, {"Targuments", std::vector<DType>{}}});
}
inline Tensor batched(const Tensor& input, std::int64_t size) {
  return dataset("BatchDatasetV2", {input, i64(size), Tensor::scalar(false)}, {}, {Shape({kUnknownDim})});
}
inline Tensor prefetched(const Tensor& input, std::int64_t depth) {
  return dataset("PrefetchDataset", {input, i64(depth)});
}
inline Tensor parallel(const Tensor& input, const FuncRef& f, std::int64_t calls, const char* deterministic = "true") {
  return dataset("ParallelMapDatasetV2", {input, i64(calls)},
                 {{"f", f}, {"Targuments", std::vector<DType>{}}, {"deterministic", deterministic}});
}

// An iterator that keeps what its functions share.
class Pass {
 public:
  explicit Pass(const Tensor& variant)
      : context_(make_ref<data::IteratorContext>()), iterator_(data::dataset_in(variant)->make_iterator(*context_)) {}

  data::Iterator& operator*() { return *iterator_; }
  data::Iterator* operator->() { return iterator_.get(); }
  // The number that comes next, or `end`.
  std::int64_t next(std::int64_t end = -1) {
    return iterator_->next(element_) ? element_[0].item<std::int64_t>() : end;
  }

 private:
  Ref<data::IteratorContext> context_;
  std::unique_ptr<data::Iterator> iterator_;
  data::Element element_;
};

}  // namespace tracefn::test
