// Kernels of select, clipping and approximate comparison.
#include "ops/elementwise/loops.kernels.h"

namespace tracefn {

using namespace functions;

namespace {

template <typename T>
void fill_select_of(BlockRow& row, std::initializer_list<DType> dtypes) {
  for (DType d : dtypes) row[slot(d)] = ternary_loop<Select, std::uint8_t, T, T>;
}

}  // namespace

void fill_select(BlockRow* rows) {
  fill_rows(rows, SelectFunctions{});
  BlockRow& select = row_of<Select>(rows);
  fill_select_of<std::uint8_t>(select, {DType::kBool, DType::kInt8, DType::kUInt8});
  fill_select_of<std::uint16_t>(select, {DType::kHalf, DType::kBFloat16, DType::kInt16, DType::kUInt16});
  fill_select_of<std::uint32_t>(select, {DType::kFloat, DType::kInt32, DType::kUInt32});
  fill_select_of<std::uint64_t>(select, {DType::kDouble, DType::kInt64, DType::kUInt64, DType::kComplex64});
  fill_select_of<Complex128>(select, {DType::kComplex128});
}

}  // namespace tracefn
