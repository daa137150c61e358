// Readers of tf.train.Example and SequenceExample messages, without copies. Bytes are not trusted: every length is
// checked against what is left, and violations are an Error(kValue).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"
#include "wire/wire_reader.h"

namespace tracefn {

// The list in a Feature message: its dtype (kInvalid: none), bytes, and number of values.
struct FeatureValues {
  DType dtype = DType::kInvalid;
  std::string_view bytes;
  std::int64_t count = 0;
};

// The first list of a Feature; counts its values.
FeatureValues read_feature(std::string_view feature);

// Calls f(value) for each value, a std::string_view, float or std::int64_t.
template <typename F>
void each_value(const FeatureValues& list, F&& f) {
  WireReader reader(list.bytes);
  while (reader.next()) {
    if (list.dtype == DType::kString) {
      if (reader.key() == delimited_field(1)) f(reader.bytes());
    } else if (list.dtype == DType::kFloat) {
      if (reader.key() == fixed32_field(1)) {
        f(reader.real32());
      } else if (reader.key() == delimited_field(1)) {
        WireReader packed = reader.message();
        for (float value = 0; packed.next_fixed(value);) f(value);
      }
    } else if (reader.key() == varint_field(1)) {
      f(reader.integer());
    } else if (reader.key() == delimited_field(1)) {
      WireReader packed = reader.message();
      for (std::uint64_t value = 0; packed.next_varint(value);) f(static_cast<std::int64_t>(value));
    }
  }
}

// Writes the values to consecutive elements from `at` on; there must be room. Returns the place after them.
std::int64_t copy_values(const FeatureValues& list, Tensor& to, std::int64_t at);

// An entry of a map from strings: of Features to Feature messages, of FeatureLists to FeatureList messages.
struct MapEntry {
  std::string_view key, value;
};
// Appends the entries of a Features or FeatureLists message.
void read_map(std::string_view message, std::vector<MapEntry>& entries);

// The entries of an Example; of a SequenceExample, those of its context, and its lists.
void read_example(std::string_view bytes, std::vector<MapEntry>& features);
void read_sequence_example(std::string_view bytes, std::vector<MapEntry>& context, std::vector<MapEntry>& lists);

// The Feature messages of a FeatureList.
std::vector<std::string_view> read_feature_list(std::string_view message);

}  // namespace tracefn
