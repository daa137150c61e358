// Schemas, and messages read by them from the wire format and from text.
#include "wire/proto_tree.h"

#include <string>

#include "check.h"
#include "wire/local_messages.h"
#include "wire/message.h"
#include "wire/proto_schema.h"
#include "wire/proto_text.h"

namespace tracefn::test {
namespace {

std::string binary_of(const ProtoMessage& type, std::string_view text) {
  ProtoTree tree(type);
  merge_text(tree, text);
  return tree.binary();
}

TEST(schema_knows_nested_types_and_their_fields) {
  ProtoSchema schema(local_messages());
  CHECK(schema.message("tensorflow.Nothing") == nullptr);
  const ProtoMessage* entry = schema.message("tensorflow.Features.FeatureEntry");
  CHECK(entry && entry->is_map_entry);
  const ProtoField* value = entry->field("value");
  CHECK(value && value->number == 2 && value->message == schema.message("tensorflow.Feature"));
  const ProtoField* numbers = schema.message("tensorflow.Int64List")->field("value");
  CHECK(numbers->repeated && numbers->packed && wire_type(numbers->type) == 0);
}

TEST(schema_refuses_what_it_cannot_read) {
  CHECK_THROWS(ProtoSchema("\xff\xff"), kValue, "no serialized message");
  Message set;
  Message& message = set.add_message(1, "file").add_message(4, "message_type");
  message.add_text(1, "name", "M");
  Message& field = message.add_message(2, "field");
  field.add_text(1, "name", "x");
  field.add_int(3, "number", 1);
  field.add_int(5, "type", 11);
  field.add_text(6, "type_name", ".Missing");
  CHECK_THROWS(ProtoSchema(set.binary()), kValue, "is not declared");
}

TEST(text_and_wire_format_say_the_same) {
  ProtoSchema schema(local_messages());
  const ProtoMessage& type = *schema.message("tensorflow.Feature");
  CHECK_EQ(binary_of(*schema.message("tensorflow.Int64List"), "value: [1, 0x2] value: -1"),
           std::string("\x0a\x0c\x01\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 14));
  // The last member of a oneof stays; unknown fields follow.
  ProtoTree tree(type);
  tree.merge(WireReader(std::string_view("\x0a\x00\x50\x07\x1a\x03\x0a\x01\x05", 9)));
  CHECK_EQ(tree.binary(), std::string("\x1a\x03\x0a\x01\x05\x50\x07", 7));
}

TEST(wrong_text_is_refused_with_its_place) {
  ProtoSchema schema(local_messages());
  const ProtoMessage& type = *schema.message("tensorflow.Feature");
  CHECK_THROWS(binary_of(type, "bytes_list {\n  nope: 1 }"), kValue, "2:");
  CHECK_THROWS(binary_of(type, "int64_list { value: 99999999999999999999 }"), kValue, "out of range");
  CHECK_THROWS(binary_of(type, "int64_list { value: 1"), kValue, "Expected");
  std::string deep;
  for (int i = 0; i < 200; ++i) deep += "int64_list {";
  CHECK_THROWS(binary_of(type, deep), kValue, "");
  CHECK_EQ(unescaped("a\\n\\x41\\101\\u00e9"), std::string("a\nAA\xc3\xa9"));
  CHECK_THROWS(unescaped("\\q"), kValue, "escape");
}

}  // namespace
}  // namespace tracefn::test
