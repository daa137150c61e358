// Splits the characters by one set after the other.
#include "ops/strings/regex/partition.h"

#include <algorithm>
#include <utility>

namespace tracefn {

void CharPartition::add(const std::vector<CharClass::Range>& set) { sets_.push_back(set); }

bool CharPartition::finish() {
  using Range = CharClass::Range;
  auto before = [](Range a, Range b) { return std::pair(a.first, a.last) < std::pair(b.first, b.last); };
  auto same = [](Range a, Range b) { return a.first == b.first && a.last == b.last; };
  std::sort(sets_.begin(), sets_.end(), [&](const auto& a, const auto& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), before);
  });
  sets_.erase(std::unique(sets_.begin(), sets_.end(),
                          [&](const auto& a, const auto& b) {
                            return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
                          }),
              sets_.end());
  starts_ = {0};
  for (const auto& set : sets_) {
    for (Range range : set) {
      starts_.push_back(range.first);
      if (range.last < kLooksLikeCharacter) starts_.push_back(range.last + 1);
    }
  }
  std::sort(starts_.begin(), starts_.end());
  starts_.erase(std::unique(starts_.begin(), starts_.end()), starts_.end());
  if (sets_.size() * starts_.size() > kMostWork) return false;
  std::vector<int> classes(starts_.size(), 0);
  int count = 1;
  for (const auto& set : sets_) {
    // The classes inside and outside of the set that each class becomes.
    std::vector<int> split(2 * static_cast<std::size_t>(count), -1);
    int made = 0;
    auto range = set.begin();
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      while (range != set.end() && range->last < starts_[i]) ++range;
      const bool inside = range != set.end() && range->first <= starts_[i];
      int& part = split[2 * static_cast<std::size_t>(classes[i]) + (inside ? 1 : 0)];
      if (part < 0) part = made++;
      classes[i] = part;
    }
    count = made;
    if (count > kMostClasses) return false;
  }
  examples_.assign(static_cast<std::size_t>(count), 0);
  for (std::size_t i = starts_.size(); i-- > 0;) examples_[static_cast<std::size_t>(classes[i])] = starts_[i];
  numbers_.assign(classes.begin(), classes.end());
  sets_.clear();
  for (char32_t c = 0; c < 128; ++c) ascii_[c] = static_cast<std::uint8_t>(class_beyond_ascii(c));
  return true;
}

int CharPartition::class_beyond_ascii(char32_t c) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), c);
  return numbers_[static_cast<std::size_t>(after - starts_.begin()) - 1];
}

}  // namespace tracefn
