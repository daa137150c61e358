// Cross: products of vectors of three numbers.
#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/linalg/linalg_families.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

void infer_cross(InferContext& c) {
  c.require_rank_at_least(0, 1);
  c.require_rank_at_least(1, 1);
  Shape both = merge_or_explain(c.shape(0), c.shape(1));
  for (const Shape* s : {&c.shape(0), &c.shape(1)})
    if (s->has_rank() && (*s)[s->rank() - 1] >= 0 && (*s)[s->rank() - 1] != 3)
      invalid_argument("Dimension must be 3 but is ", (*s)[s->rank() - 1]);
  c.set_output(0, std::move(both));
}

void check_cross(const KernelContext& c) {
  const Shape &a = c.input(0).shape(), &b = c.input(1).shape();
  if (!(a == b)) invalid_argument("Both inputs must be of same shape: ", a.text(), " vs. ", b.text());
  if (a.rank() < 1) invalid_argument("Input must be at least 1D", a.text());
  if (a[a.rank() - 1] != 3)
    fail(ErrorKind::kFailedPrecondition, "Cross-products are only defined for 3-element vectors.");
}

// Integers wrap around.
template <typename T>
T cross_element(T a, T b, T c, T d) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    auto wide = [](T x) { return static_cast<std::uint64_t>(static_cast<U>(x)); };
    return static_cast<T>(static_cast<U>(wide(a) * wide(b) - wide(c) * wide(d)));
  } else {
    return static_cast<T>(compute_value(a) * compute_value(b) - compute_value(c) * compute_value(d));
  }
}

void cross(KernelContext& c) {
  Tensor& out = c.output(0);
  with_number(out.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T *a = c.input(0).data<T>(), *b = c.input(1).data<T>();
    T* to = out.mutable_data<T>();
    c.parallel_for(out.num_elements() / 3, 3, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = 3 * begin; i < 3 * end; i += 3) {
        to[i] = cross_element(a[i + 1], b[i + 2], a[i + 2], b[i + 1]);
        to[i + 1] = cross_element(a[i + 2], b[i], a[i], b[i + 2]);
        to[i + 2] = cross_element(a[i], b[i + 1], a[i + 1], b[i]);
      }
    });
  });
}

}  // namespace

void register_cross(Registry& r) {
  r.add({.name = "Cross",
         .python = "linalg.cross(a, b)",
         .inputs = {"a: T", "b: T"},
         .outputs = {"product: T"},
         .attrs = {"T: " TRACEFN_REAL_NUMBERS},
         .doc = "The cross products of vectors of three numbers, which the last dimensions of a and b hold.",
         .infer = infer_cross,
         .check = check_cross,
         .kernel = cross,
         .grad = [](GradContext& c) {
           c.to_input(0, emit1("Cross", {c.input(1), c.dy(0)}));
           c.to_input(1, emit1("Cross", {c.dy(0), c.input(0)}));
         }});
}

}  // namespace tracefn
