// Reads the messages of tensorflow/core/example.
#include "ops/files/example_reader.h"

namespace tracefn {
namespace {

DType dtype_of_field(std::uint32_t key) {
  return key == delimited_field(1)   ? DType::kString
         : key == delimited_field(2) ? DType::kFloat
         : key == delimited_field(3) ? DType::kInt64
                                     : DType::kInvalid;
}

}  // namespace

FeatureValues read_feature(std::string_view feature) {
  FeatureValues list;
  for (WireReader reader(feature); list.dtype == DType::kInvalid && reader.next();) {
    list.dtype = dtype_of_field(reader.key());
    if (list.dtype != DType::kInvalid) list.bytes = reader.bytes();
  }
  if (list.dtype != DType::kInvalid) each_value(list, [&](auto) { ++list.count; });
  return list;
}

std::int64_t copy_values(const FeatureValues& list, Tensor& to, std::int64_t at) {
  each_value(list, [&](auto value) {
    using Value = decltype(value);
    if constexpr (std::is_same_v<Value, std::string_view>) {
      to.mutable_data<std::string>()[at++] = value;
    } else {
      to.mutable_data<Value>()[at++] = value;
    }
  });
  return at;
}

void read_map(std::string_view message, std::vector<MapEntry>& entries) {
  for (WireReader reader(message); reader.next();) {
    if (reader.key() != delimited_field(1)) continue;
    MapEntry entry;
    for (WireReader part = reader.message(); part.next();) {
      if (part.key() == delimited_field(1)) entry.key = part.bytes();
      if (part.key() == delimited_field(2)) entry.value = part.bytes();
    }
    entries.push_back(entry);
  }
}

void read_example(std::string_view bytes, std::vector<MapEntry>& features) {
  for (WireReader reader(bytes); reader.next();)
    if (reader.key() == delimited_field(1)) read_map(reader.bytes(), features);
}

void read_sequence_example(std::string_view bytes, std::vector<MapEntry>& context, std::vector<MapEntry>& lists) {
  for (WireReader reader(bytes); reader.next();) {
    if (reader.key() == delimited_field(1)) read_map(reader.bytes(), context);
    if (reader.key() == delimited_field(2)) read_map(reader.bytes(), lists);
  }
}

std::vector<std::string_view> read_feature_list(std::string_view message) {
  std::vector<std::string_view> features;
  for (WireReader reader(message); reader.next();)
    if (reader.key() == delimited_field(1)) features.push_back(reader.bytes());
  return features;
}

}  // namespace tracefn
