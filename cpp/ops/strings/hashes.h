// The hashes of strings that TensorFlow's results depend on. Pure functions; any thread may call.
#pragma once

#include <cstdint>
#include <string_view>

namespace tracefn {

// FarmHash's Fingerprint64 (G. Pike, 2014), which does not depend on the machine.
std::uint64_t fingerprint64(std::string_view text);
// TensorFlow's Hash64: MurmurHash64A (A. Appleby, 2008) with its seed.
std::uint64_t hash64(std::string_view text);
// SipHash-2-4 (J.-P. Aumasson and D. Bernstein, 2012) under a key of 128 bits.
std::uint64_t siphash(std::string_view text, std::uint64_t key0, std::uint64_t key1);

}  // namespace tracefn
