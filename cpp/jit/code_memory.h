// CodeMemory: pages of finished machine code. Written first and made executable afterwards, never both at once;
// unmapped with their owner. A forked child has its own pages. Immutable, so any thread may run the code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace tracefn::machine_code {

class CodeMemory {
 public:
  // Nothing if the system refuses executable memory.
  static std::optional<CodeMemory> hold(std::span<const std::uint8_t> code);
  CodeMemory(CodeMemory&& other) noexcept;
  CodeMemory& operator=(CodeMemory&& other) noexcept;
  CodeMemory(const CodeMemory&) = delete;
  CodeMemory& operator=(const CodeMemory&) = delete;
  ~CodeMemory();

  const void* start() const { return start_; }

 private:
  CodeMemory(void* start, std::size_t bytes) : start_(start), bytes_(bytes) {}
  void* start_;
  std::size_t bytes_;
};

}  // namespace tracefn::machine_code
