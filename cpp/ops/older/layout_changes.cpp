// InplaceAdd, InplaceSub and InplaceUpdate of rows; DataFormatDimMap and DataFormatVecPermute between orders of
// dimensions.
#include <cstring>

#include "ops/array/array_families.h"
#include "ops/older/older_families.h"
#include "ops/registry.h"
#include "ops/typed.h"
#include "ops/without_gradient.h"

namespace tracefn {
namespace {

enum class RowChange : std::uint8_t { kAdd, kSub, kSet };

void check_rows(const Tensor& x, const Tensor& rows, const Tensor& v) {
  if (rows.rank() != 1) invalid_argument("i must be a vector. ", rows.shape().text());
  if (x.rank() != v.rank())
    invalid_argument("x and v shape doesn't match (ranks differ): ", x.shape().text(), " vs. ", v.shape().text());
  if (x.rank() == 0) invalid_argument("x must have at least one dimension: ", x.shape().text());
  for (int k = 1; k < x.rank(); ++k)
    if (x.dim(k) != v.dim(k))
      invalid_argument("x and v shape doesn't match at index ", k, " : ", x.shape().text(), " vs. ", v.shape().text());
  if (rows.dim(0) != v.dim(0))
    invalid_argument("i and x shape doesn't match at index 0: ", rows.shape().text(), " vs. ", v.shape().text());
}

// Row numbers count modulo the number of rows. The input itself is not changed.
template <RowChange how>
void change_rows(KernelContext& c) {
  const Tensor &x = c.input(0), &rows = c.input(1), &v = c.input(2);
  check_rows(x, rows, v);
  Tensor y = x.copy();
  const std::int64_t n = x.dim(0), width = n > 0 ? x.num_elements() / n : 0;
  if (rows.num_elements() > 0 && n == 0) invalid_argument("x has no rows: ", x.shape().text());
  auto each_row = [&]<typename T>(auto&& change, std::type_identity<T>) {
    T* to = y.mutable_data<T>();
    for (std::int64_t i = 0; i < rows.num_elements(); ++i) {
      const std::int64_t row = (rows.int_at(i) % n + n) % n;
      for (std::int64_t j = 0; j < width; ++j) change(to[row * width + j], v.data<T>()[i * width + j]);
    }
  };
  if constexpr (how == RowChange::kSet) {
    with_element(x.dtype(), [&]<typename T>(std::type_identity<T> type) {
      each_row([](T& to, const T& from) { to = from; }, type);
    });
  } else {
    if (x.dtype() == DType::kBool || x.dtype() == DType::kString || size_of(x.dtype()) == 0)
      invalid_argument("Unsupported data type: ", runtime_name(x.dtype()));
    with_any_number(x.dtype(), [&]<typename T>(std::type_identity<T> type) {
      each_row(
          [](T& to, const T& from) {
            const auto a = compute_value(to), b = compute_value(from);
            to = static_cast<T>(how == RowChange::kAdd ? a + b : a - b);
          },
          type);
    });
  }
  c.set_output(0, std::move(y));
}

// The letters of two orders of dimensions.
struct Formats {
  std::string from, to;

  explicit Formats(const KernelContext& c) : from(c.attr("src_format").s()), to(c.attr("dst_format").s()) {
    check_length("Source", "src_format", from);
    check_length("Destination", "dst_format", to);
    bool permutes = from.size() == to.size();
    for (std::size_t i = 0; i < from.size() && permutes; ++i)
      permutes = to.find(from[i]) != std::string::npos && from.find(from[i]) == i && to.find(to[i]) == i;
    if (!permutes)
      invalid_argument("Destination and source format must determine a permutation, got ", from, " and ", to);
  }

  static void check_length(std::string_view what, std::string_view attr, const std::string& format) {
    if (format.size() != 4 && format.size() != 5)
      invalid_argument(what, " format must be of length 4 or 5, received ", attr, " = ", format);
  }
  // Keeps the letters of the spatial dimensions alone.
  void keep_spatial() {
    for (std::string* format : {&from, &to})
      std::erase_if(*format, [](char letter) { return letter == 'N' || letter == 'C'; });
  }
};

void map_dimensions(KernelContext& c) {
  const Formats formats(c);
  const Tensor& x = c.input(0);
  const auto size = static_cast<std::int64_t>(formats.from.size());
  auto mapped = [&](std::int64_t i) {
    // Numbers far below zero are the last dimension, as in TensorFlow.
    const std::int64_t rest = (i + size) % size, place = rest < 0 ? size - 1 : rest;
    return static_cast<std::int64_t>(formats.to.find(formats.from[static_cast<std::size_t>(place)]));
  };
  with_integer(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    T* y = c.output(0).mutable_data<T>();
    for (std::int64_t i = 0; i < x.num_elements(); ++i) y[i] = static_cast<T>(mapped(x.int_at(i)));
  });
}

void permute(KernelContext& c) {
  Formats formats(c);
  const Tensor& x = c.input(0);
  const auto all = static_cast<std::int64_t>(formats.from.size());
  if (x.rank() != 1 && x.rank() != 2)
    invalid_argument("input must be a vector or 2D tensor, but got shape ", x.shape().text());
  if (x.dim(0) != all && x.dim(0) != all - 2) {
    if (x.rank() == 1)
      invalid_argument("1D input must be of size ", all - 2, " or ", all, ", but got shape ", x.shape().text());
    invalid_argument("First dimension of 2D input must be of size ", all - 2, " or ", all, ", but got shape ",
                     x.shape().text());
  }
  if (x.rank() == 2 && x.dim(1) != 2)
    invalid_argument("Second dimension of 2D input must be of size 2, but got shape ", x.shape().text());
  if (x.dim(0) == all - 2) formats.keep_spatial();
  const std::int64_t width = x.rank() == 2 ? 2 : 1;
  with_integer(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    T* y = c.output(0).mutable_data<T>();
    for (std::size_t i = 0; i < formats.to.size(); ++i)
      std::copy_n(x.data<T>() + static_cast<std::int64_t>(formats.from.find(formats.to[i])) * width, width,
                  y + static_cast<std::int64_t>(i) * width);
  });
}

void add_change(Registry& r, std::string_view name, KernelFn kernel, std::string_view doc) {
  r.add({.name = name,
         .inputs = {"x: T", "i: int32", "v: T"},
         .outputs = {"y: T"},
         .attrs = {"T: type"},
         .doc = doc,
         .infer = infer::same_as_first,
         .kernel = kernel,
         .allocation = Allocation::kShared,
         .grad = without_gradient});
}

}  // namespace

void register_layout_changes(Registry& r) {
  add_change(r, "InplaceAdd", change_rows<RowChange::kAdd>,
             "x with v added to the rows i, counted modulo their number. x itself stays as it is.");
  add_change(r, "InplaceSub", change_rows<RowChange::kSub>,
             "x with v subtracted from the rows i, counted modulo their number. x itself stays as it is.");
  add_change(r, "InplaceUpdate", change_rows<RowChange::kSet>,
             "x with v in place of the rows i, counted modulo their number. x itself stays as it is.");
  r.add({.name = "DataFormatDimMap",
         .inputs = {"x: T"},
         .outputs = {"y: T"},
         .attrs = {"T: {int32, int64} = DT_INT32", "src_format: string = 'NHWC'", "dst_format: string = 'NCHW'"},
         .doc = "Numbers of dimensions in one format as those in another. Negative ones count from the end.",
         .infer = infer::same_as_first,
         .kernel = map_dimensions,
         .grad = not_differentiable});
  r.add({.name = "DataFormatVecPermute",
         .inputs = {"x: T"},
         .outputs = {"y: T"},
         .attrs = {"T: {int32, int64} = DT_INT32", "src_format: string = 'NHWC'", "dst_format: string = 'NCHW'"},
         .doc = "A value (or pair of values) for each dimension, or for each spatial one, in the order of another "
                "format.",
         .infer = infer::same_as_first,
         .kernel = permute,
         .grad = not_differentiable});
}

}  // namespace tracefn
