// Included first by sources whose functions are long polynomials: with AVX-512 they use 512-bit registers, not the 256
// bits that suit memory-bound loops.
#pragma once

#if defined(__AVX512F__) && !defined(__clang__)
#pragma GCC target("prefer-vector-width=512")
#endif
