// tensorflow.Example and what it holds, as descriptors.
#include "wire/local_messages.h"

#include <map>
#include <string_view>
#include <vector>

#include "wire/message.h"
#include "wire/proto_schema.h"

namespace tracefn {
namespace {

struct Field {
  const char* name;
  ProtoType type;
  bool repeated = false;
  const char* of = "";  // the message, below the package
  bool in_oneof = false;
};

// The fields have the numbers 1, 2, ….
struct Type {
  const char* name;
  std::vector<Field> fields;
  const char* entry_of = nullptr;  // an entry of a map of that message
};

const std::vector<Type>& types() {
  static const auto* all = new std::vector<Type>{
      {"BytesList", {{"value", ProtoType::kBytes, true}}},
      {"FloatList", {{"value", ProtoType::kFloat, true}}},
      {"Int64List", {{"value", ProtoType::kInt64, true}}},
      {"Feature",
       {{"bytes_list", ProtoType::kMessage, false, "BytesList", true},
        {"float_list", ProtoType::kMessage, false, "FloatList", true},
        {"int64_list", ProtoType::kMessage, false, "Int64List", true}}},
      {"Features", {{"feature", ProtoType::kMessage, true, "Features.FeatureEntry"}}},
      {"FeatureEntry", {{"key", ProtoType::kString}, {"value", ProtoType::kMessage, false, "Feature"}}, "Features"},
      {"FeatureList", {{"feature", ProtoType::kMessage, true, "Feature"}}},
      {"FeatureLists", {{"feature_list", ProtoType::kMessage, true, "FeatureLists.FeatureListEntry"}}},
      {"FeatureListEntry",
       {{"key", ProtoType::kString}, {"value", ProtoType::kMessage, false, "FeatureList"}},
       "FeatureLists"},
      {"Example", {{"features", ProtoType::kMessage, false, "Features"}}},
      {"SequenceExample",
       {{"context", ProtoType::kMessage, false, "Features"},
        {"feature_lists", ProtoType::kMessage, false, "FeatureLists"}}},
  };
  return *all;
}

void declare(Message& descriptor, const Type& type) {
  descriptor.add_text(1, "name", type.name);
  int number = 0;
  for (const Field& field : type.fields) {
    Message& one = descriptor.add_message(2, "field");
    one.add_text(1, "name", field.name);
    one.add_int(3, "number", ++number);
    one.add_int(4, "label", field.repeated ? 3 : 1);
    one.add_int(5, "type", static_cast<std::int64_t>(field.type));
    if (field.type == ProtoType::kMessage) one.add_text(6, "type_name", std::string(".tensorflow.") + field.of);
    if (field.in_oneof) one.add_int(9, "oneof_index", 0);
  }
  if (type.entry_of) descriptor.add_message(7, "options").add_bool(7, "map_entry", true);
  for (const Type& inside : types())
    if (inside.entry_of && std::string_view(inside.entry_of) == type.name)
      declare(descriptor.add_message(3, "nested_type"), inside);
}

}  // namespace

std::string local_messages() {
  Message set;
  Message& file = set.add_message(1, "file");
  file.add_text(1, "name", "tensorflow/core/example/example.proto");
  file.add_text(2, "package", "tensorflow");
  for (const Type& type : types())
    if (!type.entry_of) declare(file.add_message(4, "message_type"), type);
  file.add_text(12, "syntax", "proto3");
  return set.binary();
}

}  // namespace tracefn
