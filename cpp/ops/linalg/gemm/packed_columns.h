// The packed columns of B that the threads working on a product share: each part is packed by the thread that comes
// first, as soon as one needs its block.
#pragma once

#include <atomic>
#include <memory>

#include "ops/linalg/gemm/gemm.h"
#include "tensor/buffer.h"

namespace tracefn {

inline std::int64_t rounded_up(std::int64_t n, std::int64_t step) { return (n + step - 1) / step * step; }

class PackedColumns {
 public:
  // Columns [column, column + columns) of B, for steps [step, step + depth).
  PackedColumns(const Gemm& g, const GemmKernel& kernel, std::int64_t column, std::int64_t columns, std::int64_t step,
                std::int64_t depth);

  // Blocks of gemm_depth() steps; the last may be shorter.
  std::int64_t blocks() const { return blocks_; }
  std::int64_t depth_of(std::int64_t block) const { return std::min(block_depth_, depth_ - block * block_depth_); }
  // The panels of a block, packed: by this thread, and others that need them at the same time. Waits only for threads
  // that are packing.
  const char* block(std::int64_t block);

 private:
  struct alignas(64) Progress {
    std::atomic<std::int64_t> next{0}, ready{0};  // parts of a block
  };
  void pack(std::int64_t block, std::int64_t part);

  const Gemm& g_;
  const GemmKernel& kernel_;
  const std::int64_t column_, columns_, step_, depth_;
  const std::int64_t size_, block_depth_, blocks_, part_columns_, parts_, block_bytes_;
  std::unique_ptr<Progress[]> progress_;
  Ref<Buffer> panels_;
};

// Bytes of an element of the panels and of C.
std::int64_t gemm_size(DType dtype);
// Rows of A or columns of B as panels.
void pack_operand(const GemmOperand& operand, DType dtype, GemmPack pack, std::int64_t row, std::int64_t rows,
                  std::int64_t step, std::int64_t depth, void* panels);

}  // namespace tracefn
