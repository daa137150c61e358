// Reads messages in the text format of protocol buffers (protobuf.dev/reference/protobuf/textformat-spec).
#pragma once

#include <string>
#include <string_view>

#include "wire/proto_tree.h"

namespace tracefn {

// Adds the fields in the text to the message. Error(kValue) with line and column if it is no such message.
void merge_text(ProtoTree& message, std::string_view text);

// A text with C's escapes, as the bytes that they stand for. Error(kValue) for other escapes.
std::string unescaped(std::string_view text);

}  // namespace tracefn
