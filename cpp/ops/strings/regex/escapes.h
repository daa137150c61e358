// The parts of a regular expression that stand for characters: escapes and the items of "[...]". Each function takes
// what it reads off the front of its argument, and throws RegexError.
#pragma once

#include <optional>
#include <string_view>

#include "ops/strings/regex/char_class.h"

namespace tracefn {

// Precondition: the text is not empty.
char32_t take_character(std::string_view& text);
// The character that an escape stands for. Precondition: the text begins with a backslash.
char32_t take_escape(std::string_view& text);
// "\d", "\pL", "\P{Greek}"; false, and nothing taken, if the text begins otherwise.
bool add_escaped_class(CharClass& set, std::string_view& text, bool fold_case);
// A range, a character or a named class inside brackets; `whole` is the text from the opening bracket.
void add_bracketed_item(CharClass& set, std::string_view& text, std::string_view whole, bool fold_case);
// A number without leading zeros.
std::optional<int> take_count(std::string_view& text);

}  // namespace tracefn
