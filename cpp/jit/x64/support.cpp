// Wrappers that store exceptions.
#include "jit/x64/support.h"

#include <unistd.h>

namespace tracefn::machine_code {
namespace {

template <typename F>
int kept(Run* run, F f) noexcept {
  try {
    f();
    return kBlockOk;
  } catch (...) {
    run->thrown = std::current_exception();
    // A null exception_ptr is pthread_exit, which Python calls in a thread that asks for the GIL while the process
    // ends. The thread's stack cannot be unwound through the code's frames, and nobody waits for it.
    while (!run->thrown) pause();
    return kThrown;
  }
}

}  // namespace

int look(Run* run) noexcept {
  return kept(run, [&] { run->long_run.look(); });
}

int push(Run* run, std::uint32_t list, const scalar::Register* value) noexcept {
  return kept(run, [&] {
    run->lists[list].push(*value);
    run->long_run.copied(run->lists[list].copied());
  });
}
int pop(Run* run, std::uint32_t list, scalar::Register* out) noexcept {
  return kept(run, [&] { run->lists[list].pop(*out); });
}
int get(Run* run, std::uint32_t list, const scalar::Register* index, scalar::Register* out) noexcept {
  return kept(run, [&] { run->lists[list].get(scalar::get<std::int32_t>(*index), *out); });
}
int set(Run* run, std::uint32_t list, const scalar::Register* index, const scalar::Register* value) noexcept {
  return kept(run, [&] {
    run->lists[list].set(scalar::get<std::int32_t>(*index), *value);
    run->long_run.copied(run->lists[list].copied());
  });
}

int take(scalar::ScalarList* to, scalar::ScalarList* from) noexcept {
  to->take(*from);
  return kBlockOk;  // callers test what every function here returns
}
int reserve(Run* run, std::uint32_t list, std::int32_t rows, std::int32_t most) noexcept {
  return kept(run, [&] {
    run->lists[list].reserve(rows, most);
    run->long_run.copied(run->lists[list].copied());
  });
}

int run_part(Run* run, const scalar::PartsOfWork* parts, std::size_t number) noexcept {
  return kept(run, [&] { parts->run_part(number, run->lists, run->long_run); });
}
int finish_part(Run* run, const scalar::PartsOfWork* parts, std::size_t number, std::int64_t rows_left,
                std::int64_t done) noexcept {
  return kept(run, [&] { parts->finish_part(number, rows_left, done, run->lists, run->long_run); });
}

int run_list(Run* run, const scalar::BytecodeInstruction* instruction, scalar::Register* registers) noexcept {
  return kept(run, [&] { scalar::run_list_instruction(*instruction, registers, run->lists, run->long_run); });
}

}  // namespace tracefn::machine_code
