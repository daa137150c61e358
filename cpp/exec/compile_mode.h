// CompileMode: when loops and functions of scalars are compiled as a whole.
#pragma once

#include <cstdint>

namespace tracefn {

enum class CompileMode : std::uint8_t {
  kAuto,    // always; to machine code once that pays off
  kOff,     // never: they run op by op
  kAlways,  // to machine code at once
  kVerify,  // loops also run op by op, and both must give the same bits
};
// From the environment variable TRACEFN_COMPILE: "off", "always" or "verify". Any thread may ask.
CompileMode compile_mode();

}  // namespace tracefn
