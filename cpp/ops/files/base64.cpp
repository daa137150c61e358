// Base64, as RFC 4648 defines it.
#include <array>

#include "base/error.h"
#include "ops/files/files.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"

namespace tracefn {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

constexpr std::uint8_t kNoDigit = 64;
constexpr std::array<std::uint8_t, 256> digit_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::size_t i = 0; i < kDigits.size(); ++i)
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  values['-'] = 62;
  values['_'] = 63;
  return values;
}
constexpr std::array<std::uint8_t, 256> kValues = digit_values();

}  // namespace

std::string base64_text(std::string_view bytes, bool for_urls, bool pad) {
  const std::string_view last_two = for_urls ? "-_" : "+/";
  std::string out;
  out.reserve(bytes.size() / 3 * 4 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    const std::size_t n = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) bits = bits << 8 | (k < n ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k <= n; ++k) {
      const std::uint32_t value = bits >> (18 - 6 * k) & 63;
      out += value < 62 ? kDigits[value] : last_two[value - 62];
    }
    if (pad) out.append(3 - n, '=');
  }
  return out;
}

std::string base64_bytes(std::string_view text) {
  constexpr std::string_view kInvalid = "Invalid character found in base64.";
  // One or two signs that fill up the last group of four.
  if (text.size() % 4 == 0 && text.ends_with('=')) text.remove_suffix(text.ends_with("==") ? 2 : 1);
  if (text.size() % 4 == 1) invalid_argument("Base64 string length cannot be 1 modulo 4.");
  std::string out;
  out.reserve(text.size() / 4 * 3 + 3);
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const std::size_t n = std::min<std::size_t>(4, text.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint8_t value = k < n ? kValues[static_cast<unsigned char>(text[i + k])] : 0;
      if (value == kNoDigit) invalid_argument(kInvalid);
      bits = bits << 6 | value;
    }
    for (std::size_t k = 0; k + 1 < n; ++k) out += static_cast<char>(bits >> (16 - 8 * k));
  }
  return out;
}

namespace {

void encode_base64(KernelContext& c) {
  map_strings(c, [](const KernelContext& k, const std::string& s) { return base64_text(s, true, k.attr("pad").b()); });
}
void decode_base64(KernelContext& c) {
  map_strings(c, [](const KernelContext&, const std::string& s) { return base64_bytes(s); });
}

}  // namespace

void register_base64(Registry& r) {
  r.add({.name = "EncodeBase64",
         .python = "io.encode_base64(input, pad)",
         .aliases = {"compat.v1.encode_base64"},
         .inputs = {"input: string"},
         .outputs = {"output: string"},
         .attrs = {"pad: bool = false"},
         .doc = "Strings in base64, with the letters - and _ that URLs take.\n\n`pad` fills up the last group of four "
                "with =. The result has the shape of `input`.",
         .infer = infer::same_as_first,
         .kernel = encode_base64,
         .grad = not_differentiable});
  r.add({.name = "DecodeBase64",
         .python = "io.decode_base64(input)",
         .aliases = {"compat.v1.decode_base64"},
         .inputs = {"input: string"},
         .outputs = {"output: string"},
         .doc = "The bytes of strings in base64, padded or not, with the letters - and _.\n\nRaises "
                "InvalidArgumentError if there is another character.",
         .infer = infer::same_as_first,
         .kernel = decode_base64,
         .grad = not_differentiable});
}

}  // namespace tracefn
