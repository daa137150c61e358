// Buffered reading, and the framing of records.
#include "data/record_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/files.h"
#include "base/poll.h"
#include "ops/image/image_codecs.h"

namespace tracefn::data {
namespace {

constexpr std::size_t kBuffer = std::size_t{256} << 10, kMostBuffer = std::size_t{64} << 20;
constexpr std::size_t kHeader = 12, kFooter = 4;

std::uint32_t u32_at(const char* p) {
  std::uint32_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

[[noreturn]] void truncated(std::int64_t at) {
  fail(ErrorKind::kDataLoss, "truncated record at ", at, "' failed with Read less bytes than requested");
}

}  // namespace

void check_compression(std::string_view type) {
  if (!type.empty() && type != "ZLIB" && type != "GZIP") invalid_argument("Unsupported compression_type: ", type, ".");
}

InputFile::InputFile(const std::string& path, std::string_view compression, std::int64_t buffer_size) : path_(path) {
  check_compression(compression);
  const std::string local = local_path(path);
  if (!compression.empty()) {
    buffer_ = image_codecs().decompress(std::string(compression), read_local_file(local));
    filled_ = buffer_.size();
    size_ = static_cast<std::int64_t>(filled_);
    return;
  }
  file_.reset(std::fopen(local.c_str(), "rb"));
  if (!file_) fail_with_errno(path, errno);
  struct stat status;
  if (fstat(fileno(file_.get()), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail(ErrorKind::kFailedPrecondition, path, "; Is a directory");
    if (S_ISREG(status.st_mode)) size_ = status.st_size;
  }
  std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // this class has a buffer
  buffer_.resize(buffer_size <= 0 ? kBuffer
                                  : std::clamp(static_cast<std::size_t>(buffer_size), std::size_t{4096}, kMostBuffer));
}

bool InputFile::fill() {
  if (!file_) return false;
  poll();
  at_ = 0;
  filled_ = std::fread(buffer_.data(), 1, buffer_.size(), file_.get());
  if (filled_ == 0 && std::ferror(file_.get())) fail_with_errno(path_, errno);
  return filled_ > 0;
}

std::size_t InputFile::read(std::size_t n, std::string& to) {
  std::size_t done = 0;
  while (done < n) {
    if (at_ == filled_ && !fill()) break;
    const std::size_t part = std::min(n - done, filled_ - at_);
    to.append(buffer_, at_, part);
    at_ += part;
    done += part;
  }
  position_ += static_cast<std::int64_t>(done);
  return done;
}

std::int64_t InputFile::skip(std::int64_t n) {
  std::int64_t done = 0;
  while (done < n) {
    if (at_ == filled_ && !fill()) break;
    const std::int64_t part = std::min(n - done, static_cast<std::int64_t>(filled_ - at_));
    at_ += static_cast<std::size_t>(part);
    done += part;
  }
  position_ += done;
  return done;
}

bool InputFile::read_line(std::string& line) {
  line.clear();
  bool any = false;
  for (;;) {
    if (at_ == filled_ && !fill()) break;
    any = true;
    const char* begin = buffer_.data() + at_;
    const auto* end = static_cast<const char*>(std::memchr(begin, '\n', filled_ - at_));
    const std::size_t n = end ? static_cast<std::size_t>(end - begin) : filled_ - at_;
    line.append(begin, n);
    at_ += n + (end ? 1 : 0);
    position_ += static_cast<std::int64_t>(n + (end ? 1 : 0));
    if (end) break;
  }
  if (any && !line.empty() && line.back() == '\r') line.pop_back();
  return any;
}

bool RecordReader::next(std::string& record) {
  const std::int64_t at = file_.position();
  header_.clear();
  // As in TensorFlow, a part of a header is the end, too: that of a file whose writer was interrupted.
  if (file_.read(kHeader, header_) < kHeader) return false;
  std::uint64_t length;
  std::memcpy(&length, header_.data(), sizeof length);
  if (u32_at(header_.data() + 8) != masked_crc32c({header_.data(), 8}))
    fail(ErrorKind::kDataLoss, "corrupted record at ", at, at == 0 ? " (Is this even a TFRecord file?)" : "");
  // No more memory is taken than the file can fill.
  if (file_.size() >= 0 && length > static_cast<std::uint64_t>(file_.size() - file_.position())) truncated(at);
  record.clear();
  if (file_.read(length, record) < length) truncated(at);
  header_.clear();
  if (file_.read(kFooter, header_) < kFooter) truncated(at);
  if (u32_at(header_.data()) != masked_crc32c(record))
    fail(ErrorKind::kDataLoss, "corrupted record at ", at + static_cast<std::int64_t>(kHeader));
  return true;
}

RecordWriter::RecordWriter(const std::string& path, std::string_view compression)
    : path_(path), compression_(compression) {
  check_compression(compression);
  file_.reset(std::fopen(path.c_str(), "wb"));
  if (!file_) fail_with_errno(path, errno);
}

RecordWriter::RecordWriter(const std::string& path, std::int64_t size) : path_(path) {
  file_.reset(std::fopen(path.c_str(), "r+b"));
  if (!file_) fail_with_errno(path, errno);
  struct stat status;
  if (fstat(fileno(file_.get()), &status) != 0) fail_with_errno(path, errno);
  if (status.st_size < size)
    fail(ErrorKind::kDataLoss, path, " has ", status.st_size, " bytes, but ", size, " were written.");
  if (ftruncate(fileno(file_.get()), size) != 0 || std::fseek(file_.get(), 0, SEEK_END) != 0)
    fail_with_errno(path, errno);
}

std::int64_t RecordWriter::flush() {
  if (std::fflush(file_.get()) != 0) fail_with_errno(path_, errno);
  const std::int64_t size = std::ftell(file_.get());
  if (size < 0) fail_with_errno(path_, errno);
  return size;
}

void RecordWriter::put(std::string_view bytes) {
  if (!compression_.empty()) {
    waiting_.append(bytes);
  } else if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) {
    fail_with_errno(path_, errno);
  }
}

void RecordWriter::write(std::string_view record) {
  char header[kHeader], footer[kFooter];
  const std::uint64_t length = record.size();
  std::memcpy(header, &length, sizeof length);
  const std::uint32_t length_crc = masked_crc32c({header, 8}), crc = masked_crc32c(record);
  std::memcpy(header + 8, &length_crc, sizeof length_crc);
  std::memcpy(footer, &crc, sizeof crc);
  put({header, kHeader});
  put(record);
  put({footer, kFooter});
}

void RecordWriter::finish() {
  if (const std::string compression = std::exchange(compression_, {}); !compression.empty())
    put(image_codecs().compress(compression, std::exchange(waiting_, {})));
  std::FILE* file = file_.release();
  if (std::fclose(file) != 0) fail_with_errno(path_, errno);
}

}  // namespace tracefn::data
