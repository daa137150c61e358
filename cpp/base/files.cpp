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

class OpenFile {
 public:
  OpenFile(const std::string& path, int flags) : path_(path), fd_(::open(checked(path), flags | O_CLOEXEC, 0666)) {
    if (fd_ < 0) fail_with_errno(path, errno);
  }
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
  void write(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t put = ::write(fd_, bytes.data(), std::min(bytes.size(), kPiece));
      if (put < 0 && errno != EINTR) fail_with_errno(path_, errno);
      if (put > 0) bytes.remove_prefix(static_cast<std::size_t>(put));
      poll();
    }
  }
  void set_mode(mode_t mode) const {
    if (::fchmod(fd_, mode) != 0) fail_with_errno(path_, errno);
  }
  void close_flushed() {
    if (::fsync(fd_) != 0 && errno != EINVAL && errno != EROFS) fail_with_errno(path_, errno);
    if (::close(std::exchange(fd_, -1)) != 0) fail_with_errno(path_, errno);
  }

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
  const bool exists = ::stat(checked(path), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    if (S_ISDIR(status.st_mode)) fail_with_errno(path, EISDIR);
    OpenFile(path, O_WRONLY).write(contents);
    return;
  }
  // A link stays one: what it leads to is replaced.
  std::string target = path;
  if (char* real = exists ? ::realpath(path.c_str(), nullptr) : nullptr) {
    target = real;
    ::free(real);
  }
  static std::atomic<unsigned> counter{0};
  const std::string temporary = concat(target, ".tmp", ::getpid(), "_", counter++);
  try {
    OpenFile file(temporary, O_WRONLY | O_CREAT | O_EXCL);
    if (exists) file.set_mode(status.st_mode & 07777);
    file.write(contents);
    file.close_flushed();
    if (::rename(temporary.c_str(), target.c_str()) != 0) fail_with_errno(path, errno);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
}

}  // namespace tracefn
