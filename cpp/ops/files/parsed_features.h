// What the ops that parse examples share: the keys that they look for, what was found under them, and the tensors made
// of it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ops/files/example_reader.h"
#include "ops/infer.h"
#include "ops/kernel.h"

namespace tracefn {

inline std::span<const std::string> texts(const Tensor& t) { return t.span<std::string>(); }

enum class FeatureForm : std::uint8_t { kDense, kSparse, kRagged };

// One key, and the dtype that is expected under it.
struct WantedFeature {
  FeatureForm form;
  DType dtype;
  std::string key;
};

// An int32 or int64 vector of row splits.
class Splits {
 public:
  Splits(DType dtype, std::int64_t size) : tensor_(dtype, Shape({size})) {}
  void set(std::int64_t i, std::int64_t value) {
    if (tensor_.dtype() == DType::kInt32) {
      tensor_.mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(value);
    } else {
      tensor_.mutable_data<std::int64_t>()[i] = value;
    }
  }
  Tensor take() { return std::move(tensor_); }

 private:
  Tensor tensor_;
};

// Where wanted features are by key; of two with one key, the first one.
using FeatureIndex = std::unordered_map<std::string_view, std::size_t>;
FeatureIndex index_features(const std::vector<WantedFeature>& wanted);

// What was found under each key in each example, and the tensors of it.
class FoundFeatures {
 public:
  struct Found {
    bool present = false;
    FeatureValues values;
  };

  FoundFeatures(std::size_t features, std::size_t examples, bool batch)
      : found_(features * examples), examples_(examples), batch_(batch) {}

  // Of one example, or of a batch of them.
  bool batch() const { return batch_; }
  std::int64_t size() const { return static_cast<std::int64_t>(examples_); }
  Found& at(std::size_t feature, std::size_t example) { return found_[feature * examples_ + example]; }
  const Found& at(std::size_t feature, std::size_t example) const { return found_[feature * examples_ + example]; }
  const FeatureValues& values_at(std::size_t feature, std::size_t example) const { return at(feature, example).values; }

  std::int64_t count(std::size_t feature) const;    // of values in all examples
  std::int64_t longest(std::size_t feature) const;  // the most values in one

  Tensor values(std::size_t feature, DType dtype) const;
  // Of the sparse tensor.
  Tensor indices(std::size_t feature) const;
  Tensor shape(std::size_t feature) const;
  // Of the ragged tensor; empty unless it is a batch.
  Tensor splits(std::size_t feature, DType dtype) const;
  // Sets three outputs for each of `count` sparse features, and returns the output after them.
  std::size_t write_sparse(KernelContext& c, std::size_t at, std::size_t first, std::size_t count,
                           const std::vector<WantedFeature>& wanted) const;
  // The same with two outputs for each ragged feature.
  std::size_t write_ragged(KernelContext& c, std::size_t at, std::size_t first, const std::vector<DType>& split_types,
                           const std::vector<WantedFeature>& wanted) const;

 private:
  std::vector<Found> found_;  // by feature, then by example
  std::size_t examples_;
  bool batch_;
};

// The place of an element.
inline void* element_of(Tensor& t, std::int64_t at) {
  return static_cast<char*>(t.mutable_raw()) + size_of(t.dtype()) * static_cast<std::size_t>(at);
}

// Adds a form's keys, which are a tensor of strings or a list of them.
void want_features(std::vector<WantedFeature>& wanted, FeatureForm form, std::span<const std::string> keys,
                   const std::vector<DType>& dtypes);

// A dense feature's shape; the first dimension is unknown where the number of values varies.
struct DenseShape {
  Shape shape;
  bool variable = false;
  std::int64_t stride = 1;  // elements of the other dimensions; of all of them unless it is variable
};
// Error(kInvalidArgument) with TensorFlow's words unless the other dimensions are known.
std::vector<DenseShape> dense_shapes(const std::vector<Shape>& shapes);

// The shape of `serialized`, followed by that of a dense feature.
Shape dense_result(const Shape& serialized, const Shape& feature);

// Sets the shapes of a form's outputs from output `at` on, and returns the output after them.
std::size_t infer_sparse(InferContext& c, std::size_t at, std::size_t count, std::int64_t rank);
std::size_t infer_vectors(InferContext& c, std::size_t at, std::size_t count, std::int64_t size);

// The product; Error(kResourceExhausted) if it is too large.
std::int64_t checked_product(std::int64_t a, std::int64_t b);

// `bytes` for an error message: what is no printable ASCII is escaped, and the end of a long text is left out.
std::string shown_bytes(std::string_view bytes);

}  // namespace tracefn
