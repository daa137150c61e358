// Paths, patterns and directories of the local file system, by POSIX calls.
#include <dirent.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>

#include "base/error.h"
#include "base/files.h"
#include "base/poll.h"

namespace tracefn {
namespace {

constexpr std::string_view kSchemeEnd = "://";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The length of the scheme in front of "://"; 0 if there is none.
std::size_t scheme_length(std::string_view path) {
  std::size_t n = 0;
  while (n < path.size() && (is_letter(path[n]) || (n > 0 && (is_digit(path[n]) || path[n] == '.')))) ++n;
  return path.substr(n).starts_with(kSchemeEnd) ? n : 0;
}

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}
bool is_directory(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// The names in a directory; none if it cannot be read.
std::vector<std::string> entries(const std::string& directory) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), ::closedir);
  if (!open) return names;
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

// Adds what matches the parts of `pattern` from `from` on below `base`, which is empty or ends with a slash.
void match_below(const std::string& base, std::string_view pattern, std::size_t from, std::vector<std::string>& found) {
  poll();
  const std::size_t slash = pattern.find('/', from);
  const bool last = slash == std::string_view::npos;
  const std::string part(pattern.substr(from, last ? slash : slash - from));
  if (part.find_first_of("*?[\\") == std::string::npos) {
    const std::string path = base + part;
    if (last) {
      if (exists(path)) found.push_back(path);
    } else if (part.empty() || is_directory(path)) {
      match_below(path + "/", pattern, slash + 1, found);
    }
    return;
  }
  for (const std::string& name : entries(base.empty() ? "." : base)) {
    if (::fnmatch(part.c_str(), name.c_str(), FNM_PATHNAME) != 0) continue;
    if (last) {
      found.push_back(base + name);
    } else if (is_directory(base + name)) {
      match_below(base + name + "/", pattern, slash + 1, found);
    }
  }
}

}  // namespace

std::string local_path(const std::string& path) {
  const std::size_t n = scheme_length(path);
  if (n == 0) return path;
  const std::string_view scheme = std::string_view(path).substr(0, n);
  if (scheme != "file")
    fail(ErrorKind::kUnimplemented, "File system scheme '", scheme, "' not implemented (file: '", path, "')");
  // What follows is a host, which may be empty, and the path.
  const std::size_t start = path.find('/', n + kSchemeEnd.size());
  return start == std::string::npos ? "" : path.substr(start);
}

std::vector<std::string> matching_local_files(const std::string& pattern) {
  const std::string local = local_path(pattern);
  std::vector<std::string> found;
  if (local.empty() || local.find('\0') != std::string::npos) return found;
  const std::size_t wildcard = local.find_first_of("*?[\\");
  const std::size_t slash = local.find('/');
  match_below(wildcard < slash ? "./" : "", local, 0, found);
  std::sort(found.begin(), found.end());
  const std::string scheme = pattern.substr(0, pattern.size() - local.size());
  for (std::string& path : found) path = scheme + path;
  return found;
}

void make_local_directory(const std::string& given) {
  const std::string path = local_path(given);
  if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) fail_with_errno(path, errno);
}

void make_local_directories(const std::string& given) {
  const std::string path = local_path(given);
  for (std::size_t end = 0; end < path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    const std::string part = path.substr(0, end);
    struct stat status {};
    if (::stat(part.c_str(), &status) == 0) {
      if (!S_ISDIR(status.st_mode)) fail(ErrorKind::kFailedPrecondition, part, " is not a directory");
    } else if (errno == ENOTDIR) {
      fail_with_errno(path, ENOTDIR);
    } else if (::mkdir(part.c_str(), 0777) != 0 && errno != EEXIST) {
      fail_with_errno(part, errno);
    }
  }
}

}  // namespace tracefn
