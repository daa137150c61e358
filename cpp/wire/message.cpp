// Writes messages in the protocol buffer wire format, and as text.
#include "wire/message.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "wire/wire_writer.h"

namespace tracefn {
namespace {

std::string quoted(std::string_view text, bool utf8) {
  std::string out = "\"";
  for (char c : text) {
    unsigned char u = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '"' || c == '\'' || c == '\\') {
      out += '\\';
      out += c;
    } else if (u < 0x20 || u == 0x7f || (u > 0x7f && !utf8)) {
      char octal[5];
      std::snprintf(octal, sizeof octal, "\\%03o", u);
      out += octal;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

// As few digits as the type guarantees, or as many as needed to round-trip.
template <typename T>
std::string number_text(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", std::numeric_limits<T>::digits10, static_cast<double>(value));
  if (static_cast<T>(std::strtod(text, nullptr)) != value)
    std::snprintf(text, sizeof text, "%.*g", std::numeric_limits<T>::max_digits10, static_cast<double>(value));
  return text;
}

}  // namespace

void Message::add_text(int number, const char* name, std::string value) {
  fields_.push_back({number, name, Kind::kText, std::move(value)});
}
void Message::add_bytes(int number, const char* name, std::string value) {
  fields_.push_back({number, name, Kind::kBytes, std::move(value)});
}
void Message::add_integers(int number, const char* name, Kind kind, Integers values) {
  fields_.push_back({number, name, kind, std::move(values)});
}
void Message::add_int(int number, const char* name, std::int64_t value) {
  add_integers(number, name, Kind::kInt, {{value}, {}, false});
}
void Message::add_bool(int number, const char* name, bool value) {
  add_integers(number, name, Kind::kBool, {{value}, {}, false});
}
void Message::add_enum(int number, const char* name, std::int64_t value, std::string label) {
  add_integers(number, name, Kind::kEnum, {{value}, {std::move(label)}, false});
}
void Message::add_ints(int number, const char* name, std::vector<std::int64_t> values) {
  add_integers(number, name, Kind::kInt, {std::move(values), {}, true});
}
void Message::add_bools(int number, const char* name, std::vector<std::int64_t> values) {
  add_integers(number, name, Kind::kBool, {std::move(values), {}, true});
}
void Message::add_enums(int number, const char* name, std::vector<std::int64_t> values,
                        std::vector<std::string> labels) {
  add_integers(number, name, Kind::kEnum, {std::move(values), std::move(labels), true});
}
void Message::add_float(int number, const char* name, float value) {
  fields_.push_back({number, name, Kind::kInt, Reals<float>{{value}, false}});
}
void Message::add_double(int number, const char* name, double value) {
  fields_.push_back({number, name, Kind::kInt, Reals<double>{{value}, false}});
}
void Message::add_floats(int number, const char* name, std::vector<float> values) {
  fields_.push_back({number, name, Kind::kInt, Reals<float>{std::move(values), true}});
}
void Message::add_doubles(int number, const char* name, std::vector<double> values) {
  fields_.push_back({number, name, Kind::kInt, Reals<double>{std::move(values), true}});
}
Message& Message::add_message(int number, const char* name) {
  fields_.push_back({number, name, Kind::kMessage, std::make_unique<Message>()});
  return *std::get<std::unique_ptr<Message>>(fields_.back().value);
}

std::string Message::binary() const {
  std::string out;
  write_binary(out);
  return out;
}

void Message::write_binary(std::string& out) const {
  for (const Field& field : fields_) {
    auto write_all = [&](const auto& values, bool packed, WireType type, auto put) {
      if (packed) {
        std::string bytes;
        for (auto v : values) put(bytes, v);
        if (!values.empty()) put_delimited(out, field.number, bytes);
      } else {
        put_key(out, field.number, type);
        put(out, values[0]);
      }
    };
    if (auto* text = std::get_if<std::string>(&field.value)) {
      put_delimited(out, field.number, *text);
    } else if (auto* ints = std::get_if<Integers>(&field.value)) {
      write_all(ints->values, ints->packed, kVarint,
                [](std::string& to, std::int64_t v) { put_varint(to, static_cast<std::uint64_t>(v)); });
    } else if (auto* floats = std::get_if<Reals<float>>(&field.value)) {
      write_all(floats->values, floats->packed, kFixed32, put_fixed<float>);
    } else if (auto* doubles = std::get_if<Reals<double>>(&field.value)) {
      write_all(doubles->values, doubles->packed, kFixed64, put_fixed<double>);
    } else {
      put_delimited(out, field.number, std::get<std::unique_ptr<Message>>(field.value)->binary());
    }
  }
}

std::string Message::text() const {
  std::string out;
  write_text(out, 0);
  return out;
}

void Message::write_text(std::string& out, int indent) const {
  std::string margin(static_cast<std::size_t>(indent), ' ');
  for (const Field& field : fields_) {
    auto line = [&](const std::string& value) {
      out += margin;
      out += field.name;
      out += ": ";
      out += value;
      out += '\n';
    };
    if (auto* text = std::get_if<std::string>(&field.value)) {
      line(quoted(*text, field.kind == Kind::kText));
    } else if (auto* ints = std::get_if<Integers>(&field.value)) {
      for (std::size_t i = 0; i < ints->values.size(); ++i)
        line(field.kind == Kind::kEnum   ? ints->labels[i]
             : field.kind == Kind::kBool ? (ints->values[i] ? "true" : "false")
                                         : std::to_string(ints->values[i]));
    } else if (auto* floats = std::get_if<Reals<float>>(&field.value)) {
      for (float v : floats->values) line(number_text(v));
    } else if (auto* doubles = std::get_if<Reals<double>>(&field.value)) {
      for (double v : doubles->values) line(number_text(v));
    } else {
      out += margin;
      out += field.name;
      out += " {\n";
      std::get<std::unique_ptr<Message>>(field.value)->write_text(out, indent + 2);
      out += margin;
      out += "}\n";
    }
  }
}

}  // namespace tracefn
