// ProtoSchema: the messages and enums that a serialized FileDescriptorSet declares (google/protobuf/descriptor.proto).
// Immutable once made; owns everything that its pointers refer to.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tracefn {

// FieldDescriptorProto.Type.
enum class ProtoType : std::uint8_t {
  kDouble = 1,
  kFloat,
  kInt64,
  kUint64,
  kInt32,
  kFixed64,
  kFixed32,
  kBool,
  kString,
  kGroup,
  kMessage,
  kBytes,
  kUint32,
  kEnum,
  kSfixed32,
  kSfixed64,
  kSint32,
  kSint64,
};

// The wire type of one value: 0 a varint, 1 and 5 eight and four bytes, 2 bytes with their length, 3 a group.
int wire_type(ProtoType type);
// Whether values are numbers, which a repeated field may pack into one.
inline bool is_packable(ProtoType type) { return wire_type(type) != 2 && wire_type(type) != 3; }

struct ProtoMessage;

struct ProtoEnum {
  std::string full_name;
  std::vector<std::pair<std::string, std::int32_t>> values;
  bool closed = false;  // holds no other numbers

  const std::int32_t* number(std::string_view name) const;
  bool has(std::int32_t number) const;
};

struct ProtoField {
  std::string name, full_name;
  std::uint32_t number = 0;
  ProtoType type = ProtoType::kInt32;
  bool repeated = false, required = false, packed = false;
  // Set even if its value is the default.
  bool has_presence = true;
  int oneof = -1;  // the number of the oneof that it is in
  const ProtoMessage* message = nullptr;
  const ProtoEnum* enumeration = nullptr;
  bool utf8 = false;               // a string whose text is checked
  std::uint64_t default_bits = 0;  // as ProtoItem::bits
  std::string default_string;
};

struct ProtoMessage {
  std::string full_name;
  bool is_map_entry = false;
  std::vector<ProtoField> fields;      // in the order of their declaration
  std::vector<ProtoField> extensions;  // of this message, wherever they are declared

  // By its name; an extension by its full name. Null: there is none.
  const ProtoField* field(std::string_view name) const;
  const ProtoField* field(std::uint32_t number) const;
};

class ProtoSchema {
 public:
  // Error(kValue) if the bytes are no FileDescriptorSet, or refer to types that they do not declare.
  explicit ProtoSchema(std::string_view serialized);
  ProtoSchema(const ProtoSchema&) = delete;
  ProtoSchema& operator=(const ProtoSchema&) = delete;

  // Null: there is none.
  const ProtoMessage* message(std::string_view full_name) const;

 private:
  class Reader;
  std::deque<ProtoMessage> messages_;
  std::deque<ProtoEnum> enums_;
  std::map<std::string, ProtoMessage*, std::less<>> messages_by_name_;
  std::map<std::string, ProtoEnum*, std::less<>> enums_by_name_;
};

}  // namespace tracefn
