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

// A new file that grows at its end; what one call of append() gets is written at once. Not synchronized.
class GrowingFile {
 public:
  // Takes local_path() of the path. An existing file is emptied.
  explicit GrowingFile(const std::string& path);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  // Does not poll: callers may hold a lock, which another thread must not wait for while it holds the host's.
  void append(std::string_view bytes);
  // Whether there is still a file with its path.
  bool exists() const;

 private:
  std::string path_;
  int fd_;
};

// A file that takes the place of another when it is complete: until commit(), its bytes are in a temporary file beside
// it, which goes when it is dropped. Used by one thread at a time.
class ReplacingFile {
 public:
  // Takes local_path() of the path, of a regular file or of none.
  explicit ReplacingFile(const std::string& path);
  ~ReplacingFile();
  ReplacingFile(const ReplacingFile&) = delete;
  ReplacingFile& operator=(const ReplacingFile&) = delete;

  void append(std::string_view bytes);
  // Flushes the bytes to the disk and renames the file.
  void commit();

 private:
  std::string target_, temporary_;
  int fd_;
};

// Reads a regular file at any place. Any thread may call.
class RandomFile {
 public:
  // Takes local_path() of the path.
  explicit RandomFile(const std::string& path);
  ~RandomFile();
  RandomFile(const RandomFile&) = delete;
  RandomFile& operator=(const RandomFile&) = delete;

  std::uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }
  // Error(kOutOfRange) past the end.
  void read(std::uint64_t offset, char* to, std::size_t n) const;

 private:
  std::string path_;
  int fd_;
  std::uint64_t size_;
};

void rename_local_file(const std::string& from, const std::string& to);

// What matches a pattern, sorted: of each part between slashes, * and ? and [..] match, and a backslash takes what
// follows it as it is. A relative pattern with wildcards in its first part gives paths that start with "./".
std::vector<std::string> matching_local_files(const std::string& pattern);

// Makes a directory, if there is none.
void make_local_directory(const std::string& path);

// Makes a directory and those above it that are missing. Error(kFailedPrecondition) if a part is no directory.
void make_local_directories(const std::string& path);

}  // namespace tracefn
