// ArrayCall: what runs on whole arrays as tensors, as an instruction of bytecode: the kernel of an op, or a fusion
// group. Any number of threads may run it at once.
#pragma once

#include <memory>
#include <vector>

#include "exec/instruction_runner.h"
#include "ir/graph.h"
#include "jit/scalar/array_work.h"
#include "ops/op_def.h"

namespace tracefn {

// The node must outlive it.
class ArrayCall : public scalar::ArrayWork {
 public:
  struct Operand {
    std::uint32_t array = 0;
    Shape shape;             // of the tensor in it; the first dimension may be unknown
    bool is_handle = false;  // of a variable, which the array holds
    Tensor constant = {};    // if it is defined, no array holds the operand
  };
  struct Result {
    std::uint32_t array = 0;
    DType dtype = DType::kInvalid;
    Shape shape;  // the same; a scalar is an array of one
  };

  void run(scalar::ScalarList* arrays, LongRun& run) const final;
  double expected_time() const final;
  std::vector<std::uint32_t> arrays() const final;
  std::string text(const ValueText&) const final;

 protected:
  // `updates`: operand 0 becomes result 0, in place where that can be.
  // `reuses`: call() may be given the memory of earlier results, unless it reads them.
  ArrayCall(const Node& node, std::vector<Operand> operands, std::vector<Result> results, bool updates, bool reuses);

  // `outputs` may have memory of earlier ones. On an Error, `failed` may become the node that threw it.
  virtual void call(std::span<TensorRef> inputs, std::span<Tensor> outputs, const Node*& failed) const = 0;

  const Node& node_;
  std::vector<Operand> operands_;
  std::vector<Result> results_;

 private:
  // The tensors to read, some of them in `copies`; how many bytes they have.
  std::int64_t lend(scalar::ScalarList* arrays, SmallVector<Tensor, 4>& copies,
                    SmallVector<TensorRef, 4>& inputs) const;
  // call(), shown in profiles.
  void call_shown(std::span<TensorRef> inputs, std::span<Tensor> outputs, const Node*& failed) const;
  void settle(scalar::ScalarList* arrays, std::span<const TensorRef> inputs, std::span<const Tensor> outputs) const;
  void check(const Result& result, const Tensor& out) const;

  // in_place_: the one result is made in its array's tensor.
  bool updates_, reuses_, has_handles_, in_place_;
};

// Of an op that keeps no state and has no functions. A handle that it is given is that of a variable, which may keep
// the memory of another operand.
class KernelCall final : public ArrayCall {
 public:
  // Nothing reads the outputs with a bit in `unread`.
  // `expected` as in RunServices.
  KernelCall(const Node& node, std::vector<Operand> operands, std::vector<Result> results, bool updates,
             std::uint64_t unread, std::vector<Shape> expected);

 private:
  void call(std::span<TensorRef> inputs, std::span<Tensor> outputs, const Node*& failed) const override;

  const OpDef& op_;
  SmallVector<DType, 2> dtypes_;
  std::uint64_t unread_;
  std::vector<Shape> expected_;
};

// Of a runner that takes tensors of these shapes.
class RunnerCall final : public ArrayCall {
 public:
  RunnerCall(std::unique_ptr<const InstructionRunner> runner, const Node& node, std::vector<Operand> operands,
             std::vector<Result> results)
      : ArrayCall(node, std::move(operands), std::move(results), false, true), runner_(std::move(runner)) {}

 private:
  void call(std::span<TensorRef> inputs, std::span<Tensor> outputs, const Node*& failed) const override;

  std::unique_ptr<const InstructionRunner> runner_;
};

}  // namespace tracefn
