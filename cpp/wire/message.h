// Message: a protocol buffer message as a tree of fields, written in the wire format or as text. It knows no schema:
// callers give each field's number, name and type. Not synchronized; owns its fields.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tracefn {

class Message {
 public:
  // Names must live as long as the message; they are literals.
  void add_text(int number, const char* name, std::string value);  // UTF-8, which the text form keeps
  void add_bytes(int number, const char* name, std::string value);
  void add_int(int number, const char* name, std::int64_t value);
  void add_bool(int number, const char* name, bool value);
  // The text form shows `label`.
  void add_enum(int number, const char* name, std::int64_t value, std::string label);
  void add_float(int number, const char* name, float value);
  void add_double(int number, const char* name, double value);
  // The reference is valid until the next message is added here.
  Message& add_message(int number, const char* name);

  // A repeated field of numbers: one packed field on the wire, one line per element in text.
  void add_ints(int number, const char* name, std::vector<std::int64_t> values);
  void add_bools(int number, const char* name, std::vector<std::int64_t> values);
  void add_enums(int number, const char* name, std::vector<std::int64_t> values, std::vector<std::string> labels);
  void add_floats(int number, const char* name, std::vector<float> values);
  void add_doubles(int number, const char* name, std::vector<double> values);

  // The wire format.
  std::string binary() const;
  // As str() of a message in Python.
  std::string text() const;

 private:
  enum class Kind : std::uint8_t { kText, kBytes, kInt, kBool, kEnum, kMessage };
  struct Integers {
    std::vector<std::int64_t> values;
    std::vector<std::string> labels;  // of an enum
    bool packed;
  };
  template <typename T>
  struct Reals {
    std::vector<T> values;
    bool packed;
  };
  struct Field {
    int number;
    const char* name;
    Kind kind;
    std::variant<std::string, Integers, Reals<float>, Reals<double>, std::unique_ptr<Message>> value;
  };

  void write_binary(std::string& out) const;
  void write_text(std::string& out, int indent) const;
  void add_integers(int number, const char* name, Kind kind, Integers values);

  std::vector<Field> fields_;
};

}  // namespace tracefn
