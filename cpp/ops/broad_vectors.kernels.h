// Included first by the units whose functions are long polynomials: with AVX-512 they are given registers of 512 bits,
// not the 256 that serve loops bound by memory.
#pragma once

#if defined(__AVX512F__) && !defined(__clang__)
#pragma GCC target("prefer-vector-width=512")
#endif
