// Gathering, scattering, segments, sorting and running sums.
#include "ops/array_test.h"

namespace tracefn::test {
namespace {

Tensor matrix() { return floats(Shape({2, 3}), {0, 1, 2, 3, 4, 5}); }
Tensor int_matrix(Shape shape, const std::vector<double>& v) { return make<std::int32_t>(std::move(shape), v); }

}  // namespace

TEST(gather_along_axes) {
  Tensor x = matrix();
  CHECK_EQ(values<float>(run("GatherV2", {x, ints({1, 1}), int_scalar(0)})), (List{3, 4, 5, 3, 4, 5}));
  CHECK_EQ(values<float>(run("GatherV2", {x, ints({2, 0}), int_scalar(-1)})), (List{2, 0, 5, 3}));
  Tensor batched = run("GatherV2", {x, int_matrix(Shape({2, 1}), {2, 0}), int_scalar(1)}, {{"batch_dims", 1}});
  CHECK_EQ(batched.shape(), Shape({2, 1}));
  CHECK_EQ(values<float>(batched), (List{2, 3}));
  CHECK_THROWS(run("GatherV2", {x, int_matrix(Shape({1, 2}), {0, 3}), int_scalar(1)}), kInvalidArgument,
               "indices[0,1] = 3 is not in [0, 3)");
  CHECK_THROWS(run("GatherV2", {x, ints({-1}), int_scalar(0)}), kInvalidArgument, "indices[0] = -1 is not in [0, 2)");
  CHECK_EQ(infer("GatherV2", {Shape({-1, 3}), Known(Shape({4, -1}), DType::kInt32), int_scalar(1)})[0],
           Shape({-1, 4, -1}));
  CHECK_EQ(
      infer("GatherV2", {Shape({-1, 3}), Known(Shape({5, -1}), DType::kInt32), int_scalar(1)}, {{"batch_dims", 1}})[0],
      Shape({-1, -1}));
}

TEST(gather_nd_and_scatter_nd) {
  Tensor x = matrix();
  CHECK_EQ(values<float>(run("GatherNd", {x, int_matrix(Shape({2, 2}), {0, 2, 1, 0})})), (List{2, 3}));
  CHECK_EQ(run("GatherNd", {x, ints({1})}).shape(), Shape({3}));
  CHECK_THROWS(run("GatherNd", {x, int_matrix(Shape({1, 2}), {0, -1})}), kInvalidArgument,
               "indices[0] = [0, -1] does not index into param shape [2,3], node name: GatherNd");
  Tensor twice = int_matrix(Shape({2, 1}), {0, 0});
  CHECK_EQ(values<float>(run("ScatterNd", {twice, floats(Shape({2}), {1, 2}), ints({3})})), (List{3, 0, 0}));
  CHECK_THROWS(run("ScatterNd", {int_matrix(Shape({1, 1}), {4}), floats(Shape({1}), {1}), ints({3})}), kInvalidArgument,
               "indices[0] = [4] does not index into shape [3]");
  CHECK_THROWS(run("ScatterNd", {int_matrix(Shape({1, 1}), {0}), floats(Shape({2}), {1, 2}), ints({3})}),
               kInvalidArgument,
               "Dimensions [0,1) of indices[shape=[1,1]] must match dimensions [0,1) of updates[shape=[2]]");
}

TEST(tensor_scatter) {
  Tensor x = matrix(), row = int_matrix(Shape({1, 1}), {1}), updates = floats(Shape({1, 3}), {9, 1, 9});
  CHECK_EQ(values<float>(run("TensorScatterUpdate", {x, row, updates})), (List{0, 1, 2, 9, 1, 9}));
  CHECK_EQ(values<float>(run("TensorScatterAdd", {x, row, updates})), (List{0, 1, 2, 12, 5, 14}));
  CHECK_EQ(values<float>(run("TensorScatterSub", {x, row, updates})), (List{0, 1, 2, -6, 3, -4}));
  CHECK_EQ(values<float>(run("TensorScatterMin", {x, row, updates})), (List{0, 1, 2, 3, 1, 5}));
  CHECK_EQ(values<float>(run("TensorScatterMax", {x, row, updates})), (List{0, 1, 2, 9, 4, 9}));
  CHECK_THROWS(run("TensorScatterUpdate", {x, int_matrix(Shape({1, 1}), {5}), updates}), kInvalidArgument,
               "indices[0] = [5] does not index into shape [2,3]");
}

TEST(where_lists_indices) {
  Tensor x = make<bool>(Shape({2, 2}), {1, 0, 1, 1});
  CHECK_EQ(values<std::int64_t>(run("Where", {x})), (List{0, 0, 1, 0, 1, 1}));
  CHECK_EQ(infer("Where", {Known(Shape({5, 3}), DType::kBool)})[0], Shape({-1, 2}));
}

TEST(segments) {
  Tensor x = floats(Shape({3}), {1, 2, 3});
  CHECK_EQ(values<float>(run("UnsortedSegmentSum", {x, ints({0, -5, 0}), int_scalar(2)})), (List{4, 0}));
  CHECK_THROWS(run("UnsortedSegmentSum", {x, ints({0, 0, 5}), int_scalar(3)}), kInvalidArgument,
               "segment_ids[2] = 5 is out of range [0, 3)");
  CHECK_EQ(values<float>(run("SegmentSum", {x, ints({0, 0, 2})})), (List{3, 0, 3}));
  CHECK_THROWS(run("SegmentSum", {x, ints({1, 0, 1})}), kInvalidArgument, "segment ids are not increasing");
}

TEST(stitch_and_partition) {
  Operand args[] = {ints({0, 2}), ints({4}), floats(Shape({2}), {1, 2}), floats(Shape({1}), {3})};
  CHECK_EQ(values<float>(emit_all("DynamicStitch", args)[0].tensor), (List{1, 0, 2, 0, 3}));
  Operand data[] = {floats(Shape({3}), {1, 2, 3}), ints({0, 1, 0})};
  Operands parts = emit_all("DynamicPartition", data, {{"num_partitions", 2}});
  CHECK_EQ(values<float>(parts[0].tensor), (List{1, 3}));
  CHECK_THROWS(emit_all("DynamicPartition", data, {{"num_partitions", 1}}), kInvalidArgument,
               "partitions[1] = 1 is not in [0, 1)");
}

TEST(arg_extremes_and_top_k) {
  double nan = std::nan("");
  Tensor x = floats(Shape({2, 3}), {1, nan, 3, 5, 5, 2});
  CHECK_EQ(values<std::int64_t>(run("ArgMax", {x, int_scalar(1)})), (List{2, 0}));
  CHECK_EQ(values<std::int64_t>(run("ArgMin", {x, int_scalar(-1)})), (List{0, 2}));
  CHECK_THROWS(run("ArgMax", {x, int_scalar(2)}), kInvalidArgument,
               "Expected dimension in the range [-2, 2), but got 2");
  Operand args[] = {x, int_scalar(2)};
  Operands top = emit_all("TopKV2", args);
  CHECK_EQ(values<float>(top[0].tensor), (List{3, 1, 5, 5}));
  CHECK_EQ(values<std::int32_t>(top[1].tensor), (List{2, 0, 0, 1}));
}

TEST(running_sums_and_products) {
  Tensor x = ints({1, 2, 3});
  CHECK_EQ(values<std::int32_t>(run("Cumsum", {x, int_scalar(0)}, {{"exclusive", true}, {"reverse", true}})),
           (List{5, 3, 0}));
  CHECK_EQ(values<std::int32_t>(run("Cumprod", {x, int_scalar(0)})), (List{1, 2, 6}));
  CHECK_EQ(values<float>(run("Cumsum", {matrix(), int_scalar(0)})), (List{0, 1, 2, 3, 5, 7}));
  CHECK_THROWS(run("Cumsum", {x, int_scalar(2)}), kInvalidArgument,
               "ScanOp: Expected scan axis in the range [-1, 1), but got 2");
}

}  // namespace tracefn::test
