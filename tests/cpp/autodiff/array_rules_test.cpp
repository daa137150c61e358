// Every gradient rule of the array families against finite differences, in float64 and, where the op takes it,
// complex128. An op of these families without a sample fails.
#include <cmath>
#include <complex>
#include <map>
#include <random>
#include <set>

#include "autodiff/backprop.h"
#include "ops/array_test.h"
#include "ops/families.h"
#include "ops/without_gradient.h"

namespace tracefn::test {
namespace {

using Complex = std::complex<double>;

struct Sample {
  std::vector<Tensor> inputs;
  std::vector<NamedAttr> attrs;
};

std::mt19937 random_source(7);

Tensor numbers(Shape shape, bool complex = false) {
  std::uniform_real_distribution<double> draw(-2, 2);
  Tensor t(complex ? DType::kComplex128 : DType::kDouble, std::move(shape));
  double* parts = t.mutable_data<double>();
  for (std::int64_t i = 0; i < t.num_elements() * (complex ? 2 : 1); ++i) parts[i] = draw(random_source);
  return t;
}

// Well away from singular.
Tensor square(std::int64_t n, bool complex = false) {
  Tensor t = numbers(Shape({2, n, n}), complex);
  for (std::int64_t i = 0; i < 2 * n; ++i) {
    std::int64_t at = i / n * n * n + i % n * (n + 1);
    if (complex) {
      t.mutable_data<Complex>()[at] += 6.0;
    } else {
      t.mutable_data<double>()[at] += 6;
    }
  }
  return t;
}
Tensor symmetric(std::int64_t n) {
  Tensor t = square(n);
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < i; ++j)
        t.mutable_data<double>()[(b * n + j) * n + i] = t.data<double>()[(b * n + i) * n + j];
  return t;
}
Tensor grid(Shape shape, const std::vector<double>& v) { return make<std::int32_t>(std::move(shape), v); }
Tensor big(std::int64_t v) { return Tensor::scalar(v); }

std::multimap<std::string, Sample> samples(bool z) {
  auto x = [z](std::initializer_list<std::int64_t> dims) { return numbers(Shape(dims), z); };
  Tensor pads = grid(Shape({2, 2}), {1, 0, 2, 1}), mirror = grid(Shape({2, 2}), {1, 0, 1, 1});
  std::vector<NamedAttr> masks = {{"begin_mask", 1}, {"shrink_axis_mask", 2}};
  std::multimap<std::string, Sample> all = {
      {"Identity", {{x({2, 3})}, {}}},
      {"IdentityN", {{x({2}), x({3})}, {}}},
      {"EnsureShape", {{x({2})}, {{"shape", Shape({-1})}}}},
      {"Fill", {{ints({2, 3}), x({})}, {}}},
      {"Reshape", {{x({2, 3}), ints({3, -1})}, {}}},
      {"Squeeze", {{x({2, 1, 3})}, {}}},
      {"ExpandDims", {{x({2, 3}), int_scalar(1)}, {}}},
      {"Transpose", {{x({2, 3, 4}), ints({2, 0, 1})}, {}}},
      {"ConjugateTranspose", {{x({2, 3, 4}), ints({2, 0, 1})}, {}}},
      {"Sum", {{x({2, 3, 4}), ints({0, -1})}, {}}},
      {"Sum", {{x({2, 3, 4}), ints({1})}, {{"keep_dims", true}}}},
      {"Mean", {{x({2, 3, 4}), ints({0, 2})}, {}}},
      {"Prod", {{x({2, 3, 4}), ints({0, 2})}, {}}},
      {"MatMul", {{x({2, 3}), x({3, 4})}, {}}},
      {"MatMul", {{x({3, 2}), x({3, 4})}, {{"transpose_a", true}}}},
      {"MatMul", {{x({2, 3}), x({4, 3})}, {{"transpose_b", true}}}},
      {"MatMul", {{x({3, 2}), x({4, 3})}, {{"transpose_a", true}, {"transpose_b", true}}}},
      {"BatchMatMulV2", {{x({5, 2, 3}), x({3, 4})}, {}}},
      {"BatchMatMulV2", {{x({2, 1, 3, 2}), x({5, 3, 4})}, {{"adj_x", true}}}},
      {"BatchMatMulV2", {{x({2, 3}), x({2, 4, 3})}, {{"adj_y", true}}}},
      {"BatchMatMulV2", {{x({2, 3, 2}), x({2, 4, 3})}, {{"adj_x", true}, {"adj_y", true}}}},
      {"ConcatV2", {{x({2, 3}), x({2, 1}), int_scalar(-1)}, {}}},
      {"Pack", {{x({2, 3}), x({2, 3})}, {{"axis", 1}}}},
      {"Unpack", {{x({2, 3})}, {{"num", 3}, {"axis", 1}}}},
      {"Split", {{int_scalar(1), x({2, 4})}, {{"num_split", 2}}}},
      {"SplitV", {{x({2, 4}), ints({1, -1}), int_scalar(1)}, {{"num_split", 2}}}},
      {"Tile", {{x({2, 3}), ints({2, 3})}, {}}},
      {"BroadcastTo", {{x({2, 1}), ints({3, 2, 4})}, {}}},
      {"Pad", {{x({2, 3}), pads}, {}}},
      {"SpaceToBatchND", {{x({2, 3, 3}), grid(Shape({2}), {2, 3}), pads}, {}}},
      {"BatchToSpaceND", {{x({6, 2, 2}), grid(Shape({2}), {2, 3}), pads}, {}}},
      {"SpaceToBatch", {{x({1, 3, 2, 2}), mirror}, {{"block_size", 2}}}},
      {"BatchToSpace", {{x({4, 2, 2, 2}), mirror}, {{"block_size", 2}}}},
      {"SpaceToDepth", {{x({1, 4, 2, 2})}, {{"block_size", 2}}}},
      {"DepthToSpace", {{x({1, 2, 1, 8})}, {{"block_size", 2}}}},
      {"MirrorPad", {{x({2, 3}), mirror}, {{"mode", "REFLECT"}}}},
      {"MirrorPad", {{x({2, 3}), mirror}, {{"mode", "SYMMETRIC"}}}},
      {"MirrorPadGrad", {{x({3, 5}), mirror}, {{"mode", "REFLECT"}}}},
      {"ReverseV2", {{x({2, 3}), ints({1})}, {}}},
      {"ReverseSequence", {{x({2, 3}), ints({2, 3})}, {{"seq_dim", 1}}}},
      {"Roll", {{x({2, 3}), ints({1, 2}), ints({0, 1})}, {}}},
      {"StridedSlice", {{x({4, 5}), ints({3, 1}), ints({4, 2}), ints({2, 1})}, masks}},
      {"StridedSliceGrad", {{ints({4, 5}), ints({0, 1}), ints({4, 2}), ints({2, 1}), x({2})}, masks}},
      {"TensorStridedSliceUpdate", {{x({4, 5}), ints({0, 1}), ints({4, 2}), ints({2, 1}), x({2})}, masks}},
      {"TensorStridedSliceUpdate", {{x({4, 5}), ints({0, 1}), ints({4, 2}), ints({2, 1}), x({})}, masks}},
      {"Slice", {{x({3, 4}), ints({1, 0}), ints({-1, 2})}, {}}},
      {"GatherV2", {{x({4, 3}), grid(Shape({2, 2}), {3, 0, 0, 1}), int_scalar(0)}, {}}},
      {"GatherV2", {{x({2, 3, 2}), ints({2, 2}), int_scalar(1)}, {}}},
      {"GatherV2", {{x({2, 2, 3, 2}), grid(Shape({2, 3}), {2, 0, 2, 1, 1, 0}), int_scalar(2)}, {{"batch_dims", 1}}}},
      {"GatherNd", {{x({2, 3, 2}), grid(Shape({3, 2}), {0, 1, 1, 2, 0, 1})}, {}}},
      {"ScatterNd", {{grid(Shape({3, 1}), {0, 2, 0}), x({3, 2}), ints({4, 2})}, {}}},
      {"TensorScatterUpdate", {{x({3, 2}), grid(Shape({2, 1}), {0, 2}), x({2, 2})}, {}}},
      {"TensorScatterAdd", {{x({3, 2}), grid(Shape({2, 1}), {2, 2}), x({2, 2})}, {}}},
      {"TensorScatterSub", {{x({3, 2}), grid(Shape({2, 1}), {2, 2}), x({2, 2})}, {}}},
      {"UnsortedSegmentSum", {{x({3, 2}), ints({1, -1, 1}), int_scalar(3)}, {}}},
      {"UnsortedSegmentProd", {{x({4, 2}), ints({1, -1, 1, 0}), int_scalar(3)}, {}}},
      {"SegmentSum", {{x({3, 2}), ints({0, 0, 2})}, {}}},
      {"SegmentMean", {{x({3, 2}), ints({0, 0, 2})}, {}}},
      {"SegmentProd", {{x({4, 2}), ints({0, 0, 2, 2})}, {}}},
      {"DynamicStitch", {{ints({0, 2}), ints({1}), x({2, 2}), x({1, 2})}, {}}},
      {"ParallelDynamicStitch", {{ints({0, 2}), ints({1}), x({2, 2}), x({1, 2})}, {}}},
      {"DynamicPartition", {{x({3, 2}), ints({1, 0, 1})}, {{"num_partitions", 2}}}},
      {"Cumsum", {{x({2, 3}), int_scalar(1)}, {{"reverse", true}}}},
      {"Cumprod", {{x({2, 3}), int_scalar(0)}, {{"exclusive", true}}}},
      {"Cumprod", {{x({3, 2}), int_scalar(0)}, {}}},
      {"MatrixSolve", {{square(3, z), x({2, 3, 2})}, {}}},
      {"MatrixSolve", {{square(3, z), x({2, 3, 2})}, {{"adjoint", true}}}},
      {"MatrixTriangularSolve", {{square(3, z), x({3, 2})}, {}}},
      {"MatrixTriangularSolve", {{square(3, z), x({2, 3, 2})}, {{"adjoint", true}, {"lower", false}}}},
      {"MatrixInverse", {{square(3, z)}, {}}},
      {"MatrixInverse", {{square(3, z)}, {{"adjoint", true}}}},
      {"MatrixDeterminant", {{square(3, z)}, {}}},
      {"MatrixDiagV3", {{x({2, 3}), ints({-1, 0}), int_scalar(-1), int_scalar(-1), x({})}, {}}},
      {"MatrixDiagPartV3", {{x({3, 4}), ints({-1, 2}), z ? Tensor::scalar(Complex(0)) : Tensor::scalar(0.0)}, {}}},
      {"MatrixSetDiagV3", {{x({3, 4}), x({3}), int_scalar(0)}, {}}},
      {"MatrixBandPart", {{x({3, 4}), big(1), big(0)}, {}}},
      {"BiasAdd", {{x({2, 3}), x({3})}, {}}},
      {"BiasAdd", {{x({2, 3, 4}), x({3})}, {{"data_format", "NCHW"}}}},
      {"BiasAddGrad", {{x({2, 3})}, {}}},
      {"BiasAddGrad", {{x({2, 3, 4})}, {{"data_format", "NCHW"}}}},
  };
  if (z) return all;
  // The op takes each row of labels for probabilities, whose sum is 1.
  Tensor distributions = make<double>(Shape({2, 3}), {0.2, 0.3, 0.5, 0.1, 0.7, 0.2});
  std::multimap<std::string, Sample> real = {
      {"Max", {{x({2, 3, 4}), ints({1})}, {}}},
      {"Min", {{x({2, 3, 4}), ints({0, 2})}, {{"keep_dims", true}}}},
      {"EuclideanNorm", {{x({2, 3}), ints({1})}, {}}},
      {"UnsortedSegmentMax", {{x({4, 2}), ints({1, -1, 1, 0}), int_scalar(2)}, {}}},
      {"UnsortedSegmentMin", {{x({4, 2}), ints({1, -1, 1, 0}), int_scalar(2)}, {}}},
      {"SegmentMax", {{x({4, 2}), ints({0, 0, 2, 2})}, {}}},
      {"SegmentMin", {{x({4, 2}), ints({0, 0, 2, 2})}, {}}},
      {"CumulativeLogsumexp", {{x({2, 4}), int_scalar(1)}, {}}},
      {"CumulativeLogsumexp", {{x({4, 2}), int_scalar(0)}, {{"reverse", true}}}},
      {"PadV2", {{x({2, 3}), pads, Tensor::scalar(0.0)}, {}}},
      {"TensorScatterMin", {{x({3, 2}), grid(Shape({2, 1}), {0, 2}), x({2, 2})}, {}}},
      {"TensorScatterMax", {{x({3, 2}), grid(Shape({2, 1}), {0, 2}), x({2, 2})}, {}}},
      {"TopKV2", {{x({2, 5}), int_scalar(3)}, {}}},
      {"NthElement", {{x({2, 5}), int_scalar(2)}, {}}},
      {"Cholesky", {{symmetric(3)}, {}}},
      {"L2Loss", {{x({2, 3})}, {}}},
      {"Softmax", {{x({2, 3})}, {}}},
      {"LogSoftmax", {{x({2, 3})}, {}}},
      {"SoftmaxCrossEntropyWithLogits", {{x({2, 3}), distributions}, {}}},
      {"SparseSoftmaxCrossEntropyWithLogits", {{x({2, 3}), ints({2, 0})}, {}}},
  };
  for (std::string kind : {"SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"}) {
    for (bool sparse : {false, true})
      real.insert({kind, {{x({4, 2}), ints({3, 0, 0, 3, 1}), ints({0, 0, 2, 2, 2})}, {{"sparse_gradient", sparse}}}});
    real.insert({kind + "WithNumSegments", {{x({4, 2}), ints({3, 0, 0}), ints({0, 0, 2}), int_scalar(4)}, {}}});
  }
  all.insert(real.begin(), real.end());
  return all;
}

Operands run_op(const OpDef& op, std::span<const Operand> inputs, const Sample& s) {
  AttrList attrs(op.signature.attrs.size());
  for (const NamedAttr& a : s.attrs) attrs[static_cast<std::size_t>(op.signature.attr_index(a.name))] = a.value;
  Operands outputs;
  emit(op, inputs, std::move(attrs), outputs);
  return outputs;
}

bool counts(const Tensor& t) { return t.dtype() == DType::kDouble || t.dtype() == DType::kComplex128; }
std::int64_t parts(const Tensor& t) { return t.num_elements() * (t.dtype() == DType::kComplex128 ? 2 : 1); }

// The real number sum(Re(conj(w) y)) over all outputs: a dot product of the parts.
double weighted(const Operands& outputs, const std::vector<Tensor>& weights) {
  double total = 0;
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    if (!counts(outputs[j].tensor)) continue;
    for (std::int64_t k = 0; k < parts(outputs[j].tensor); ++k)
      total += outputs[j].tensor.data<double>()[k] * weights[j].data<double>()[k];
  }
  return total;
}

// As in TensorFlow, padding values have no gradient, and the cross entropy's own gradient none with respect to the
// labels; a Cholesky decomposition reads one triangle, so its argument moves in both at once.
bool skipped(const std::string& name, std::size_t input) {
  return (name == "PadV2" && input == 2) || (name == "MatrixDiagPartV3" && input == 2) ||
         (name == "MatrixDiagV3" && input == 4) || (name == "SoftmaxCrossEntropyWithLogits" && input == 1);
}
// Nor are these conjugated there.
bool skipped_for_complex(const std::string& name) {
  return name == "Cumprod" || name == "MatrixDeterminant" || name == "SegmentProd" || name == "UnsortedSegmentProd";
}

void check_sample(const std::string& name, const Sample& s) {
  const OpDef& op = Registry::get().at(name);
  std::vector<Operand> operands(s.inputs.begin(), s.inputs.end());
  for (Operand& o : operands) OpRecorder::watch(o);
  OpRecorder recorder;
  Operands outputs;
  {
    ListenerScope scope(&recorder);
    outputs = run_op(op, operands, s);
  }
  std::vector<Tensor> weights;
  std::vector<Operand> targets, seeds;
  for (const Operand& o : outputs) {
    weights.push_back(numbers(o.shape(), o.dtype() == DType::kComplex128));
    if (!counts(o.tensor)) continue;
    // The second output of the cross entropies is the first one's gradient; it is a target too.
    targets.push_back(o);
    seeds.push_back(weights.back());
  }
  Operands got = gradients(recorder.ops(), targets, seeds, operands);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!counts(s.inputs[i]) || skipped(name, i)) continue;
    if (!got[i].defined()) {
      failed(name.c_str(), static_cast<int>(i), "no gradient for this input");
      continue;
    }
    CHECK_EQ(got[i].shape(), s.inputs[i].shape());
    for (std::int64_t k = 0; k < parts(s.inputs[i]); ++k) {
      std::int64_t twin = k, n = name == "Cholesky" ? s.inputs[i].dim(1) : 1;
      if (name == "Cholesky") twin = k / (n * n) * n * n + k % n * n + k / n % n;
      constexpr double kStep = 1e-6;
      double at[2];
      for (int side = 0; side < 2; ++side) {
        std::vector<Operand> moved(s.inputs.begin(), s.inputs.end());
        moved[i].tensor = moved[i].tensor.copy();
        double step = side ? -kStep : kStep;
        moved[i].tensor.mutable_data<double>()[k] += step;
        if (twin != k) moved[i].tensor.mutable_data<double>()[twin] += step;
        at[side] = weighted(run_op(op, moved, s), weights);
      }
      double slope = (at[0] - at[1]) / (2 * kStep);
      double rule = got[i].tensor.data<double>()[k];
      if (twin != k) rule += got[i].tensor.data<double>()[twin];
      if (std::abs(slope - rule) > 1e-6 * (1 + std::abs(slope)) + 1e-7)
        failed(name.c_str(), static_cast<int>(i),
               concat("element ", k, ": the rule says ", rule, ", the slope is ", slope));
    }
  }
}

}  // namespace

TEST(array_gradient_rules) {
  for (auto& [name, sample] : samples(false)) check_sample(name, sample);
}

TEST(array_gradient_rules_complex) {
  for (auto& [name, sample] : samples(true))
    if (!skipped_for_complex(name)) check_sample(name, sample);
}

// Rounding has no useful derivative: their gradients pass it by, as TensorFlow's do, which tests/grad compares.
bool passes_rounding(const std::string& name) {
  return name.starts_with("FakeQuantWithMinMax") || name.starts_with("QuantizeAndDequantize");
}

TEST(array_gradient_rules_are_complete) {
  Registry families;
  register_array_families(families);
  auto known = samples(false);
  for (const OpDef* op : families.all())
    if (op->grad != not_differentiable && op->grad != without_gradient && op->name() != "PreventGradient" &&
        !passes_rounding(op->name()) && !known.count(op->name()))
      failed(op->name().c_str(), 0, "no sample for its gradient rule");
}

}  // namespace tracefn::test
