// Sets of characters: union, complement, case, and the sets with names.
#include "ops/strings/regex/char_class.h"

#include <algorithm>

#include "ops/strings/unicode/tables.h"
#include "ops/strings/utf8.h"

namespace tracefn {
namespace {

struct NamedSet {
  std::string_view name;
  std::string_view ranges;  // pairs of first and last
};
constexpr NamedSet kPosixSets[] = {
    {"alnum", "09AZaz"},
    {"alpha", "AZaz"},
    {"ascii", std::string_view("\0\x7f", 2)},
    {"blank", "\t\t  "},
    {"cntrl", std::string_view("\0\x1f\x7f\x7f", 4)},
    {"digit", "09"},
    {"graph", "!~"},
    {"lower", "az"},
    {"print", " ~"},
    {"punct", "!/:@[`{~"},
    {"space", "\t\r  "},
    {"upper", "AZ"},
    {"word", "09AZaz__"},
    {"xdigit", "09AFaf"},
};
constexpr NamedSet kPerlSets[] = {{"d", "09"}, {"s", "\t\n\f\r  "}, {"w", "09AZaz__"}};

std::optional<CharClass> find_set(std::span<const NamedSet> sets, std::string_view name) {
  for (const NamedSet& set : sets) {
    if (set.name != name) continue;
    CharClass found;
    for (std::size_t i = 0; i < set.ranges.size(); i += 2)
      found.add(static_cast<unsigned char>(set.ranges[i]), static_cast<unsigned char>(set.ranges[i + 1]));
    return found;
  }
  return std::nullopt;
}

// Adds the code points whose class has the name; with `initial`, those whose class has a name that begins so.
bool add_named(CharClass& to, std::span<const ClassRun> runs, std::span<const Name> names, std::string_view name,
               bool initial) {
  bool known = false;
  for (std::size_t number = 0; number < names.size(); ++number) {
    if (initial ? !std::string_view(names[number]).starts_with(name) : names[number] != name) continue;
    known = true;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if ((runs[i] & 0xff) != number) continue;
      to.add(runs[i] >> 8, i + 1 < runs.size() ? (runs[i + 1] >> 8) - 1 : kLastCodePoint);
    }
  }
  return known;
}

}  // namespace

std::optional<CharClass> CharClass::posix(std::string_view name) { return find_set(kPosixSets, name); }
std::optional<CharClass> CharClass::perl(char letter) { return find_set(kPerlSets, {&letter, 1}); }

std::optional<CharClass> CharClass::unicode(std::string_view name) {
  CharClass found;
  constexpr char32_t kFirstSurrogate = 0xd800, kLastSurrogate = 0xdfff;
  if (name == "Any") {
    found.add(0, kLastCodePoint);
    return found;
  }
  if (name == "C" || name == "Cs") found.add(kFirstSurrogate, kLastSurrogate);
  bool known = name == "Cs" || add_named(found, kCategories, kCategoryNames, name, name.size() == 1);
  known = known || add_named(found, kRegexScripts, kScriptNames, name, false);
  if (!known) return std::nullopt;
  return found;
}

void CharClass::merge() {
  std::sort(ranges_.begin(), ranges_.end(), [](Range a, Range b) { return a.first < b.first; });
  std::vector<Range> merged;
  for (Range range : ranges_) {
    if (!merged.empty() && range.first <= merged.back().last + 1) {
      merged.back().last = std::max(merged.back().last, range.last);
    } else {
      merged.push_back(range);
    }
  }
  ranges_ = std::move(merged);
}

void CharClass::fold_case() {
  merge();
  // The longest circle of letters has four of them.
  for (int step = 1; step < 4; ++step) {
    merge();
    const std::vector<Range> ranges = ranges_;
    for (const CaseRun& run : kNextOfCase) {
      for (Range range : ranges) {
        if (range.last < run.first || range.first > run.last) continue;
        const auto length = static_cast<char32_t>(run.step);
        const char32_t from = std::max(range.first, run.first);
        char32_t c = run.first + (from - run.first + length - 1) / length * length;
        const auto distance = static_cast<char32_t>(run.distance);
        if (run.step == 1 && c <= std::min(range.last, run.last)) {
          add(c + distance, std::min(range.last, run.last) + distance);
          continue;
        }
        for (; c <= std::min(range.last, run.last); c += length) add(c + distance, c + distance);
      }
    }
  }
}

void CharClass::negate() {
  merge();
  std::vector<Range> others;
  char32_t next = 0;
  for (Range range : ranges_) {
    if (range.first > next) others.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kLastCodePoint) others.push_back({next, kLastCodePoint});
  ranges_ = std::move(others);
}

void CharClass::finish() {
  merge();
  for (Range& range : ranges_) {
    for (char32_t c = range.first; c <= std::min<char32_t>(range.last, 127); ++c)
      ascii_[c >> 6] |= std::uint64_t{1} << (c & 63);
    if (range.first <= 128 && range.last == kLastCodePoint) range.last = kLooksLikeCharacter;
  }
}

bool CharClass::contains_beyond_ascii(char32_t c) const {
  auto after = std::upper_bound(ranges_.begin(), ranges_.end(), c, [](char32_t x, Range r) { return x < r.first; });
  return after != ranges_.begin() && c <= std::prev(after)->last;
}

}  // namespace tracefn
