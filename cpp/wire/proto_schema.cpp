// Reads a FileDescriptorSet.
#include "wire/proto_schema.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/error.h"
#include "wire/proto_text.h"
#include "wire/wire_reader.h"

namespace tracefn {
namespace {

// Deeper nesting of messages than any program declares.
constexpr int kMostNesting = 100;

std::uint64_t enum_bits(std::int32_t number) { return static_cast<std::uint64_t>(std::int64_t{number}); }

std::string joined(std::string_view scope, std::string_view name) {
  return scope.empty() ? std::string(name) : concat(scope, ".", name);
}

}  // namespace

int wire_type(ProtoType type) {
  switch (type) {
    case ProtoType::kDouble:
    case ProtoType::kFixed64:
    case ProtoType::kSfixed64:
      return 1;
    case ProtoType::kFloat:
    case ProtoType::kFixed32:
    case ProtoType::kSfixed32:
      return 5;
    case ProtoType::kString:
    case ProtoType::kBytes:
    case ProtoType::kMessage:
      return 2;
    case ProtoType::kGroup:
      return 3;
    default:
      return 0;
  }
}

const std::int32_t* ProtoEnum::number(std::string_view name) const {
  for (const auto& [label, number] : values)
    if (label == name) return &number;
  return nullptr;
}

bool ProtoEnum::has(std::int32_t number) const {
  for (const auto& value : values)
    if (value.second == number) return true;
  return false;
}

const ProtoField* ProtoMessage::field(std::string_view name) const {
  for (const ProtoField& f : fields)
    if (f.name == name) return &f;
  for (const ProtoField& f : extensions)
    if (f.full_name == name) return &f;
  return nullptr;
}

const ProtoField* ProtoMessage::field(std::uint32_t number) const {
  for (const std::vector<ProtoField>* list : {&fields, &extensions})
    for (const ProtoField& f : *list)
      if (f.number == number) return &f;
  return nullptr;
}

// Declares all types first, and then connects fields with theirs.
class ProtoSchema::Reader {
 public:
  explicit Reader(ProtoSchema& schema) : schema_(schema) {}

  void read(std::string_view serialized) {
    WireReader set(serialized);
    while (set.next())
      if (set.key() == delimited_field(1)) read_file(set.message());
    for (auto& [message, declared] : fields_) message->fields.push_back(finished(declared));
    for (Declared& declared : extensions_) {
      ProtoMessage* extended = find(schema_.messages_by_name_, declared.scope, declared.extendee);
      if (!extended) fail(ErrorKind::kValue, "\"", declared.extendee, "\" is not declared.");
      extended->extensions.push_back(finished(declared));
    }
  }

 private:
  struct Declared {
    ProtoField field;
    std::string scope;      // where its type's name is looked up
    std::string type_name;  // of messages and enums
    std::string extendee;
    std::optional<std::string> default_text;
  };

  void read_file(WireReader file) {
    std::string package;
    std::string syntax = "proto2";
    for (WireReader again = file; again.next();) {
      if (again.key() == delimited_field(2)) package = again.text();
      if (again.key() == delimited_field(12)) syntax = again.text();
    }
    if (syntax == "editions")
      fail(ErrorKind::kValue, "Files of editions are not supported; syntax proto2 and proto3 are.");
    proto3_ = syntax == "proto3";
    while (file.next()) {
      if (file.key() == delimited_field(4)) read_message(file.message(), package, 0);
      if (file.key() == delimited_field(5)) read_enum(file.message(), package);
      if (file.key() == delimited_field(7)) extensions_.push_back(read_field(file.message(), package));
    }
  }

  void read_message(WireReader from, const std::string& scope, int depth) {
    if (depth > kMostNesting) fail(ErrorKind::kValue, "Messages are declared more than ", kMostNesting, " deep.");
    std::string name;
    for (WireReader again = from; again.next();)
      if (again.key() == delimited_field(1)) name = again.text();
    ProtoMessage& message = schema_.messages_.emplace_back();
    message.full_name = joined(scope, name);
    schema_.messages_by_name_[message.full_name] = &message;
    while (from.next()) {
      switch (from.key()) {
        case delimited_field(2):
          fields_.emplace_back(&message, read_field(from.message(), message.full_name));
          break;
        case delimited_field(3):
          read_message(from.message(), message.full_name, depth + 1);
          break;
        case delimited_field(4):
          read_enum(from.message(), message.full_name);
          break;
        case delimited_field(6):
          extensions_.push_back(read_field(from.message(), message.full_name));
          break;
        case delimited_field(7):
          for (WireReader options = from.message(); options.next();)
            if (options.key() == varint_field(7)) message.is_map_entry = options.number() != 0;
          break;
        default:
          break;
      }
    }
  }

  void read_enum(WireReader from, const std::string& scope) {
    ProtoEnum& enumeration = schema_.enums_.emplace_back();
    enumeration.closed = !proto3_;
    while (from.next()) {
      if (from.key() == delimited_field(1)) enumeration.full_name = joined(scope, from.text());
      if (from.key() != delimited_field(2)) continue;
      std::pair<std::string, std::int32_t> value{};
      for (WireReader in = from.message(); in.next();) {
        if (in.key() == delimited_field(1)) value.first = in.text();
        if (in.key() == varint_field(2)) value.second = static_cast<std::int32_t>(in.number());
      }
      enumeration.values.push_back(std::move(value));
    }
    schema_.enums_by_name_[enumeration.full_name] = &enumeration;
  }

  Declared read_field(WireReader from, const std::string& scope) const {
    Declared declared;
    declared.scope = scope;
    ProtoField& field = declared.field;
    std::optional<bool> packed;
    bool optional3 = false;
    while (from.next()) {
      switch (from.key()) {
        case delimited_field(1):
          field.name = from.text();
          break;
        case delimited_field(2):
          declared.extendee = from.text();
          break;
        case varint_field(3):
          field.number = static_cast<std::uint32_t>(from.number());
          break;
        case varint_field(4):
          field.required = from.number() == 2;
          field.repeated = from.number() == 3;
          break;
        case varint_field(5):
          if (from.number() < 1 || from.number() > 18)
            fail(ErrorKind::kValue, "A field has the type ", from.number(), ".");
          field.type = static_cast<ProtoType>(from.number());
          break;
        case delimited_field(6):
          declared.type_name = from.text();
          break;
        case delimited_field(7):
          declared.default_text = from.text();
          break;
        case delimited_field(8):
          for (WireReader options = from.message(); options.next();)
            if (options.key() == varint_field(2)) packed = options.number() != 0;
          break;
        case varint_field(9):
          field.oneof = static_cast<int>(from.number());
          break;
        case varint_field(17):
          optional3 = from.number() != 0;
          break;
        default:
          break;
      }
    }
    field.full_name = joined(scope, field.name);
    field.packed = field.repeated && is_packable(field.type) && packed.value_or(proto3_);
    const bool is_message = field.type == ProtoType::kMessage || field.type == ProtoType::kGroup;
    field.utf8 = proto3_ && field.type == ProtoType::kString;
    field.has_presence = !proto3_ || optional3 || field.oneof >= 0 || is_message || !declared.extendee.empty();
    return declared;
  }

  // A type by its name: ".package.Name", or one relative to an enclosing scope, the innermost first.
  template <typename T>
  static T* find(const std::map<std::string, T*, std::less<>>& types, std::string scope, const std::string& name) {
    auto at = [&](const std::string& full) {
      auto found = types.find(full);
      return found == types.end() ? nullptr : found->second;
    };
    if (name.starts_with('.')) return at(name.substr(1));
    for (;;) {
      if (T* found = at(joined(scope, name))) return found;
      if (scope.empty()) return nullptr;
      const std::size_t dot = scope.rfind('.');
      scope.resize(dot == std::string::npos ? 0 : dot);
    }
  }

  ProtoField finished(Declared& declared) const {
    ProtoField& field = declared.field;
    if (!declared.type_name.empty()) {
      field.message = find(schema_.messages_by_name_, declared.scope, declared.type_name);
      field.enumeration = find(schema_.enums_by_name_, declared.scope, declared.type_name);
      // Its kind may be left out where a name tells it.
      if (field.enumeration && field.type != ProtoType::kEnum && !field.message) field.type = ProtoType::kEnum;
    }
    const bool is_message = field.type == ProtoType::kMessage || field.type == ProtoType::kGroup;
    if ((is_message && !field.message) || (field.type == ProtoType::kEnum && !field.enumeration))
      fail(ErrorKind::kValue, "\"", declared.type_name, "\" is not declared.");
    if (field.type == ProtoType::kEnum && !field.enumeration->values.empty())
      field.default_bits = enum_bits(field.enumeration->values.front().second);
    if (declared.default_text) set_default(field, *declared.default_text);
    return std::move(field);
  }

  static void set_default(ProtoField& field, const std::string& text) {
    switch (field.type) {
      case ProtoType::kString:
        field.default_string = text;
        break;
      case ProtoType::kBytes:
        field.default_string = unescaped(text);
        break;
      case ProtoType::kDouble:
        field.default_bits = std::bit_cast<std::uint64_t>(std::strtod(text.c_str(), nullptr));
        break;
      case ProtoType::kFloat:
        field.default_bits = std::bit_cast<std::uint32_t>(std::strtof(text.c_str(), nullptr));
        break;
      case ProtoType::kBool:
        field.default_bits = text == "true";
        break;
      case ProtoType::kEnum:
        if (const std::int32_t* number = field.enumeration->number(text)) field.default_bits = enum_bits(*number);
        break;
      default:
        field.default_bits = text.starts_with('-') ? static_cast<std::uint64_t>(std::strtoll(text.c_str(), nullptr, 10))
                                                   : std::strtoull(text.c_str(), nullptr, 10);
    }
  }

  ProtoSchema& schema_;
  bool proto3_ = false;
  std::vector<std::pair<ProtoMessage*, Declared>> fields_;
  std::vector<Declared> extensions_;
};

ProtoSchema::ProtoSchema(std::string_view serialized) { Reader(*this).read(serialized); }

const ProtoMessage* ProtoSchema::message(std::string_view full_name) const {
  auto found = messages_by_name_.find(full_name);
  return found == messages_by_name_.end() ? nullptr : found->second;
}

}  // namespace tracefn
