// The kinds of fields in the protocol buffer wire format: the low three bits of a field's key.
#pragma once

#include <cstdint>

namespace tracefn {

enum WireType : std::uint64_t {
  kVarint = 0,
  kFixed64 = 1,
  kDelimited = 2,
  kStartGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

}  // namespace tracefn
