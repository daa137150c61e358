// Files that are read and written piece by piece: bytes, and records in TFRecord's framing (a length, its checksum, the
// bytes, their checksum). Used by one thread at a time.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace tracefn::data {

// Reads a file through a buffer. A compressed one ("ZLIB", "GZIP") is decompressed whole when it is opened.
class InputFile {
 public:
  // Error if it cannot be opened, Error(kInvalidArgument) for another compression.
  InputFile(const std::string& path, std::string_view compression, std::int64_t buffer_size = 0);

  // Appends up to n bytes to `to`; fewer only at the end.
  std::size_t read(std::size_t n, std::string& to);
  // Leaves out up to n bytes and returns how many there were.
  std::int64_t skip(std::int64_t n);
  // The next line without its end, "\n" or "\r\n"; false at the end.
  bool read_line(std::string& line);
  std::int64_t position() const { return position_; }
  // The size, or kUnknown for what is no regular file.
  static constexpr std::int64_t kUnknown = -1;
  std::int64_t size() const { return size_; }
  const std::string& path() const { return path_; }

 private:
  bool fill();

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;  // null: everything is in the buffer
  std::string buffer_;
  std::size_t at_ = 0, filled_ = 0;
  std::int64_t position_ = 0, size_ = kUnknown;
};

// Error(kInvalidArgument) unless there is such a compression.
void check_compression(std::string_view type);

class RecordReader {
 public:
  explicit RecordReader(InputFile& file) : file_(file) {}
  // False at the end. Error(kDataLoss) if the file is damaged or cut off.
  bool next(std::string& record);

 private:
  InputFile& file_;
  std::string header_;
};

// A compressed file ("ZLIB", "GZIP") is kept in memory until it is finished.
class RecordWriter {
 public:
  // Error(kInvalidArgument) for another compression.
  explicit RecordWriter(const std::string& path, std::string_view compression = {});
  // Goes on with a file without compression, of which only the first `size` bytes stay. Error(kDataLoss) if it has
  // fewer.
  RecordWriter(const std::string& path, std::int64_t size);
  void write(std::string_view record);
  // Hands everything that was written to the system; the size of the file, without compression.
  std::int64_t flush();
  // Writes what is left and closes the file.
  void finish();

 private:
  void put(std::string_view bytes);

  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_, compression_;
  std::unique_ptr<std::FILE, Close> file_;
  std::string waiting_;
};

}  // namespace tracefn::data
