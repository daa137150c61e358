// Whole files of the local file system, with TensorFlow's errors. Any thread may call.
#pragma once

#include <string>
#include <string_view>

namespace tracefn {

// "path; No such file or directory" of the kind for an errno.
[[noreturn]] void fail_with_errno(const std::string& path, int error);

std::string read_local_file(const std::string& path);
// Whole or not at all: writes a temporary file beside it, flushes it to the disk and renames it. A path that is no
// regular file (a device, a pipe) is written to directly.
void write_local_file(const std::string& path, std::string_view contents);

}  // namespace tracefn
