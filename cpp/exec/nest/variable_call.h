// VariableCall: a read or an update of a Variable of few elements, as an instruction of bytecode: its numbers are
// copied from and to arrays under its lock, and no tensor is made. Any number of threads may run it at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "exec/nest/array_call.h"
#include "ops/elementwise/block.h"
#include "ops/state/variable_resource.h"

namespace tracefn {

class VariableCall final : public scalar::ArrayWork {
 public:
  // `kernel` is the same as a call of the op's kernel, for Variables that have no value or another shape. The numbers
  // are in `array`, dense and of this dtype and shape; the code owns it. Just the kernel if the op is another one.
  static std::unique_ptr<const scalar::ArrayWork> compile(const OpDef& op, std::unique_ptr<const KernelCall> kernel,
                                                          std::uint32_t variable, std::uint32_t array, DType dtype,
                                                          Shape shape);

  void run(scalar::ScalarList* arrays, LongRun& run) const override;
  double expected_time() const override { return 60; }
  std::vector<std::uint32_t> arrays() const override { return kernel_->arrays(); }
  std::string text(const ValueText& value_of) const override { return kernel_->text(value_of); }

 private:
  VariableCall(bool reads, BinaryBlock update, std::unique_ptr<const KernelCall> kernel, std::uint32_t variable,
               std::uint32_t array, DType dtype, Shape shape)
      : reads_(reads),
        update_(update),
        kernel_(std::move(kernel)),
        variable_(variable),
        array_(array),
        dtype_(dtype),
        shape_(std::move(shape)) {}
  // False, with nothing done, if the kernel has to.
  bool run_directly(VariableResource& variable, unsigned char* numbers) const;

  const bool reads_;
  const BinaryBlock update_;  // null: the value is set
  const std::unique_ptr<const KernelCall> kernel_;
  const std::uint32_t variable_, array_;
  const DType dtype_;
  const Shape shape_;
};

}  // namespace tracefn
