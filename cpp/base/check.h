// TRACEFN_CHECK: an internal invariant. A failure is our bug, never a user's, and reports file and line.
#pragma once

#include "base/error.h"

namespace tracefn {
[[noreturn]] inline void check_failed(const char* file, int line, const char* condition) {
  fail(ErrorKind::kInternal, file, ":", line, ": check failed: ", condition,
       ". This is a bug in tracefn; please report it.");
}
}  // namespace tracefn

#define TRACEFN_CHECK(condition)                                               \
  do {                                                                         \
    if (!(condition)) ::tracefn::check_failed(__FILE__, __LINE__, #condition); \
  } while (false)
