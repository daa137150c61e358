// ProtoTree: the values in one message, by field, as its schema declares them; what it does not declare is kept as it
// is, except groups, which are left out. Not synchronized; the schema must outlive it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wire/proto_schema.h"
#include "wire/wire_reader.h"

namespace tracefn {

class ProtoTree;

// One value. `bits`: a signed number or that of an enum as an int64, an unsigned one as a uint64, a bool as 0 or 1, the
// bits of a float or double.
struct ProtoItem {
  std::uint64_t bits = 0;
  std::string bytes;
  std::unique_ptr<ProtoTree> message;
};

// `bits` of a number as the wire has it, and the reverse.
std::uint64_t bits_from_wire(ProtoType type, std::uint64_t on_wire);
std::uint64_t bits_for_wire(ProtoType type, std::uint64_t bits);
// Appends one number without its key.
void put_number(std::string& out, ProtoType type, std::uint64_t bits);

// Calls number(bits) for each number of a field that `reader` is at, packed or not, or string(bytes); neither if the
// wire type is not the field's.
template <typename Number, typename String>
void each_value(const WireReader& reader, const ProtoField& field, Number number, String string);

class ProtoTree {
 public:
  // Error(kUnimplemented) if the message has groups.
  explicit ProtoTree(const ProtoMessage& type);

  const ProtoMessage& type() const { return type_; }
  // The place for one more value of a repeated field, or for the value of another one, which replaces the last; for a
  // message that is there already, that one.
  ProtoItem& add(const ProtoField& field);
  bool has(const ProtoField& field) const { return values_.contains(field.number); }
  // Adds what is in serialized bytes. Error(kValue) if they are no message.
  void merge(WireReader reader, int depth = 0);
  // Whether the required fields are there, in the messages inside, too.
  bool complete() const;
  // The wire format, in the order of the fields' numbers, and then what is not declared.
  std::string binary() const;

 private:
  struct Values {
    const ProtoField* field = nullptr;
    std::vector<ProtoItem> items;
  };
  const ProtoMessage& type_;
  std::map<std::uint32_t, Values> values_;
  std::string undeclared_;
};

template <typename Number, typename String>
void each_value(const WireReader& reader, const ProtoField& field, Number number, String string) {
  const std::uint32_t wire = reader.key() & 7;
  const int expected = wire_type(field.type);
  if (wire == 2 && expected == 2) {
    string(reader.bytes());
  } else if (static_cast<int>(wire) == expected) {
    number(bits_from_wire(field.type, reader.plain_number()));
  } else if (wire == 2 && field.repeated && is_packable(field.type)) {
    WireReader packed = reader.message();
    for (std::uint64_t value = 0; packed.next_number(expected, value);) number(bits_from_wire(field.type, value));
  }
}

}  // namespace tracefn
