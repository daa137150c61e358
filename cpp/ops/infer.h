// InferContext: the interface of a shape rule. One rule serves tracing (partly known shapes) and execution (everything
// known). Lives on the caller's stack; not thread-safe.
#pragma once

#include <optional>
#include <string_view>

#include "base/error.h"
#include "ir/graph.h"
#include "ops/op_def.h"

namespace tracefn {

class InferContext {
 public:
  struct Input {
    const Shape* shape = nullptr;
    DType dtype = DType::kInvalid;
    const Tensor* value = nullptr;     // when constant or running
    const OutputInfo* info = nullptr;  // when tracing: what is known of a handle
  };
  // Called for inputs whose value is only partly known while tracing (a Pack of dimensions, say).
  class PartialValues {
   public:
    virtual ~PartialValues() = default;
    // A vector input as a shape: unknown elements are kUnknownDim; of unknown length: Shape::unknown().
    virtual Shape as_shape(std::size_t input) const = 0;
  };

  InferContext(const OpSignature& op, const AttrList& attrs, std::span<const Input> inputs,
               std::span<OutputInfo> outputs, const PartialValues* partial = nullptr)
      : op_(op), attrs_(attrs), inputs_(inputs), outputs_(outputs), partial_(partial) {}

  const OpSignature& op() const { return op_; }
  std::size_t num_inputs() const { return inputs_.size(); }
  std::size_t num_outputs() const { return outputs_.size(); }
  const Shape& shape(std::size_t i) const { return *inputs_[i].shape; }
  DType dtype(std::size_t i) const { return inputs_[i].dtype; }
  // Null if the value is not known yet.
  const Tensor* value(std::size_t i) const {
    if (i < kMostNoted) values_asked_ |= std::uint64_t{1} << i;
    return inputs_[i].value;
  }
  const Input& input(std::size_t i) const { return inputs_[i]; }

  // Input i, an int32 or int64 vector, as a shape, as far as it is known. A negative element other than -1, and -1 if
  // `allow_unknown` is false and the value is known, is Error(kInvalidArgument).
  Shape shape_value(std::size_t i, bool minus_one_is_unknown = false) const;
  // The same as the shape of a result: -1 is unknown while tracing, and an error when the op runs.
  Shape result_shape(std::size_t i) const { return shape_value(i, !running_); }
  // Input i, an int32 or int64 scalar, if its value is known.
  std::optional<std::int64_t> int_value(std::size_t i) const;
  // The same as a dimension: kUnknownDim if unknown, Error(kInvalidArgument) if negative.
  std::int64_t dim_value(std::size_t i) const;
  // Input i, a vector of axes of a tensor of rank `rank`, made non-negative; nothing if unknown. Out of range is
  // Error(kInvalidArgument, "Invalid reduction dimension ...").
  std::optional<Dims> int_values(std::size_t i) const;

  const Attr& attr(std::string_view name) const {
    int i = op_.attr_index(name);
    return attrs_[static_cast<std::size_t>(i)];
  }
  const AttrList& attrs() const { return attrs_; }

  void set_output(std::size_t j, Shape shape) { outputs_[j].shape = std::move(shape); }
  OutputInfo& output(std::size_t j) { return outputs_[j]; }

  // Whether the kernel follows, and what its record checks has been checked.
  bool running() const { return running_; }

  // Whether the rule has asked for the value of input i, as such or as a shape; noted for the first inputs only.
  static constexpr std::size_t kMostNoted = 64;
  bool asked_value(std::size_t i) const { return i < kMostNoted && (values_asked_ >> i & 1); }
  bool asked_shape(std::size_t i) const { return i < kMostNoted && (shapes_asked_ >> i & 1); }

  // Precondition checks with TensorFlow's words: "Shape must be rank 2 but is rank 1".
  void require_rank(std::size_t i, int rank) const {
    if (shape(i).has_rank() && shape(i).rank() != rank) fail_rank(i, "", rank);
  }
  void require_rank_at_least(std::size_t i, int rank) const {
    if (shape(i).has_rank() && shape(i).rank() < rank) fail_rank(i, "at least ", rank);
  }

  bool running_ = false;  // set by the executor

 private:
  [[noreturn]] void fail_rank(std::size_t i, std::string_view bound, int rank) const;

  const OpSignature& op_;
  const AttrList& attrs_;
  std::span<const Input> inputs_;
  std::span<OutputInfo> outputs_;
  const PartialValues* partial_;
  mutable std::uint64_t values_asked_ = 0;
  mutable std::uint64_t shapes_asked_ = 0;
};

// The size of a dimension; kUnknownDim if the rank is unknown.
inline std::int64_t dim_of(const Shape& shape, int axis) { return shape.has_rank() ? shape[axis] : kUnknownDim; }
// Error(kInvalidArgument, "Dimensions must be equal, but are 2 and 3") if both are known and differ.
void require_equal(std::int64_t a, std::int64_t b);
// What is known of both, after require_equal().
std::int64_t merge_dims(std::int64_t a, std::int64_t b);

// merge(), with the words of TensorFlow's shape functions: "Dimension 0 in both shapes must be equal, but are 2 and 3."
Shape merge_or_explain(const Shape& a, const Shape& b);

// Shape rules shared by many ops.
namespace infer {
void same_as_first(InferContext& c);  // every output has input 0's shape
void broadcast_all(InferContext& c);  // output 0: all inputs broadcast together
void scalar(InferContext& c);         // every output is a scalar
void unknown(InferContext& c);        // nothing is known (outputs of unknown rank)
void nothing(InferContext& c);        // an op without outputs
}  // namespace infer

// `axis` in [-rank, rank) made non-negative, or Error(kInvalidArgument) naming `what`.
std::int64_t normalize_axis(std::int64_t axis, std::int64_t rank, std::string_view what = "axis");

}  // namespace tracefn
