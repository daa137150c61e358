// Rounds blocks and hands them on.
#include "ops/linalg/gemm/product_result.h"

#include "ops/elementwise/as_float.h"
#include "ops/kernel_table.h"

namespace tracefn {

ProductResult::ProductResult(KernelContext& c, Tensor& out, bool by_blocks)
    : out_(out),
      by_blocks_(by_blocks),
      next_(by_blocks ? c.take_finisher() : nullptr),
      wide_(wide_output(out)),
      size_(static_cast<std::int64_t>(size_of(wide_.dtype()))),
      narrow_(wide_.dtype() == out.dtype() ? nullptr : kernel_table().array.narrow[slot(out.dtype())]) {}

void ProductResult::finish(std::int64_t at, std::int64_t rows, std::int64_t columns, std::int64_t stride) {
  if (!by_blocks_) return;
  if (columns == stride) {
    columns *= rows;
    rows = 1;
  }
  if (narrow_) {
    const auto size = static_cast<std::int64_t>(size_of(out_.dtype()));
    for (std::int64_t i = 0; i < rows; ++i)
      narrow_(wide_.data<float>() + at + i * stride, out_.mutable_data<char>() + (at + i * stride) * size, columns);
  }
  if (next_) next_->finish(at, rows, columns, stride);
}

void ProductResult::complete() {
  if (!by_blocks_) round_output(wide_, out_);
}

void ProductPart::set(Gemm& g) const {
  g.c = result.sums(first);
  g.ldc = stride;
  if (!result.by_blocks_ || !(result.next_ || result.narrow_)) return;
  g.finish = {this, [](const void* context, std::int64_t row, std::int64_t column, std::int64_t rows,
                       std::int64_t columns, void*, std::int64_t) {
                const auto& part = *static_cast<const ProductPart*>(context);
                part.result.finish(part.first + row * part.stride + column, rows, columns, part.stride);
              }};
}

}  // namespace tracefn
