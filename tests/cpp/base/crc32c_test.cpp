// CRC-32C against the examples of RFC 3720.
#include "base/crc32c.h"

#include <string>

#include "check.h"

namespace tracefn::test {
namespace {

TEST(crc32c_gives_the_known_answers) {
  std::string rising;
  for (int i = 0; i < 32; ++i) rising += static_cast<char>(i);
  CHECK(crc32c("") == 0);
  CHECK(crc32c("123456789") == 0xe3069283);
  CHECK(crc32c(std::string(32, '\0')) == 0x8a9136aa);
  CHECK(crc32c(std::string(32, '\xff')) == 0x62a8ab43);
  CHECK(crc32c(rising) == 0x46dd794e);
}

TEST(crc32c_goes_on) {
  const std::string text = "a text that is longer than two words of the machine";
  for (std::size_t i = 0; i <= text.size(); ++i)
    CHECK_EQ(extend_crc32c(crc32c(text.substr(0, i)), text.substr(i)), crc32c(text));
}

TEST(masked_crc32c_is_rotated_and_shifted) { CHECK(masked_crc32c("") == 0xa282ead8); }

}  // namespace
}  // namespace tracefn::test
