// Copies, runs, compares bits.
#include "exec/loop_check.h"

#include <cmath>
#include <cstring>

#include "ops/list/tensor_list.h"

namespace tracefn {
namespace {

// NaNs are alike, whatever their bits: which operand's a result has is the compiler's choice.
template <typename T>
bool same_numbers(const Tensor& a, const Tensor& b) {
  const auto n = static_cast<std::int64_t>(a.bytes() / sizeof(T));
  for (std::int64_t i = 0; i < n; ++i) {
    const T x = a.data<T>()[i], y = b.data<T>()[i];
    if (std::memcmp(&x, &y, sizeof x) != 0 && !(std::isnan(static_cast<float>(x)) && std::isnan(static_cast<float>(y))))
      return false;
  }
  return true;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined();
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.dtype() == DType::kVariant && a.rank() == 0) {
    const auto* these = dynamic_cast<const TensorList*>(a.object().get());
    const auto* those = dynamic_cast<const TensorList*>(b.object().get());
    if (!these || !those) return true;  // handed on
    if (these->size() != those->size()) return false;
    for (std::int64_t i = 0; i < these->size(); ++i) {
      const Tensor x = these->element(i), y = those->element(i);
      if (x.defined() && y.defined() && !same_bits(x, y)) return false;
    }
    return true;
  }
  if (!is_plain(a.dtype())) return true;  // handed on
  switch (a.dtype()) {
    case DType::kFloat:
    case DType::kComplex64:
      return same_numbers<float>(a, b);
    case DType::kDouble:
    case DType::kComplex128:
      return same_numbers<double>(a, b);
    case DType::kHalf:
      return same_numbers<Half>(a, b);
    case DType::kBFloat16:
      return same_numbers<BFloat16>(a, b);
    default:
      return std::memcmp(a.raw(), b.raw(), a.bytes()) == 0;
  }
}

}  // namespace

LoopCheck::LoopCheck(const InstructionRunner& loop, std::span<const TensorRef> inputs, std::size_t num_outputs,
                     ShardRunner& shards)
    : outputs_(num_outputs) {
  std::vector<TensorRef> borrowed_inputs;
  for (const TensorRef& input : inputs) borrowed_inputs.push_back({input.tensor, false});
  const Node* failed = nullptr;
  try {
    ran_ = loop.run(borrowed_inputs, outputs_, shards, failed);
  } catch (const Error& e) {
    if (e.cause()) throw;  // a signal handler's exception ends the run
    ran_ = true;
    error_ = e;
  }
}

void LoopCheck::compare(std::span<const Tensor> outputs, std::string_view what) const {
  if (!ran_) return;
  if (error_) fail(ErrorKind::kInternal, "Compiled, ", what, " fails: ", error_->message());
  for (std::size_t j = 0; j < outputs.size(); ++j)
    if (outputs_[j].defined() && !same_bits(outputs_[j], outputs[j]))
      fail(ErrorKind::kInternal, "Compiled, ", what, " has another output ", j, " than op by op.");
}

void LoopCheck::compare(const Error& error, std::string_view what) const {
  if (ran_ && !error.cause() && !(error_ && error_->kind() == error.kind()))
    fail(ErrorKind::kInternal, "Op by op, ", what, " fails, and compiled it does not: ", error.message());
}

}  // namespace tracefn
