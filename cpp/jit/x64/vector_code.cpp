// Translates and runs.
#include "jit/x64/vector_code.h"

#include <optional>

#include "jit/vector/allocation.h"
#include "jit/x64/avx2_translator.h"
#include "jit/x64/avx512_translator.h"

namespace tracefn::vector_code {
namespace {

// Longer programs take more than a millisecond to translate, and no longer fit the decoded-instruction cache.
constexpr std::size_t kMostInstructions = 2000;
// A frame of 32 KiB at most: threads may have small stacks.
constexpr std::uint32_t kMostSlots = 512;

}  // namespace

bool VectorCode::is_possible(Isa isa) {
#if defined(__x86_64__)
  static const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  static const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  return isa == Isa::kAvx2 ? avx2 : avx512;
#else
  return false;
#endif
}

std::unique_ptr<const VectorCode> VectorCode::translate(const LaneProgram& program, std::uint64_t scalars, Isa isa,
                                                        bool overlaps) {
  if (!is_possible(isa) || program.instructions().size() > kMostInstructions) return nullptr;
  const Allocation single = allocate(program, scalars, isa == Isa::kAvx2 ? kAvx2 : kAvx512);
  if (single.num_slots > kMostSlots) return nullptr;
  const std::optional<Allocation> interleaved = allocate_interleaved(program, scalars, single);
  const Allocation& whole = interleaved && interleaved->num_slots <= kMostSlots ? *interleaved : single;
  std::optional<machine_code::CodeMemory> memory =
      machine_code::CodeMemory::hold(isa == Isa::kAvx2 ? Avx2Translator(whole, single, overlaps).translate()
                                                       : Avx512Translator(whole, single).translate());
  if (!memory) return nullptr;
  return std::unique_ptr<const VectorCode>(new VectorCode(std::move(*memory)));
}

std::int64_t VectorCode::run(void* const* places, std::int64_t n) const {
  std::int64_t rows = 1;
  // After the only row nothing moves.
  return run(const_cast<void**>(places), n, nullptr, rows);
}

}  // namespace tracefn::vector_code
