// Lower and upper case of texts, by Unicode's full mappings without a locale. Pure functions; any thread may call.
#pragma once

#include <string>
#include <string_view>

namespace tracefn {

// Bytes that are not UTF-8 become replacement characters.
std::string lower_case(std::string_view utf8);
std::string upper_case(std::string_view utf8);

}  // namespace tracefn
