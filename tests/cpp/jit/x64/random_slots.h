// Slots of all types with random values, edge values among them.
#pragma once

#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "jit/scalar/bytecode.h"

namespace tracefn::test {

class RandomSlots {
 public:
  using Slot = scalar::Slot;

  std::vector<scalar::Register> registers;
  DType type_of(Slot s) const { return types_[s]; }

 protected:
  explicit RandomSlots(std::uint64_t seed) : random_(seed) {}

  static constexpr DType kTypes[] = {DType::kBool,   DType::kInt32, DType::kInt64, DType::kFloat,
                                     DType::kDouble, DType::kHalf,  DType::kInt8};

  std::size_t below(std::size_t n) { return random_() % n; }
  bool chance(std::size_t n) { return below(n) == 0; }

  template <typename T>
  void write(Slot s, T value) {
    std::memcpy(registers[s].bytes, &value, sizeof value);
  }
  template <typename T>
  T integer() {
    constexpr T kEdges[] = {0, 1, -1, 2, 3, 7, 8, -3, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
    return chance(3) ? static_cast<T>(random_()) : kEdges[below(std::size(kEdges))];
  }
  template <typename T>
  T real() {
    using Limits = std::numeric_limits<T>;
    const T edges[] = {0,
                       T(-0.0),
                       1,
                       T(-1),
                       T(0.5),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::denorm_min(),
                       Limits::max(),
                       T(3e9),
                       T(-1e19),
                       T(2.5)};
    if (chance(2)) return edges[below(std::size(edges))];
    return static_cast<T>(std::normal_distribution<double>(0, 10)(random_));
  }
  Slot new_slot(DType t, bool filled = false) {
    registers.emplace_back();
    types_.push_back(t);
    const Slot s = static_cast<Slot>(registers.size() - 1);
    if (!filled) return s;
    switch (t) {
      case DType::kBool:
        write(s, chance(2));
        break;
      case DType::kInt32:
        write(s, integer<std::int32_t>());
        break;
      case DType::kInt64:
        write(s, integer<std::int64_t>());
        break;
      case DType::kFloat:
        write(s, real<float>());
        break;
      case DType::kDouble:
        write(s, real<double>());
        break;
      case DType::kHalf:
        write(s, static_cast<std::uint16_t>(0x3c00 + below(0x400)));
        break;
      default:
        write(s, static_cast<std::int8_t>(random_()));
    }
    return s;
  }
  Slot number(std::int32_t value) {
    const Slot s = new_slot(DType::kInt32);
    write(s, value);
    return s;
  }

  Slot any(DType t) {
    std::vector<Slot> fitting;
    for (Slot s = 0; s < registers.size(); ++s)
      if (types_[s] == t) fitting.push_back(s);
    return fitting[below(fitting.size())];
  }

  std::mt19937_64 random_;
  std::vector<DType> types_;  // by slot
};

}  // namespace tracefn::test
