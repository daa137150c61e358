// The order in which products add up their terms.
#pragma once

#include <cstdint>

namespace tracefn {

// The steps of a part, whose terms are summed in registers: fixed, since results depend on it. Rounding errors grow with
// the terms of a sum; shorter parts would cost more than a hundredth of the time.
inline constexpr std::int64_t kStepsOfSum = 64;

}  // namespace tracefn
