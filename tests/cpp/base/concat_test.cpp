// Texts put together of parts of every kind.
#include "base/concat.h"

#include <cstdint>
#include <limits>
#include <string>

#include "check.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace tracefn {

TEST(concat_writes_texts_and_numbers) {
  CHECK_EQ(concat(), "");
  CHECK_EQ(concat("a", std::string("b"), std::string_view("c"), 'd'), "abcd");
  CHECK_EQ(concat(-1, " ", 2u, " ", std::size_t{3}, " ", true), "-1 2 3 1");
  CHECK_EQ(concat(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  CHECK_EQ(concat(std::numeric_limits<std::uint64_t>::max()), "18446744073709551615");
}

TEST(concat_writes_floats_as_streams_do) {
  CHECK_EQ(concat(0.5f, " ", 1e-7, " ", 100000.0, " ", 1234567.0), "0.5 1e-07 100000 1.23457e+06");
  CHECK_EQ(concat(std::numeric_limits<double>::infinity()), "inf");
}

TEST(concat_takes_what_has_a_text) { CHECK_EQ(concat(Shape({2, -1}), " of ", DType::kFloat), "[2,?] of float32"); }

}  // namespace tracefn
