// DecodeJSONExample: tf.train.Example messages from the JSON form of protocol buffers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "ops/files/files.h"
#include "ops/files/json_reader.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/registry.h"
#include "ops/strings/number_parse.h"
#include "ops/without_gradient.h"
#include "wire/message.h"

namespace tracefn {
namespace {

[[noreturn]] void no_such_field(const JsonReader& json, const std::string& name) {
  json.fail_here(concat("no such field: '", name, "'"));
}

// The one field of a message, under its name in JSON or in its schema; the value null leaves it out.
template <typename F>
void read_field(JsonReader& json, std::string_view name, std::string_view schema_name, F&& f) {
  if (json.null()) return;
  json.object([&](const std::string& key) {
    if (key != name && key != schema_name) no_such_field(json, key);
    if (!json.null()) f();
  });
}

std::int64_t integer(JsonReader& json) {
  const std::string text = json.number_or_string();
  if (const auto value = parse_number<std::int64_t>(text)) return *value;
  // 1e3 is an integer, too.
  constexpr double kEnd = 0x1p63;
  const auto real = parse_number<double>(text);
  if (!real || std::trunc(*real) != *real || *real < -kEnd || *real >= kEnd)
    json.fail_here(concat("'", text, "' is no int64"));
  return static_cast<std::int64_t>(*real);
}

float real(JsonReader& json) {
  const std::string text = json.number_or_string();
  if (text == "NaN") return std::numeric_limits<float>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<float>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<float>::infinity();
  const auto value = parse_number<float>(text);
  if (!value || !std::isfinite(*value)) json.fail_here(concat("'", text, "' is no float"));
  return *value;
}

// In either alphabet of base64.
std::string bytes(JsonReader& json) {
  std::string text = json.string();
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return base64_bytes(text);
}

void read_feature(JsonReader& json, Message& feature) {
  if (json.null()) return;
  json.object([&](const std::string& key) {
    const int number = key == "bytesList" || key == "bytes_list"   ? 1
                       : key == "floatList" || key == "float_list" ? 2
                       : key == "int64List" || key == "int64_list" ? 3
                                                                   : 0;
    if (number == 0) no_such_field(json, key);
    if (json.null()) return;
    Message& list = feature.add_message(number, "list");
    read_field(json, "value", "value", [&] {
      json.array([&] {
        if (number == 1) list.add_bytes(1, "value", bytes(json));
        if (number == 2) list.add_float(1, "value", real(json));
        if (number == 3) list.add_int(1, "value", integer(json));
      });
    });
  });
}

std::string example_of(const std::string& text) {
  JsonReader json(text);
  Message example;
  read_field(json, "features", "features", [&] {
    Message& features = example.add_message(1, "features");
    json.object([&](const std::string& key) {
      if (key != "feature") no_such_field(json, key);
      if (json.null()) return;
      json.object([&](const std::string& name) {
        Message& entry = features.add_message(1, "feature");
        entry.add_text(1, "key", name);
        read_feature(json, entry.add_message(2, "value"));
      });
    });
  });
  json.end();
  return example.binary();
}

void decode_json_example(KernelContext& c) {
  map_strings(c, [](const KernelContext&, const std::string& text) { return example_of(text); });
}

}  // namespace

void register_decode_json_example(Registry& r) {
  r.add({.name = "DecodeJSONExample",
         .python = "io.decode_json_example(json_examples)",
         .aliases = {"compat.v1.decode_json_example"},
         .inputs = {"json_examples: string"},
         .outputs = {"binary_examples: string"},
         .doc = "Serialized tf.train.Example messages from their JSON form.\n\nThe result has the shape of "
                "`json_examples`. Raises InvalidArgumentError if a string is no such JSON.",
         .infer = infer::same_as_first,
         .kernel = decode_json_example,
         .grad = without_gradient});
}

}  // namespace tracefn
