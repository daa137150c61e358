// ArrayWork: what one instruction of bytecode does with whole arrays. Immutable, so any number of threads may run it at
// once, each with its own arrays.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "jit/scalar/scalar_list.h"

namespace tracefn::scalar {

class ArrayWork {
 public:
  ArrayWork() = default;
  virtual ~ArrayWork() = default;
  ArrayWork(const ArrayWork&) = delete;
  ArrayWork& operator=(const ArrayWork&) = delete;

  // Those that it writes are owned and have their size, or it sets them. On an Error, `run.failed` may say which node
  // threw it.
  virtual void run(ScalarList* arrays, LongRun& run) const = 0;
  // It will run often: makes its code now, or at the first run.
  virtual void expect_runs() const {}
  // Nanoseconds of a run, roughly.
  virtual double expected_time() const = 0;
  // The numbers of the arrays that it reads or writes.
  virtual std::vector<std::uint32_t> arrays() const = 0;
  // As in ScalarRoutine::text(). `value_of` is the text of a slot's value.
  using ValueText = std::function<std::string(Slot, DType)>;
  virtual std::string text(const ValueText& value_of) const = 0;
};

}  // namespace tracefn::scalar
