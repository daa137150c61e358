// Lends arrays as tensors, and takes the results.
#include "exec/nest/array_call.h"

#include <algorithm>

#include "base/check.h"
#include "base/concat.h"
#include "exec/profile.h"
#include "exec/run_op.h"
#include "exec/thread_pool.h"
#include "ir/node_name.h"

namespace tracefn {

ArrayCall::ArrayCall(const Node& node, std::vector<Operand> operands, std::vector<Result> results, bool updates,
                     bool reuses)
    : node_(node), operands_(std::move(operands)), results_(std::move(results)), updates_(updates) {
  reuses_ = reuses && std::ranges::none_of(results_, [&](const Result& r) {
              return std::ranges::find(operands_, r.array, &Operand::array) != operands_.end();
            });
  has_handles_ = std::ranges::any_of(operands_, &Operand::is_handle);
  in_place_ = reuses_ && !updates_ && results_.size() == 1 && results_[0].shape.rank() > 0;
}

void ArrayCall::run(scalar::ScalarList* arrays, LongRun& run) const {
  SmallVector<Tensor, 4> copies;
  SmallVector<TensorRef, 4> inputs;
  std::int64_t bytes = lend(arrays, copies, inputs);
  if (in_place_) {
    scalar::ScalarList& to = arrays[results_[0].array];
    Tensor& out = to.memory();
    call_shown({inputs.data(), inputs.size()}, {&out, 1}, run.failed);
    settle(arrays, {inputs.data(), inputs.size()}, {&out, 1});
    copies.clear();
    check(results_[0], out);
    bytes += static_cast<std::int64_t>(out.bytes());
    to.put_in_memory();
  } else {
    SmallVector<Tensor, 2> outputs(results_.size());
    for (std::size_t j = updates_ ? 1 : 0; reuses_ && j < outputs.size(); ++j)
      if (arrays[results_[j].array].tensor()) outputs[j] = arrays[results_[j].array].taken();
    call_shown({inputs.data(), inputs.size()}, {outputs.data(), outputs.size()}, run.failed);
    settle(arrays, {inputs.data(), inputs.size()}, {outputs.data(), outputs.size()});
    copies.clear();
    for (std::size_t j = 0; j < results_.size(); ++j) {
      Tensor out = std::move(outputs[j]);
      check(results_[j], out);
      bytes += static_cast<std::int64_t>(out.bytes());
      if (out.rank() == 0) out = out.reshaped(Shape({1}));
      arrays[results_[j].array].put(std::move(out));
    }
  }
  for (std::size_t i = 0; has_handles_ && i < operands_.size(); ++i)
    if (!operands_[i].is_handle && !operands_[i].constant.defined()) arrays[operands_[i].array].check_owner();
  run.copied(bytes);
}

std::int64_t ArrayCall::lend(scalar::ScalarList* arrays, SmallVector<Tensor, 4>& copies,
                             SmallVector<TensorRef, 4>& inputs) const {
  std::int64_t bytes = 0;
  copies.reserve(operands_.size());  // they stay where they are
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    const Operand& operand = operands_[i];
    if (operand.constant.defined()) {
      inputs.push_back(borrowed(operand.constant));
      continue;
    }
    scalar::ScalarList& array = arrays[operand.array];
    if (operand.is_handle) {
      inputs.push_back(borrowed(array.held()));
      continue;
    }
    const bool taken = updates_ && i == 0;
    Tensor* tensor = taken ? nullptr : array.tensor();
    const bool known = operand.shape.is_fully_known();
    if (!tensor || (known && !(tensor->shape() == operand.shape))) {
      tensor = &copies.emplace_back(taken ? array.taken() : array.whole());
      if (known && !(tensor->shape() == operand.shape)) *tensor = tensor->reshaped(operand.shape);
    }
    bytes += static_cast<std::int64_t>(tensor->bytes());
    inputs.push_back({tensor, taken});
  }
  return bytes;
}

void ArrayCall::call_shown(std::span<TensorRef> inputs, std::span<Tensor> outputs, const Node*& failed) const {
  if (!profile::on()) return call(inputs, outputs, failed);
  profile::Span span(shown_name(node_.name), node_.op->name);
  call(inputs, outputs, failed);
  span.set_results(outputs);
}

// A result may be an operand's memory, which then is not that array's alone.
void ArrayCall::settle(scalar::ScalarList* arrays, std::span<const TensorRef> inputs,
                       std::span<const Tensor> outputs) const {
  for (const Tensor& out : outputs) {
    if (out.writable()) continue;
    for (std::size_t i = updates_ ? 1 : 0; i < inputs.size(); ++i)
      if (!operands_[i].constant.defined() && out.buffer().get() == inputs[i].tensor->buffer().get())
        arrays[operands_[i].array].disown();
  }
}

void ArrayCall::check(const Result& result, const Tensor& out) const {
  TRACEFN_CHECK(out.dtype() == result.dtype && result.shape.is_compatible_with(out.shape()));
}

double ArrayCall::expected_time() const {
  constexpr double kCall = 300, kElement = 0.5;
  double time = kCall;
  const auto add = [&](const Shape& shape) {
    time += kElement * static_cast<double>(shape.maybe_num_elements().value_or(0));
  };
  for (const Operand& operand : operands_) add(operand.shape);
  for (const Result& result : results_) add(result.shape);
  return time;
}

std::vector<std::uint32_t> ArrayCall::arrays() const {
  std::vector<std::uint32_t> all;
  for (const Operand& operand : operands_)
    if (!operand.constant.defined()) all.push_back(operand.array);
  for (const Result& result : results_) all.push_back(result.array);
  return all;
}

std::string ArrayCall::text(const ValueText&) const {
  std::string results, operands;
  for (const Result& r : results_) results += concat(results.empty() ? "" : ", ", "a", r.array);
  for (const Operand& o : operands_) {
    operands += operands.empty() ? "" : ", ";
    operands += o.constant.defined() ? std::string("a constant") : concat("a", o.array);
  }
  return concat(results, results.empty() ? "" : " = ", node_.op->name, "(", operands, ")");
}

KernelCall::KernelCall(const Node& node, std::vector<Operand> operands, std::vector<Result> results, bool updates,
                       std::uint64_t unread, std::vector<Shape> expected)
    : ArrayCall(node, std::move(operands), std::move(results), updates, !expected.empty()),
      op_(op_def(*node.op)),
      unread_(unread),
      expected_(std::move(expected)) {
  for (const Result& r : results_) dtypes_.push_back(r.dtype);
}

void KernelCall::call(std::span<TensorRef> inputs, std::span<Tensor> outputs, const Node*&) const {
  run_op(op_, node_.attrs, inputs, outputs, {dtypes_.data(), dtypes_.size()},
         {.shards = &ThreadPool::get(),
          .node_name = shown_name(node_.name),
          .unread_outputs = unread_,
          .expected_shapes = expected_});
}

void RunnerCall::call(std::span<TensorRef> inputs, std::span<Tensor> outputs, const Node*& failed) const {
  const bool fits = runner_->run(inputs, outputs, ThreadPool::get(), failed);
  TRACEFN_CHECK(fits);
}

}  // namespace tracefn
