// Snappy's compressed form, decompressed: tables in LevelDB's format may have it.
#pragma once

#include <string>
#include <string_view>

namespace tracefn {

// Error(kDataLoss) if the bytes are damaged. Takes memory in proportion to them.
std::string decompress_snappy(std::string_view bytes);

}  // namespace tracefn
