// Records a part's steps and caches its code.
#include "exec/fusion/group_part.h"

#include <cstring>
#include <string_view>

#include "jit/vector/lane.h"
#include "ops/kernel_table.h"

namespace tracefn {

using vector_code::Id;
using vector_code::LaneOp;
using vector_code::LaneProgram;
using vector_code::VectorCode;

GroupPart::GroupPart(vector_code::LaneWidth width, std::vector<Argument> arguments, std::vector<Operation> steps,
                     std::vector<Result> results)
    : width_(width), arguments_(std::move(arguments)), steps_(std::move(steps)), results_(std::move(results)) {
  for (const Result& result : results_) arguments_.push_back(result.to);
}

std::optional<vector_code::Isa> GroupPart::isa() {
  using vector_code::Isa;
  const std::string_view kernels = kernel_isa();
  if (kernels == "v4" && VectorCode::is_possible(Isa::kAvx512)) return Isa::kAvx512;
  if (kernels_multiply_add() && VectorCode::is_possible(Isa::kAvx2)) return Isa::kAvx2;
  return std::nullopt;
}

LaneProgram GroupPart::program() const {
  LaneProgram program(width_);
  vector_code::Recording recording(program);
  std::vector<Id> values;
  const std::size_t num_read = arguments_.size() - results_.size();
  for (std::size_t k = 0; k < num_read; ++k) {
    const Argument& operand = arguments_[k];
    const bool is_mask = operand.dtype == DType::kBool;
    std::uint64_t bits = k;
    if (operand.constant) {
      bits = 0;
      std::memcpy(&bits, operand.constant->raw(), size_of(operand.dtype));
    }
    const LaneOp op = operand.constant ? (is_mask ? LaneOp::kMaskConstant : LaneOp::kConstant)
                                       : (is_mask ? LaneOp::kMaskSource : LaneOp::kSource);
    values.push_back(program.add(op, 0, 0, 0, bits));
  }
  for (const Operation& step : steps_) {
    Id in[3];
    for (int k = 0; k < 3; ++k) in[k] = values[step.in[k]];
    values.push_back(step.function(in));
  }
  std::vector<LaneProgram::Store> stores;
  for (std::size_t j = 0; j < results_.size(); ++j)
    stores.push_back({values[num_read + results_[j].step], num_read + j});
  program.finish(stores);
  return program;
}

const VectorCode* GroupPart::code(std::uint64_t scalars, bool overlaps) const {
  const std::optional<vector_code::Isa> target = isa();
  overlaps = overlaps && target == vector_code::Isa::kAvx2;
  auto find = [&]() -> const Variant* {
    const std::size_t known = num_variants_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < known; ++i)
      if (variants_[i].scalars == scalars && variants_[i].overlaps == overlaps) return &variants_[i];
    return nullptr;
  };
  if (const Variant* variant = find()) return variant->code.get();
  // Others run without code meanwhile; so does a child after a fork that happened here.
  std::unique_lock lock(translating_, std::try_to_lock);
  if (!lock) return nullptr;
  if (const Variant* variant = find()) return variant->code.get();
  const std::size_t next = num_variants_.load(std::memory_order_relaxed);
  if (next == kMostVariants) return nullptr;
  variants_[next] = {scalars, overlaps,
                     target ? VectorCode::translate(program(), scalars, *target, overlaps) : nullptr};
  num_variants_.store(next + 1, std::memory_order_release);
  return variants_[next].code.get();
}

}  // namespace tracefn
