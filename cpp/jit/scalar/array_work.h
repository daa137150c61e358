// ArrayWork: what one instruction of bytecode does with whole arrays. Immutable, so any number of threads may run it at
// once, each with its own arrays.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "jit/scalar/code_call.h"
#include "jit/scalar/scalar_list.h"

namespace tracefn::scalar {

// Work that machine code can do part by part.
class PartsOfWork {
 public:
  // In their order. None if a call of ArrayWork::run() costs little beside the work.
  virtual std::vector<CodeCall> code_calls() const = 0;
  // A part that machine code cannot do, or not yet.
  virtual void run_part(std::size_t number, ScalarList* arrays, LongRun& run) const = 0;
  // What is left of a part whose code failed in the first one of so many rows, of which `done` elements are done. The
  // copies after it were not made.
  virtual void finish_part(std::size_t number, std::int64_t rows_left, std::int64_t done, ScalarList* arrays,
                           LongRun& run) const = 0;

 protected:
  ~PartsOfWork() = default;
};

class ArrayWork {
 public:
  ArrayWork() = default;
  virtual ~ArrayWork() = default;
  ArrayWork(const ArrayWork&) = delete;
  ArrayWork& operator=(const ArrayWork&) = delete;

  // Those that it writes are owned and have their size, or it sets them. On an Error, `run.failed` may say which node
  // threw it.
  virtual void run(ScalarList* arrays, LongRun& run) const = 0;
  // The same in parts, or null if it has none.
  virtual const PartsOfWork* parts() const { return nullptr; }
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
