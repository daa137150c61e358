// Scratch: a buffer of any requested size; growing loses its contents. Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>
#include <utility>

namespace tracefn {

class Scratch {
 public:
  Scratch() = default;
  Scratch(Scratch&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Scratch() { std::free(memory_); }
  char* at_least(std::size_t bytes) {
    if (bytes > bytes_) {
      std::free(memory_);
      bytes_ = (bytes + 63) / 64 * 64;
      memory_ = static_cast<char*>(std::aligned_alloc(64, bytes_));
      if (!memory_) {
        bytes_ = 0;
        throw std::bad_alloc();
      }
    }
    return memory_;
  }

 private:
  char* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace tracefn
