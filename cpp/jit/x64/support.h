// Functions that machine code calls. Exceptions must not unwind through its frames, which have no unwind information:
// they are stored in the Run, and the code returns kThrown.
#pragma once

#include <cstdint>
#include <exception>

#include "jit/scalar/array_work.h"
#include "jit/scalar/long_run.h"
#include "jit/scalar/scalar_list.h"

namespace tracefn::machine_code {

// One run of the code, on one thread.
struct Run {
  scalar::ScalarList* lists = nullptr;
  std::exception_ptr thrown = nullptr;
  LongRun long_run;
};

// The code's return value: 0, or a BlockStatus or kThrown, and above these eight bits the failed instruction.
using Entry = std::uint64_t (*)(scalar::Register* registers, Run* run, scalar::ScalarList* lists);
inline constexpr int kThrown = 0xff;

// Each returns 0 or kThrown.
int look(Run* run) noexcept;  // as LongRun::look()
int push(Run* run, std::uint32_t list, const scalar::Register* value) noexcept;
int pop(Run* run, std::uint32_t list, scalar::Register* out) noexcept;
int get(Run* run, std::uint32_t list, const scalar::Register* index, scalar::Register* out) noexcept;
int set(Run* run, std::uint32_t list, const scalar::Register* index, const scalar::Register* value) noexcept;
// `to` takes the rows of `from`; a new list of `rows` rows of zeros (ScalarList::take() and reserve()).
int take(scalar::ScalarList* to, scalar::ScalarList* from) noexcept;
int reserve(Run* run, std::uint32_t list, std::int32_t rows, std::int32_t most) noexcept;
int run_part(Run* run, const scalar::PartsOfWork* parts, std::size_t number) noexcept;
int finish_part(Run* run, const scalar::PartsOfWork* parts, std::size_t number, std::int64_t rows_left,
                std::int64_t done) noexcept;
int run_list(Run* run, const scalar::BytecodeInstruction* instruction, scalar::Register* registers) noexcept;

}  // namespace tracefn::machine_code
