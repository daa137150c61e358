// Combines hashes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tracefn {

inline std::size_t hash_mix(std::size_t seed, std::size_t value) {
  // The finalizer of splitmix64 over the sum (Steele, Lea and Flood, 2014).
  std::uint64_t z = seed + 0x9e3779b97f4a7c15ull + value;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

template <typename T>
std::size_t hash_add(std::size_t seed, const T& value) {
  return hash_mix(seed, std::hash<T>{}(value));
}

}  // namespace tracefn
