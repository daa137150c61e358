// Packing on demand.
#include "ops/linalg/gemm/packed_columns.h"

#include <thread>

namespace tracefn {
namespace {

// A part is long enough to read memory well, and short enough to wait for.
constexpr std::int64_t kPartColumns = 96;

}  // namespace

std::int64_t gemm_size(DType dtype) { return dtype == DType::kDouble ? 8 : 4; }

void pack_operand(const GemmOperand& operand, DType dtype, GemmPack pack, std::int64_t row, std::int64_t rows,
                  std::int64_t step, std::int64_t depth, void* panels) {
  if (operand.packer.pack) return operand.packer.pack(operand.packer.context, row, rows, step, depth, panels);
  const GemmMatrix& x = operand.matrix;
  const auto* data = static_cast<const char*>(x.data);
  const std::int64_t offset = row * x.row + step * x.step;
  pack({data + offset * static_cast<std::int64_t>(size_of(dtype)), x.row, x.step}, rows, depth, panels);
}

PackedColumns::PackedColumns(const Gemm& g, const GemmKernel& kernel, std::int64_t column, std::int64_t columns,
                             std::int64_t step, std::int64_t depth)
    : g_(g),
      kernel_(kernel),
      column_(column),
      columns_(columns),
      step_(step),
      depth_(depth),
      size_(gemm_size(g.dtype)),
      block_depth_(gemm_depth(size_)),
      blocks_((depth + block_depth_ - 1) / block_depth_),
      part_columns_(rounded_up(kPartColumns, kernel.tile_columns)),
      parts_((columns + part_columns_ - 1) / part_columns_),
      block_bytes_(rounded_up(columns, kernel.tile_columns) * block_depth_ * size_),
      progress_(new Progress[static_cast<std::size_t>(blocks_)]),
      panels_(Buffer::allocate(DType::kUInt8, blocks_ * block_bytes_)) {}

void PackedColumns::pack(std::int64_t block, std::int64_t part) {
  const std::int64_t from = part * part_columns_, depth = depth_of(block);
  char* to = static_cast<char*>(panels_->data()) + block * block_bytes_ + from * depth * size_;
  pack_operand(g_.b, g_.dtype, kernel_.pack_b, column_ + from, std::min(part_columns_, columns_ - from),
               step_ + block * block_depth_, depth, to);
}

const char* PackedColumns::block(std::int64_t block) {
  Progress& progress = progress_[static_cast<std::size_t>(block)];
  if (progress.ready.load(std::memory_order_acquire) < parts_) {
    for (std::int64_t part; (part = progress.next.fetch_add(1, std::memory_order_relaxed)) < parts_;) {
      pack(block, part);
      progress.ready.fetch_add(1, std::memory_order_release);
    }
    while (progress.ready.load(std::memory_order_acquire) < parts_) std::this_thread::yield();
  }
  return static_cast<const char*>(panels_->data()) + block * block_bytes_;
}

}  // namespace tracefn
