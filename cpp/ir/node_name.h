// Names of nodes that passes derive from a user's node: the user's name, '@' (which no user name contains), and a
// unique suffix. Messages show only the user's part.
#pragma once

#include <string>
#include <string_view>

namespace tracefn {

inline std::string internal_name(std::string_view name, std::string_view apart) {
  std::string out(name);
  out += '@';
  out += apart;
  return out;
}

// The user's part of a node's name.
inline std::string_view shown_name(std::string_view name) { return name.substr(0, name.find('@')); }

}  // namespace tracefn
