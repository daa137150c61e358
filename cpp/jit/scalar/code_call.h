// CodeCall: a part of an ArrayWork that machine code does itself: copies of strided elements, and vector code over
// rows.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/small_vector.h"
#include "jit/vector/entry.h"
#include "ops/array/strided_copies.kernels.h"

namespace tracefn::scalar {

// Offsets and sizes are in bytes. What it points to is the work's.
struct CodeCall {
  struct Place {
    enum Kind : std::uint8_t {
      kNone,
      kArray,
      kCopy,  // memory of the caller, `room` bytes
    } kind = kNone;
    std::uint32_t array = 0;
    std::int32_t offset = 0;
    // `bytes` times the int64 number `index` of an array are added.
    struct Move {
      std::uint32_t array = 0;
      std::int32_t index = 0, bytes = 0;
    };
    SmallVector<Move, 1> moves = {};
  };
  struct Copy {
    StridedCopy function = nullptr;
    Place from, to;
    const std::int64_t *from_strides = nullptr, *to_strides = nullptr;
  };

  std::size_t room = 0;
  std::vector<Copy> before, after;  // of the vector code
  const std::int64_t* sizes = nullptr;
  std::size_t loops = 0;
  // If this is null, the copies are all. What it points to is null until the work has made its code.
  const std::atomic<vector_code::Entry>* code = nullptr;
  std::vector<Place> places;
  std::int64_t n = 0, rows = 0;
  const std::int64_t* steps = nullptr;

  bool does_anything() const { return code || !before.empty(); }
};

}  // namespace tracefn::scalar
