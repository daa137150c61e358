// The part of the kernel table that copies elements which are not next to each other.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace tracefn {

// By `loops` nested loops of these sizes, outermost first, with a stride in elements for each. Nothing overlaps.
using StridedCopy = void (*)(const void* from, const std::int64_t* strides, void* to, const std::int64_t* to_strides,
                             const std::int64_t* sizes, std::size_t loops);

struct CopyKernels {
  StridedCopy strided[5];  // by copy_slot()
};

// Of elements of 1, 2, 4, 8 or 16 bytes.
constexpr std::size_t copy_slot(std::int64_t bytes) {
  return static_cast<std::size_t>(std::countr_zero(static_cast<std::uint64_t>(bytes)));
}

void fill_copies(CopyKernels& kernels);

}  // namespace tracefn
