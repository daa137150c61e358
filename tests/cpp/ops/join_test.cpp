// Joining, splitting, repeating, padding and reordering.
#include "ops/array_test.h"

namespace tracefn::test {
namespace {

Tensor two_rows() { return floats(Shape({2, 3}), {0, 1, 2, 3, 4, 5}); }

std::vector<Tensor> run_all(std::string_view op, const std::vector<Tensor>& inputs,
                            std::initializer_list<NamedAttr> attrs = {}) {
  Operands args;
  for (const Tensor& t : inputs) args.push_back(Operand(t));
  std::vector<Tensor> out;
  for (const Operand& o : emit_all(op, args, attrs)) out.push_back(o.tensor);
  return out;
}

}  // namespace

TEST(concat) {
  Tensor x = two_rows(), y = floats(Shape({2, 1}), {7, 8});
  CHECK_EQ(values<float>(run("ConcatV2", {x, y, int_scalar(-1)})), (List{0, 1, 2, 7, 3, 4, 5, 8}));
  CHECK_THROWS(run("ConcatV2", {x, y, int_scalar(0)}), kInvalidArgument,
               "ConcatOp : Dimension 1 in both shapes must be equal: shape[0] = [2,3] vs. shape[1] = [2,1]");
  CHECK_THROWS(run("ConcatV2", {x, x, int_scalar(2)}), kInvalidArgument,
               "ConcatOp : Expected concatenating dimensions in the range [-2, 2), but got 2");
  CHECK_EQ(infer("ConcatV2", {Shape({-1, 3}), Shape({2, -1}), int_scalar(0)})[0], Shape({-1, 3}));
  CHECK_EQ(infer("ConcatV2", {Shape({4, 3}), Shape::unknown(), int_scalar(1)})[0], Shape({4, -1}));
  CHECK_THROWS(infer("ConcatV2", {Shape({4, 3}), Shape({2, 5}), int_scalar(0)}), kInvalidArgument,
               "must be equal, but are 3 and 5");
}

TEST(concat_strings) {
  Tensor a = Tensor::scalar(std::string("a")).reshaped(Shape({1}));
  Tensor b = Tensor::scalar(std::string("b")).reshaped(Shape({1}));
  Tensor joined = run("ConcatV2", {a, b, int_scalar(0)});
  CHECK_EQ(joined.data<std::string>()[1], std::string("b"));
}

TEST(concat_offsets) {
  std::vector<Tensor> out = run_all("ConcatOffset", {int_scalar(1), ints({2, 2}), ints({2, 3}), ints({2, 5})});
  CHECK_EQ(values<std::int32_t>(out[2]), (List{0, 5}));
  CHECK_THROWS(
      run_all("ConcatOffset", {int_scalar(0), ints({2, 2}), ints({2, 3})}), kInvalidArgument,
      "All dimensions except 0 must match. Input 1 has shape [2 3] and doesn't match input 0 with shape [2 2].");
}

TEST(pack_and_unpack) {
  Tensor x = two_rows();
  Tensor packed = run("Pack", {x, x}, {{"axis", -1}});
  CHECK_EQ(packed.shape(), Shape({2, 3, 2}));
  CHECK_EQ(packed.data<float>()[3], 1.0f);
  std::vector<Tensor> columns = run_all("Unpack", {x}, {{"num", 3}, {"axis", 1}});
  CHECK_EQ(values<float>(columns[1]), (List{1, 4}));
  CHECK_THROWS(run_all("Unpack", {x}, {{"num", 3}}), kInvalidArgument,
               "Input shape axis 0 must equal 3, got shape [2,3]");
  CHECK_EQ(infer("Pack", {Shape({-1, 3}), Shape({2, -1})}, {{"axis", 1}})[0], Shape({2, 2, 3}));
  CHECK_THROWS(infer("Pack", {Shape({2, 3}), Shape({2, -1})}, {{"axis", 3}}), kInvalidArgument,
               "Invalid axis: 3; must be in [-3,3)");
}

TEST(split_evenly_and_by_sizes) {
  Tensor x = two_rows();
  CHECK_EQ(values<float>(run_all("Split", {int_scalar(1), x}, {{"num_split", 3}})[2]), (List{2, 5}));
  CHECK_THROWS(run_all("Split", {int_scalar(0), x}, {{"num_split", 3}}), kInvalidArgument,
               "Number of ways to split should evenly divide the split dimension, but got split_dim 0 (size = 2) and "
               "num_split 3");
  std::vector<Tensor> parts = run_all("SplitV", {x, ints({1, -1}), int_scalar(1)}, {{"num_split", 2}});
  CHECK_EQ(values<float>(parts[1]), (List{1, 2, 4, 5}));
  CHECK_THROWS(run_all("SplitV", {x, ints({-1, -1}), int_scalar(1)}, {{"num_split", 2}}), kInvalidArgument,
               "There can only be one -1 in the input.");
  CHECK_EQ(infer("SplitV", {Shape({5, 2}), ints({1, -1}), int_scalar(0)}, {{"num_split", 2}})[1], Shape({4, 2}));
  CHECK_EQ(infer("Split", {int_scalar(0), Shape({-1, 2})}, {{"num_split", 2}})[1], Shape({-1, 2}));
}

TEST(small_pieces_do_not_keep_a_large_buffer) {
  Tensor x = Tensor::zeros(DType::kFloat, Shape({1000, 4}));
  std::vector<Tensor> rows = run_all("Unpack", {x}, {{"num", 1000}});
  CHECK(rows[0].buffer()->bytes() < 100);
}

TEST(tile_and_broadcast) {
  Tensor x = two_rows();
  CHECK_EQ(values<float>(run("Tile", {x, ints({1, 2})})), (List{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
  CHECK_EQ(run("Tile", {x, ints({0, 2})}).shape(), Shape({0, 6}));
  CHECK_THROWS(run("Tile", {x, ints({1, -1})}), kInvalidArgument, "Expected multiples[1] >= 0, but got -1");
  CHECK_THROWS(run("Tile", {x, ints({1000000000, 1000000000})}), kResourceExhausted, "OOM");
  Tensor row = floats(Shape({1, 3}), {1, 2, 3});
  CHECK_EQ(values<float>(run("BroadcastTo", {row, ints({2, 2, 3})})), (List{1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}));
  CHECK_THROWS(run("BroadcastTo", {x, ints({3, 3})}), kInvalidArgument, "Incompatible shapes: [2,3] vs. [3,3]");
  CHECK_EQ(infer("BroadcastTo", {Shape({2, 3}), Known(Shape({3}), DType::kInt32)})[0], Shape({-1, 2, 3}));
}

TEST(pad_with_zeros_constants_and_mirrors) {
  Tensor x = two_rows();
  Tensor paddings = make<std::int32_t>(Shape({2, 2}), {1, 0, 0, 1});
  CHECK_EQ(values<float>(run("Pad", {x, paddings})), (List{0, 0, 0, 0, 0, 1, 2, 0, 3, 4, 5, 0}));
  CHECK_EQ(values<float>(run("PadV2", {x, paddings, Tensor::scalar(9.f)})), (List{9, 9, 9, 9, 0, 1, 2, 9, 3, 4, 5, 9}));
  Tensor mirror = make<std::int32_t>(Shape({2, 2}), {0, 0, 2, 2});
  CHECK_EQ(values<float>(run("MirrorPad", {x, mirror}, {{"mode", "REFLECT"}})),
           (List{2, 1, 0, 1, 2, 1, 0, 5, 4, 3, 4, 5, 4, 3}));
  CHECK_EQ(values<float>(run("MirrorPad", {x, mirror}, {{"mode", "SYMMETRIC"}})),
           (List{1, 0, 0, 1, 2, 2, 1, 4, 3, 3, 4, 5, 5, 4}));
  Tensor far = make<std::int32_t>(Shape({2, 2}), {0, 0, 3, 0});
  CHECK_THROWS(run("MirrorPad", {x, far}, {{"mode", "REFLECT"}}), kInvalidArgument,
               "paddings must be less than the dimension size: 3, 0 not less than 3");
  std::vector<double> v(28);
  for (int i = 0; i < 28; ++i) v[static_cast<std::size_t>(i)] = i;
  Tensor both = make<std::int32_t>(Shape({2, 2}), {1, 1, 2, 2});
  CHECK_EQ(values<float>(run("MirrorPadGrad", {floats(Shape({4, 7}), v), both}, {{"mode", "REFLECT"}})),
           (List{72, 102, 64, 44, 60, 36}));
  CHECK_EQ(infer("Pad", {Shape({-1, 3}), paddings})[0], Shape({-1, 4}));
}

TEST(reverse_roll_and_inverse) {
  Tensor x = two_rows();
  CHECK_EQ(values<float>(run("ReverseV2", {x, ints({1})})), (List{2, 1, 0, 5, 4, 3}));
  CHECK_THROWS(run("ReverseV2", {x, ints({0, -2})}), kInvalidArgument, "axis 0 specified more than once.");
  CHECK_EQ(values<float>(run("ReverseSequence", {x, ints({2, 3})}, {{"seq_dim", 1}})), (List{1, 0, 2, 5, 4, 3}));
  CHECK_EQ(values<float>(run("Roll", {x, int_scalar(-1), int_scalar(1)})), (List{1, 2, 0, 4, 5, 3}));
  CHECK_EQ(values<std::int32_t>(run("InvertPermutation", {ints({2, 0, 1})})), (List{1, 2, 0}));
  CHECK_THROWS(run("InvertPermutation", {ints({0, 0})}), kInvalidArgument, "0 is duplicated in the input.");
}

}  // namespace tracefn::test
