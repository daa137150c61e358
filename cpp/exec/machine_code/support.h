// What machine code calls. Nothing may be thrown through its frames, which no unwinder knows: an exception is kept in
// the Run, and the code left with kThrown.
#pragma once

#include <cstdint>
#include <exception>

#include "exec/long_run.h"
#include "exec/scalar_list.h"

namespace tracefn::machine_code {

// Of one run of the code, on one thread.
struct Run {
  scalar::ScalarList* lists = nullptr;
  std::exception_ptr thrown = nullptr;
  LongRun long_run;
};

// The code's answer: 0, or a BlockStatus or kThrown, and above these eight bits the step that failed.
using Entry = std::uint64_t (*)(scalar::Cell* cells, Run* run, scalar::ScalarList* lists);
inline constexpr int kThrown = 0xff;

// Each returns 0 or kThrown.
int look(Run* run) noexcept;  // as LongRun::look()
int push(Run* run, std::uint32_t list, const scalar::Cell* value) noexcept;
int pop(Run* run, std::uint32_t list, scalar::Cell* out) noexcept;
int get(Run* run, std::uint32_t list, const scalar::Cell* index, scalar::Cell* out) noexcept;
int set(Run* run, std::uint32_t list, const scalar::Cell* index, const scalar::Cell* value) noexcept;

}  // namespace tracefn::machine_code
