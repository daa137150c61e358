// Reads and writes files by POSIX calls.
#include "base/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/poll.h"

namespace tracefn {
namespace {

ErrorKind kind_of(int error) {
  switch (error) {
    case ENOENT:
    case ENODEV:
    case ENXIO:
    case ESRCH:
      return ErrorKind::kNotFound;
    case EEXIST:
    case EADDRNOTAVAIL:
    case EALREADY:
      return ErrorKind::kAlreadyExists;
    case EPERM:
    case EACCES:
    case EROFS:
      return ErrorKind::kPermissionDenied;
    case EINVAL:
    case ENAMETOOLONG:
    case E2BIG:
    case EDESTADDRREQ:
    case EDOM:
    case EFAULT:
    case EILSEQ:
    case ENOPROTOOPT:
    case ENOTSOCK:
    case ENOTTY:
    case EPROTOTYPE:
    case ESPIPE:
      return ErrorKind::kInvalidArgument;
    case ENOTEMPTY:
    case EISDIR:
    case ENOTDIR:
    case EBADF:
    case EBUSY:
    case ECHILD:
    case EISCONN:
    case ENOTBLK:
    case ENOTCONN:
    case EPIPE:
    case ETXTBSY:
      return ErrorKind::kFailedPrecondition;
    case ENOSPC:
    case EMFILE:
    case EMLINK:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
    case EDQUOT:
      return ErrorKind::kResourceExhausted;
    case EFBIG:
    case EOVERFLOW:
    case ERANGE:
      return ErrorKind::kOutOfRange;
    case ENOSYS:
    case ENOTSUP:
    case EXDEV:
      return ErrorKind::kUnimplemented;
    case EAGAIN:
      return ErrorKind::kUnavailable;
    case EDEADLK:
    case ESTALE:
      return ErrorKind::kAborted;
    case ECANCELED:
      return ErrorKind::kCancelled;
    default:
      return ErrorKind::kUnknown;
  }
}

// A path has no byte 0: one would cut it short.
const char* checked(const std::string& path) {
  if (path.find('\0') != std::string::npos) fail(ErrorKind::kInvalidArgument, "The path holds a null character.");
  return path.c_str();
}

int open_file(const std::string& path, int flags) {
  const int fd = ::open(checked(path), flags | O_CLOEXEC, 0666);
  if (fd < 0) fail_with_errno(path, errno);
  return fd;
}

void write_all(int fd, const std::string& path, std::string_view bytes, std::size_t piece, bool polls) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd, bytes.data(), std::min(bytes.size(), piece));
    if (put < 0 && errno != EINTR) fail_with_errno(path, errno);
    if (put > 0) bytes.remove_prefix(static_cast<std::size_t>(put));
    if (polls) poll();
  }
}

class OpenFile {
 public:
  OpenFile(const std::string& path, int flags) : path_(path), fd_(open_file(path, flags)) {}
  ~OpenFile() {
    if (fd_ >= 0) ::close(fd_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  struct stat status() const {
    struct stat found {};
    if (::fstat(fd_, &found) != 0) fail_with_errno(path_, errno);
    return found;
  }
  // The number of bytes read; 0 at the end.
  std::size_t read(char* to, std::size_t n) const {
    while (true) {
      const ssize_t got = ::read(fd_, to, n);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) fail_with_errno(path_, errno);
      poll();
    }
  }
  void write(std::string_view bytes) const { write_all(fd_, path_, bytes, kPiece, true); }
  static constexpr std::size_t kPiece = std::size_t{1} << 20;

 private:
  const std::string& path_;
  int fd_;
};

}  // namespace

void fail_with_errno(const std::string& path, int error) {
  char buffer[256];
  fail(kind_of(error), path, "; ", ::strerror_r(error, buffer, sizeof buffer));
}

GrowingFile::GrowingFile(const std::string& path)
    : path_(local_path(path)), fd_(open_file(path_, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND)) {}

GrowingFile::~GrowingFile() { ::close(fd_); }

void GrowingFile::append(std::string_view bytes) {
  write_all(fd_, path_, bytes, std::numeric_limits<ssize_t>::max(), false);
}

bool GrowingFile::exists() const {
  struct stat status {};
  return ::stat(path_.c_str(), &status) == 0;
}

std::string read_local_file(const std::string& given) {
  const std::string path = local_path(given);
  const OpenFile file(path, O_RDONLY);
  const struct stat status = file.status();
  if (S_ISDIR(status.st_mode)) fail(ErrorKind::kFailedPrecondition, path, "; Is a directory");
  std::string contents;
  // The size is a hint only: the file may grow, and special files have none.
  for (std::size_t size = 0;; poll()) {
    const auto hint = static_cast<std::size_t>(std::max<off_t>(status.st_size, 0));
    const std::size_t piece = std::min(hint > size ? hint - size + 1 : OpenFile::kPiece / 16, OpenFile::kPiece);
    if (contents.capacity() < size + piece) contents.reserve(std::max(size + piece, 2 * contents.capacity()));
    contents.resize(size + piece);
    const std::size_t got = file.read(contents.data() + size, piece);
    size += got;
    contents.resize(size);
    if (got == 0) return contents;
  }
}

void write_local_file(const std::string& given, std::string_view contents) {
  const std::string path = local_path(given);
  struct stat status {};
  if (::stat(checked(path), &status) == 0 && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) fail_with_errno(path, EISDIR);
    OpenFile(path, O_WRONLY).write(contents);
    return;
  }
  ReplacingFile file(path);
  file.append(contents);
  file.commit();
}

ReplacingFile::ReplacingFile(const std::string& given) : target_(local_path(given)) {
  struct stat status {};
  const bool exists = ::stat(checked(target_), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) fail_with_errno(target_, EISDIR);
  // A link stays one: what it leads to is replaced.
  if (char* real = exists ? ::realpath(target_.c_str(), nullptr) : nullptr) {
    target_ = real;
    ::free(real);
  }
  static std::atomic<unsigned> counter{0};
  temporary_ = concat(target_, ".tmp", ::getpid(), "_", counter++);
  fd_ = open_file(temporary_, O_WRONLY | O_CREAT | O_EXCL);
  if (exists && ::fchmod(fd_, status.st_mode & 07777) != 0) {
    const int error = errno;
    ::close(fd_);
    ::unlink(temporary_.c_str());
    fail_with_errno(target_, error);
  }
}

ReplacingFile::~ReplacingFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void ReplacingFile::append(std::string_view bytes) { write_all(fd_, target_, bytes, OpenFile::kPiece, true); }

void ReplacingFile::commit() {
  if (::fsync(fd_) != 0 && errno != EINVAL && errno != EROFS) fail_with_errno(target_, errno);
  if (::close(std::exchange(fd_, -1)) != 0) fail_with_errno(target_, errno);
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_with_errno(target_, errno);
  temporary_.clear();
}

RandomFile::RandomFile(const std::string& path) : path_(local_path(path)), fd_(open_file(path_, O_RDONLY)) {
  struct stat status {};
  const int error = ::fstat(fd_, &status) != 0 ? errno : S_ISREG(status.st_mode) ? 0 : EISDIR;
  if (error) {
    ::close(fd_);
    fail_with_errno(path_, error);
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

RandomFile::~RandomFile() { ::close(fd_); }

void RandomFile::read(std::uint64_t offset, char* to, std::size_t n) const {
  while (n > 0) {
    const ssize_t got = ::pread(fd_, to, std::min(n, OpenFile::kPiece), static_cast<off_t>(offset));
    if (got < 0 && errno != EINTR) fail_with_errno(path_, errno);
    if (got == 0) fail(ErrorKind::kOutOfRange, path_, "; Read less bytes than requested");
    if (got > 0) {
      offset += static_cast<std::uint64_t>(got);
      to += got;
      n -= static_cast<std::size_t>(got);
    }
    poll();
  }
}

void rename_local_file(const std::string& from, const std::string& to) {
  if (::rename(checked(local_path(from)), checked(local_path(to))) != 0) fail_with_errno(from, errno);
}

}  // namespace tracefn
