// WireReader: iterates over the fields of a message in the protocol buffer wire format. Bytes are not trusted: each
// length is checked against the rest, and violations are an Error(kValue) with the position in the file. Nothing is
// copied; the bytes must outlive the reader.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tracefn {

// A field's key: its number and wire type.
constexpr std::uint32_t varint_field(std::uint32_t number) { return number << 3; }
constexpr std::uint32_t fixed64_field(std::uint32_t number) { return number << 3 | 1; }
constexpr std::uint32_t delimited_field(std::uint32_t number) { return number << 3 | 2; }
constexpr std::uint32_t fixed32_field(std::uint32_t number) { return number << 3 | 5; }

class WireReader {
 public:
  // `bytes` is a part of `file`, or all of it.
  WireReader(std::string_view bytes, std::string_view file) : bytes_(bytes), file_(file) {}
  explicit WireReader(std::string_view file) : WireReader(file, file) {}

  // Advances to the next field, false at the end. Unread fields are skipped.
  bool next();
  // One of the above.
  std::uint32_t key() const { return key_; }

  // Precondition of each: the key is of that kind.
  std::uint64_t number() const { return number_; }
  std::int64_t integer() const { return static_cast<std::int64_t>(number_); }
  // Of a varint or of fixed size, zero-extended.
  std::uint64_t plain_number() const;
  float real32() const;
  double real64() const;
  std::string_view bytes() const { return field_; }
  WireReader message() const { return {field_, file_}; }
  // The rest; before the first field, the whole message.
  std::string_view rest() const { return bytes_; }
  // Error unless it is UTF-8.
  std::string text() const;

  // The next number of a packed field, which is read like a message; false at the end.
  bool next_varint(std::uint64_t& value);
  bool next_fixed(float& value);
  bool next_fixed(double& value);
  // The same for the wire type of its numbers: 0 varints, 1 eight bytes, 5 four bytes, zero-extended.
  bool next_number(int wire_type, std::uint64_t& value);

  // The current field with its key.
  std::string_view whole() const { return {start_, static_cast<std::size_t>(bytes_.data() - start_)}; }
  // Where the current field begins.
  std::size_t place() const { return static_cast<std::size_t>(start_ - file_.data()); }

 private:
  std::uint64_t varint();
  std::string_view take(std::uint64_t n);
  void skip_group(std::uint64_t number);
  template <typename T>
  bool next_plain(T& value);
  [[noreturn]] void corrupt(std::string_view what) const;

  std::string_view bytes_;  // the rest
  std::string_view file_;
  const char* start_ = file_.data();
  std::uint32_t key_ = 0;
  std::uint64_t number_ = 0;
  std::string_view field_;
};

// Takes a varint off the front of bytes that are no message; false, with some bytes taken, if it is cut off or too
// long.
bool take_varint(std::string_view& bytes, std::uint64_t& value);

}  // namespace tracefn
