// Whole files of the local file system, with TensorFlow's errors. Any thread may call.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tracefn {

// "path; No such file or directory" of the kind for an errno.
[[noreturn]] void fail_with_errno(const std::string& path, int error);

// A path as the system takes it: without the scheme "file". Error(kUnimplemented) for any other scheme.
std::string local_path(const std::string& path);

// Both take local_path() of the path.
std::string read_local_file(const std::string& path);
// Whole or not at all: writes a temporary file beside it, flushes it to the disk and renames it. A path that is no
// regular file (a device, a pipe) is written to directly.
void write_local_file(const std::string& path, std::string_view contents);

// What matches a pattern, sorted: of each part between slashes, * and ? and [..] match, and a backslash takes what
// follows it as it is. A relative pattern with wildcards in its first part gives paths that start with "./".
std::vector<std::string> matching_local_files(const std::string& pattern);

// Makes a directory and those above it that are missing. Error(kFailedPrecondition) if a part is no directory.
void make_local_directories(const std::string& path);

}  // namespace tracefn
