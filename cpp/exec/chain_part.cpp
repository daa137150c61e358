// Records a part's steps and caches its code.
#include "exec/chain_part.h"

#include <cstring>

#include "exec/vector_code/lane.h"

namespace tracefn {

using vector_code::Id;
using vector_code::Op;
using vector_code::Program;
using vector_code::VectorCode;

ChainPart::ChainPart(vector_code::Width width, std::vector<Operand> operands, std::vector<Step> steps,
                     std::vector<Result> results)
    : width_(width), operands_(std::move(operands)), steps_(std::move(steps)), results_(std::move(results)) {
  for (const Result& result : results_) operands_.push_back(result.to);
}

Program ChainPart::program() const {
  Program program(width_);
  vector_code::Recording recording(program);
  std::vector<Id> values;
  const std::size_t num_read = operands_.size() - results_.size();
  for (std::size_t k = 0; k < num_read; ++k) {
    const Operand& operand = operands_[k];
    const bool is_mask = operand.dtype == DType::kBool;
    std::uint64_t bits = k;
    if (operand.constant) {
      bits = 0;
      std::memcpy(&bits, operand.constant->raw(), size_of(operand.dtype));
    }
    const Op op =
        operand.constant ? (is_mask ? Op::kMaskConstant : Op::kConstant) : (is_mask ? Op::kMaskSource : Op::kSource);
    values.push_back(program.add(op, 0, 0, 0, bits));
  }
  for (const Step& step : steps_) {
    Id in[3];
    for (int k = 0; k < 3; ++k) in[k] = values[step.in[k]];
    values.push_back(step.function(in));
  }
  std::vector<Program::Store> stores;
  for (std::size_t j = 0; j < results_.size(); ++j)
    stores.push_back({values[num_read + results_[j].step], num_read + j});
  program.finish(stores);
  return program;
}

const VectorCode* ChainPart::code(std::uint64_t scalars) const {
  auto find = [&]() -> const Variant* {
    const std::size_t known = num_variants_.load(std::memory_order_acquire);
    for (std::size_t i = 0; i < known; ++i)
      if (variants_[i].scalars == scalars) return &variants_[i];
    return nullptr;
  };
  if (const Variant* variant = find()) return variant->code.get();
  // Others run without code meanwhile; so does a child after a fork that happened here.
  std::unique_lock lock(translating_, std::try_to_lock);
  if (!lock) return nullptr;
  if (const Variant* variant = find()) return variant->code.get();
  const std::size_t next = num_variants_.load(std::memory_order_relaxed);
  if (next == kMostVariants) return nullptr;
  variants_[next] = {scalars, VectorCode::translate(program(), scalars)};
  num_variants_.store(next + 1, std::memory_order_release);
  return variants_[next].code.get();
}

}  // namespace tracefn
