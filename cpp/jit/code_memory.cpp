// Anonymous private mappings.
#include "jit/code_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <utility>

namespace tracefn::machine_code {

std::optional<CodeMemory> CodeMemory::hold(std::span<const std::uint8_t> code) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t bytes = (code.size() + page - 1) / page * page;
  void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return std::nullopt;
  CodeMemory memory(start, bytes);
  std::memcpy(start, code.data(), code.size());
  if (mprotect(start, bytes, PROT_READ | PROT_EXEC) != 0) return std::nullopt;
  return memory;
}

CodeMemory::CodeMemory(CodeMemory&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

CodeMemory& CodeMemory::operator=(CodeMemory&& other) noexcept {
  std::swap(start_, other.start_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

CodeMemory::~CodeMemory() {
  if (start_) munmap(start_, bytes_);
}

}  // namespace tracefn::machine_code
