// Names of nodes that passes make of a user's node: the user's name, '@' (which no name of a user has), and what tells
// them apart. Messages show the user's part only.
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
