// Case mappings: single letters by runs, letters that become several, and the two forms of the small sigma.
#include "ops/strings/unicode/letter_case.h"

#include <algorithm>

#include "ops/strings/unicode/tables.h"
#include "ops/strings/utf8.h"

namespace tracefn {
namespace {

char32_t mapped(std::span<const CaseRun> runs, char32_t c) {
  auto after = std::upper_bound(runs.begin(), runs.end(), c, [](char32_t x, const CaseRun& r) { return x < r.first; });
  // A run of every second letter may overlap the next run.
  for (int back = 0; back < 2 && after != runs.begin(); ++back) {
    --after;
    if (c <= after->last && (c - after->first) % static_cast<char32_t>(after->step) == 0)
      return c + static_cast<char32_t>(after->distance);
  }
  return c;
}

bool in_categories(char32_t c, std::initializer_list<std::string_view> names) {
  const int category = class_of(kCategories, c);
  return category != kNoClass &&
         std::find(names.begin(), names.end(), kCategoryNames[static_cast<std::size_t>(category)]) != names.end();
}
// Unicode's Cased and Case_Ignorable (chapter 3.13).
bool is_cased(char32_t c) { return in_categories(c, {"Lu", "Ll", "Lt"}); }
bool is_case_ignorable(char32_t c) {
  constexpr std::u32string_view kInsideWords =
      U"'.:\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a";
  return in_categories(c, {"Mn", "Me", "Cf", "Lm", "Sk"}) || kInsideWords.find(c) != std::u32string_view::npos;
}

std::u32string decoded(std::string_view utf8) {
  std::u32string out;
  while (!utf8.empty()) {
    const DecodedCharacter c = decode_utf8(utf8);
    out += c.value;
    utf8.remove_prefix(c.size);
  }
  return out;
}

// Whether the sigma at `at` ends a word: a cased letter before it and none after it, those to be ignored aside.
bool ends_word(const std::u32string& text, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && is_case_ignorable(text[before - 1])) --before;
  if (before == 0 || !is_cased(text[before - 1])) return false;
  std::size_t after = at + 1;
  while (after < text.size() && is_case_ignorable(text[after])) ++after;
  return after == text.size() || !is_cased(text[after]);
}

}  // namespace

int class_of(std::span<const ClassRun> runs, char32_t c) {
  auto after = std::upper_bound(runs.begin(), runs.end(), c, [](char32_t x, ClassRun run) { return x < run >> 8; });
  return after == runs.begin() ? kNoClass : static_cast<int>(*std::prev(after) & 0xff);
}

std::string lower_case(std::string_view utf8) {
  constexpr char32_t kDottedCapitalI = 0x130, kDotAbove = 0x307, kCapitalSigma = 0x3a3, kFinalSigma = 0x3c2;
  const std::u32string text = decoded(utf8);
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == kCapitalSigma && ends_word(text, i)) {
      append_utf8(out, kFinalSigma);
    } else if (text[i] == kDottedCapitalI) {
      append_utf8(out, 'i');
      append_utf8(out, kDotAbove);
    } else {
      append_utf8(out, mapped(kLower, text[i]));
    }
  }
  return out;
}

std::string upper_case(std::string_view utf8) {
  std::string out;
  for (char32_t c : decoded(utf8)) {
    auto longer = std::lower_bound(kLongUpper.begin(), kLongUpper.end(), c,
                                   [](const LongCase& row, char32_t x) { return row.letter < x; });
    if (longer != kLongUpper.end() && longer->letter == c) {
      out += longer->text;
    } else {
      append_utf8(out, mapped(kUpper, c));
    }
  }
  return out;
}

}  // namespace tracefn
