// Finds the fields of a message in a FileDescriptorSet.
#include "ops/files/proto_fields.h"

#include <algorithm>
#include <mutex>
#include <numeric>

#include "base/files.h"
#include "ops/kernel.h"
#include "wire/local_messages.h"

namespace tracefn {
namespace {

constexpr std::string_view kBytes = "bytes://", kLocal = "local://";

std::shared_ptr<const ProtoSchema> read_schema(std::string_view serialized) {
  try {
    return std::make_shared<const ProtoSchema>(serialized);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kValue) throw;
    invalid_argument("Source does not represent serialized file descriptor set proto. (", e.message(), ")");
  }
}

std::string read_source(const std::string& path) {
  try {
    return read_local_file(local_path(path));
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kNotFound) throw;
    invalid_argument("Source does not represent serialized file descriptor set proto. (", e.message(), ")");
  }
}

bool is_local(const std::string& source) { return source.empty() || source == kLocal; }

std::shared_ptr<const ProtoSchema> schema_of(const std::string& source) {
  if (is_local(source)) {
    static const auto* local = new std::shared_ptr<const ProtoSchema>(read_schema(local_messages()));
    return *local;
  }
  if (!source.starts_with(kBytes)) return read_schema(read_source(source));
  // Programs decode batch after batch by one schema.
  static std::mutex mutex;
  static auto* last = new std::pair<std::string, std::shared_ptr<const ProtoSchema>>();
  {
    std::lock_guard lock(mutex);
    if (last->second && last->first == source) return last->second;
  }
  auto made = read_schema(std::string_view(source).substr(kBytes.size()));
  std::lock_guard lock(mutex);
  *last = {source, made};
  return made;
}

// As the runtime calls the type that holds a field's values.
std::string_view held_name(ProtoType type) {
  switch (type) {
    case ProtoType::kDouble:
      return "double";
    case ProtoType::kFloat:
      return "float";
    case ProtoType::kInt64:
    case ProtoType::kSint64:
    case ProtoType::kSfixed64:
      return "int64";
    case ProtoType::kUint64:
    case ProtoType::kFixed64:
      return "uint64";
    case ProtoType::kInt32:
    case ProtoType::kSint32:
    case ProtoType::kSfixed32:
      return "int32";
    case ProtoType::kUint32:
    case ProtoType::kFixed32:
      return "uint32";
    case ProtoType::kBool:
      return "bool";
    case ProtoType::kEnum:
      return "enum";
    case ProtoType::kString:
    case ProtoType::kBytes:
      return "string";
    default:
      return "message";
  }
}

bool holds(DType dtype, ProtoType type) {
  const std::string_view held = held_name(type);
  if (held == "float") return dtype == DType::kFloat || dtype == DType::kDouble;
  if (held == "int32") return dtype == DType::kInt32 || dtype == DType::kInt64;
  if (held == "uint32") return dtype == DType::kUInt32 || dtype == DType::kUInt64;
  if (held == "enum") return dtype == DType::kInt32;
  if (held == "message") return dtype == DType::kString;
  return held == runtime_name(dtype);
}

}  // namespace

std::vector<std::size_t> ProtoFields::by_number() const {
  std::vector<std::size_t> order(fields.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return fields[a]->number < fields[b]->number; });
  return order;
}

ProtoFields proto_fields(const KernelContext& c, std::span<const DType> types, bool encodes) {
  const std::string &source = c.attr("descriptor_source").s(), &message_type = c.attr("message_type").s();
  const std::vector<std::string>& names = c.attr("field_names").strings();
  ProtoFields found;
  found.schema = schema_of(source);
  found.message = found.schema->message(message_type);
  if (!found.message)
    invalid_argument("No descriptor found for message type ", message_type,
                     is_local(source)
                         ? " in local://, which has tensorflow.Example and what it holds: descriptor_source may "
                           "be the name of a file with a FileDescriptorSet, or bytes:// followed by one"
                         : "");
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ProtoField* field = found.message->field(names[i]);
    if (!field) invalid_argument("Unknown field: ", names[i], " in message type ", message_type);
    if (field->type == ProtoType::kGroup)
      fail(ErrorKind::kUnimplemented, "Groups are not supported: ", field->full_name, " is one.");
    if (holds(types[i], field->type)) {
      found.fields.push_back(field);
    } else if (encodes) {
      invalid_argument("Incompatible type for field ", names[i], ".  Saw dtype: ", runtime_name(types[i]),
                       " but field type is: ", held_name(field->type));
    } else {
      invalid_argument("Unexpected output type for ", field->full_name, ": ", held_name(field->type), " to ",
                       enum_name(types[i]));
    }
  }
  return found;
}

}  // namespace tracefn
