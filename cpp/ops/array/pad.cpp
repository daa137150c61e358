// Padding: Pad, PadV2, MirrorPad and MirrorPad's gradient.
#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/array/strided_copy.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// The shape with the paddings added (sign 1) or removed (sign -1).
void infer_padded(InferContext& c, std::int64_t sign) {
  const Shape& in = c.shape(0);
  const Shape& paddings = c.shape(1);
  c.require_rank(1, 2);
  if (paddings.has_rank() && paddings[1] >= 0 && paddings[1] != 2)
    invalid_argument("Dimension must be 2 but is ", paddings[1]);
  int rank = in.has_rank() ? in.rank() : paddings.has_rank() && paddings[0] >= 0 ? static_cast<int>(paddings[0]) : -1;
  if (rank < 0) return c.set_output(0, Shape::unknown());
  if (paddings.has_rank() && paddings[0] >= 0 && paddings[0] != rank)
    invalid_argument("Shape must be rank ", paddings[0], " but is rank ", rank);
  Shape out = Shape::of_rank(rank);
  if (const Tensor* value = c.value(1)) {
    for (int i = 0; i < rank; ++i) {
      std::int64_t before = value->int_at(2 * i), after = value->int_at(2 * i + 1);
      if (before < 0 || after < 0) invalid_argument("Paddings must be non-negative");
      if (!in.has_rank() || in[i] < 0) continue;
      std::int64_t sum;
      if (__builtin_add_overflow(before, after, &sum) || __builtin_add_overflow(in[i], sign * sum, &out[i]))
        invalid_argument("The padded dimension ", i, " is too large.");
      if (out[i] < 0) invalid_argument("Padding leaves a negative size in dimension ", i);
    }
  }
  c.set_output(0, std::move(out));
}
void infer_pad(InferContext& c) {
  if (c.num_inputs() > 2) c.require_rank(2, 0);
  infer_padded(c, 1);
}
void infer_unpad(InferContext& c) { infer_padded(c, -1); }

void check_paddings(const Tensor& x, const Tensor& paddings, std::string_view separator) {
  if (paddings.rank() != 2 || paddings.dim(1) != 2)
    invalid_argument("paddings must be a matrix with 2 columns: ", paddings.shape().text());
  if (paddings.dim(0) != x.rank())
    invalid_argument("The first dimension of paddings must be the rank of inputs", paddings.shape().text(), separator,
                     x.shape().text());
}

// Fills the result, then copies x into it.
template <typename T>
void pad_around(const KernelContext& c, const Tensor& x, const Dims& before, const T& value, Tensor& out) {
  T* y = out.mutable_data<T>();
  c.parallel_for(out.num_elements(), copy_cost<T>,
                 [&](std::int64_t begin, std::int64_t end) { fill_run(y + begin, end - begin, value); });
  View to = View::whole(out.shape());
  for (std::size_t i = 0; i < before.size(); ++i) to.offset += before[i] * to.strides[i];
  copy_strided(c, x.dtype(), x.shape().dims(), x.raw(), View::whole(x.shape()), y, to);
}

// Writes each row of the last dimension that is padded once, in order; the dimensions after it belong to its elements.
// False if rows are so short that the work for each would count.
template <typename T>
bool pad_rows(const KernelContext& c, const Tensor& x, const Dims& before, const T& value, Tensor& out) {
  const Shape& shape = out.shape();
  int last = x.rank() - 1;
  while (last > 0 && shape[last] == x.dim(last)) --last;
  std::int64_t inner = 1;
  for (int i = last + 1; i < x.rank(); ++i) inner *= shape[i];
  constexpr std::int64_t kLeastBytes = 512;
  const std::int64_t width = shape[last] * inner, n = x.dim(last) * inner;
  if (width * static_cast<std::int64_t>(sizeof(T)) < kLeastBytes || out.num_elements() == 0) return false;
  const std::int64_t first = before[static_cast<std::size_t>(last)] * inner;
  T* y = out.mutable_data<T>();
  c.parallel_for(out.num_elements() / width, copy_cost<T> * static_cast<double>(width) + 10,
                 [&](std::int64_t begin, std::int64_t end) {
                   PolledSteps polled;
                   for (std::int64_t row = begin; row < end; ++row, polled.step()) {
                     T* to = y + row * width;
                     // The row of x, if it is one.
                     std::int64_t rest = row, from = 0, stride = 1;
                     bool inside = true;
                     for (int i = last - 1; i >= 0; --i) {
                       const std::int64_t at = rest % shape[i] - before[static_cast<std::size_t>(i)];
                       inside = inside && at >= 0 && at < x.dim(i);
                       from += at * stride;
                       stride *= x.dim(i);
                       rest /= shape[i];
                     }
                     if (!inside) {
                       fill_run(to, width, value);
                       continue;
                     }
                     fill_run(to, first, value);
                     std::copy_n(x.data<T>() + from * n, n, to + first);
                     fill_run(to + first + n, width - first - n, value);
                   }
                 });
  return true;
}

void pad(KernelContext& c) {
  const Tensor& x = c.input(0);
  const Tensor& paddings = c.input(1);
  check_paddings(x, paddings, " ");
  if (c.num_inputs() > 2 && c.input(2).rank() != 0)
    invalid_argument("constant_values must be a scalar. Found: ", c.input(2).shape().text());
  Shape shape = x.shape();
  Dims before;
  bool same = true;
  for (int i = 0; i < x.rank(); ++i) {
    std::int64_t b = paddings.int_at(2 * i), a = paddings.int_at(2 * i + 1);
    if (b < 0 || a < 0) invalid_argument("Paddings must be non-negative: ", b, " ", a);
    if (__builtin_add_overflow(shape[i], b, &shape[i]) || __builtin_add_overflow(shape[i], a, &shape[i]))
      invalid_argument("The padded dimension ", i, " is too large.");
    before.push_back(b);
    same = same && a == 0 && b == 0;
  }
  if (same) return c.set_output(0, c.take_input(0));
  Tensor out(x.dtype(), shape);
  with_element(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T zero{};
    const T& value = c.num_inputs() > 2 ? *c.input(2).data<T>() : zero;
    if (!pad_rows(c, x, before, value, out)) pad_around(c, x, before, value, out);
  });
  c.set_output(0, std::move(out));
}

void grad_pad(GradContext& c) {
  const Operand& paddings = c.input(1);
  Operand shape = build::shape_of(c.input(0));
  Operand n = build::shape_of(shape);
  Operand pair[] = {n, build::ints({1})};
  Operand size = emit_all("Pack", pair)[0];
  Operand args[] = {paddings, build::cast(build::ints({0, 0}), paddings.dtype()),
                    build::cast(build::reshape(size, build::ints({-1})), paddings.dtype())};
  Operand before = build::reshape(emit_all("Slice", args)[0], build::ints({-1}));
  c.to_input(0, emit1("Slice", {c.dy(0), before, build::cast(shape, paddings.dtype())}));
}

// The input index for each index of one padded dimension.
std::vector<std::int64_t> mirrored(std::int64_t n, std::int64_t before, std::int64_t after, bool reflect) {
  std::vector<std::int64_t> from;
  std::int64_t skip = reflect ? 1 : 0;
  PolledSteps polled(4096);
  auto add = [&](std::int64_t i) {
    polled.step();
    from.push_back(i);
  };
  for (std::int64_t i = before; i > 0; --i) add(i - 1 + skip);
  for (std::int64_t i = 0; i < n; ++i) add(i);
  for (std::int64_t i = 0; i < after; ++i) add(n - 1 - skip - i);
  return from;
}

bool reflects(const KernelContext& c) { return c.attr("mode").s() == "REFLECT"; }

// Whether `inner` has enough elements for the paddings around it.
void check_mirrored(const KernelContext& c, const Shape& inner, const Tensor& paddings) {
  bool reflect = reflects(c);
  for (int i = 0; i < inner.rank(); ++i) {
    std::int64_t before = paddings.int_at(2 * i), after = paddings.int_at(2 * i + 1);
    if (before < 0 || after < 0) invalid_argument("paddings must be non-negative: ", before, " ", after);
    if (reflect && (before >= inner[i] || after >= inner[i]) && (before > 0 || after > 0))
      invalid_argument("paddings must be less than the dimension size: ", before, ", ", after, " not less than ",
                       inner[i]);
    if (!reflect && (before > inner[i] || after > inner[i]))
      invalid_argument("paddings must be no greater than the dimension size: ", before, ", ", after, " greater than ",
                       inner[i]);
  }
}

// For each dimension of `inner`, the map of the dimension padded around it.
std::vector<std::vector<std::int64_t>> mirror_maps(const KernelContext& c, const Shape& inner, const Tensor& paddings) {
  std::vector<std::vector<std::int64_t>> maps;
  for (int i = 0; i < inner.rank(); ++i)
    maps.push_back(mirrored(inner[i], paddings.int_at(2 * i), paddings.int_at(2 * i + 1), reflects(c)));
  return maps;
}

// Calls f(index in the padded tensor, index in the inner one) for all elements of the padded one, in order.
template <typename F>
void for_each_mirrored(const std::vector<std::vector<std::int64_t>>& maps, const Shape& inner, F&& f) {
  std::int64_t n = 1;
  for (auto& m : maps) n *= static_cast<std::int64_t>(m.size());
  View view = View::whole(inner);
  in_slices(n, 5 + 10 * static_cast<double>(maps.size()), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      std::int64_t rest = k, at = 0;
      for (std::size_t i = maps.size(); i-- > 0;) {
        std::int64_t size = static_cast<std::int64_t>(maps[i].size());
        at += maps[i][static_cast<std::size_t>(rest % size)] * view.strides[i];
        rest /= size;
      }
      f(k, at);
    }
  });
}

void check_mirror_pad(const KernelContext& c) {
  check_paddings(c.input(0), c.input(1), ", ");
  check_mirrored(c, c.input(0).shape(), c.input(1));
}

// Row by row of the last dimension: its own elements are copied in one piece between those in mirror order.
void mirror_pad(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor& out = c.output(0);
  if (out.num_elements() == 0) return;
  auto maps = mirror_maps(c, x.shape(), c.input(1));
  const View view = View::whole(x.shape());
  const int last = x.rank() - 1;
  const std::int64_t width = last < 0 ? 1 : out.dim(last), n = last < 0 ? 1 : x.dim(last);
  const std::int64_t before = last < 0 ? 0 : c.input(1).int_at(2 * last);
  with_element(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    const double cost = copy_cost<T> * static_cast<double>(width) + 5;
    c.parallel_for(out.num_elements() / width, cost, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        std::int64_t rest = row, at = 0;
        for (int i = last - 1; i >= 0; --i) {
          const auto& map = maps[static_cast<std::size_t>(i)];
          const auto size = static_cast<std::int64_t>(map.size());
          at += map[static_cast<std::size_t>(rest % size)] * view.strides[static_cast<std::size_t>(i)];
          rest /= size;
        }
        const T* from = x.data<T>() + at;
        T* to = out.mutable_data<T>() + row * width;
        auto mirror = [&](std::int64_t first, std::int64_t stop) {
          for (std::int64_t j = first; j < stop; ++j)
            to[j] = from[maps[static_cast<std::size_t>(last)][static_cast<std::size_t>(j)]];
        };
        if (last >= 0) mirror(0, before);
        std::copy_n(from, n, to + before);
        if (last >= 0) mirror(before + n, width);
      }
    });
  });
}

void check_mirror_pad_grad(const KernelContext& c) {
  const Tensor& dy = c.input(0);
  const Tensor& paddings = c.input(1);
  check_paddings(dy, paddings, ", ");
  Shape inner = dy.shape();
  for (int i = 0; i < inner.rank(); ++i) {
    std::int64_t sum;
    if (__builtin_add_overflow(paddings.int_at(2 * i), paddings.int_at(2 * i + 1), &sum) || sum > inner[i])
      invalid_argument("Total paddings must be no greater than the input dimension size: ", sum,
                       " not no greater than ", inner[i]);
    inner[i] -= sum;
  }
  check_mirrored(c, inner, paddings);
}

// Each element of the inner tensor gets the sum over all its copies.
void mirror_pad_grad(KernelContext& c) {
  const Tensor& dy = c.input(0);
  Tensor& out = c.output(0);
  const Shape& inner = out.shape();
  auto maps = mirror_maps(c, inner, c.input(1));
  out.fill_zeros();
  auto add = [&]<typename T>(std::type_identity<T>) {
    for_each_mirrored(maps, inner, [&](std::int64_t from, std::int64_t to) {
      T& sum = out.mutable_data<T>()[to];
      sum = add_elements(sum, dy.data<T>()[from]);
    });
  };
  with_any_number(dy.dtype(), add);
}

OpRecord mirror(std::string_view name, std::string_view doc) {
  return {.name = name,
          .inputs = {"input: T", "paddings: Tpaddings"},
          .outputs = {"output: T"},
          .attrs = {"T: type", "Tpaddings: {int32, int64} = DT_INT32", "mode: {'REFLECT', 'SYMMETRIC'}"},
          .doc = doc};
}

}  // namespace

void register_pad(Registry& r) {
  r.add({.name = "Pad",
         .inputs = {"input: T", "paddings: Tpaddings"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "Tpaddings: {int32, int64} = DT_INT32"},
         .facts = {.moves = "T"},
         .doc = "The tensor padded with zeros: paddings[i, 0] before and paddings[i, 1] after it along dimension i.",
         .infer = infer_pad,
         .kernel = pad,
         .allocation = Allocation::kShared,
         .grad = grad_pad});
  r.add({.name = "PadV2",
         .inputs = {"input: T", "paddings: Tpaddings", "constant_values: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type", "Tpaddings: {int32, int64} = DT_INT32"},
         .facts = {.moves = "T"},
         .doc = "The tensor padded with the scalar constant_values instead of the zeros of Pad.",
         .infer = infer_pad,
         .kernel = pad,
         .allocation = Allocation::kShared,
         .grad = grad_pad});
  OpRecord record = mirror(
      "MirrorPad",
      "The tensor padded with its own elements in mirror order. Mode SYMMETRIC repeats the border, REFLECT does not.");
  record.infer = infer_pad;
  record.check = check_mirror_pad;
  record.kernel = mirror_pad;
  record.grad = [](GradContext& c) {
    c.to_input(0, emit1("MirrorPadGrad", {c.dy(0), c.input(1)}, {{"mode", c.attr("mode")}}));
  };
  r.add(record);
  record = mirror("MirrorPadGrad",
                  "The gradient of MirrorPad: each padded element is added to the element that it mirrors.");
  record.infer = infer_unpad;
  record.check = check_mirror_pad_grad;
  record.kernel = mirror_pad_grad;
  record.grad = [](GradContext& c) {
    c.to_input(0, emit1("MirrorPad", {c.dy(0), c.input(1)}, {{"mode", c.attr("mode")}}));
  };
  r.add(record);
}

}  // namespace tracefn
