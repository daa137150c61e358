// Reads and writes the values of a message by its schema.
#include "wire/proto_tree.h"

#include "base/error.h"
#include "wire/wire_writer.h"

namespace tracefn {
namespace {

// As protobuf.
constexpr int kMostDepth = 100;

std::uint64_t zigzag(std::int64_t v) {
  return static_cast<std::uint64_t>(v) << 1 ^ static_cast<std::uint64_t>(v >> 63);
}
std::int64_t unzigzag(std::uint64_t v) { return static_cast<std::int64_t>(v >> 1) ^ -static_cast<std::int64_t>(v & 1); }
std::uint64_t extended(std::uint64_t v) {
  return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(static_cast<std::uint32_t>(v))});
}

}  // namespace

std::uint64_t bits_from_wire(ProtoType type, std::uint64_t on_wire) {
  switch (type) {
    case ProtoType::kBool:
      return on_wire != 0;
    case ProtoType::kInt32:
    case ProtoType::kEnum:
    case ProtoType::kSfixed32:
      return extended(on_wire);
    case ProtoType::kUint32:
      return on_wire & 0xffffffffu;
    case ProtoType::kSint32:
      return extended(static_cast<std::uint64_t>(unzigzag(on_wire & 0xffffffffu)));
    case ProtoType::kSint64:
      return static_cast<std::uint64_t>(unzigzag(on_wire));
    default:
      return on_wire;
  }
}

std::uint64_t bits_for_wire(ProtoType type, std::uint64_t bits) {
  switch (type) {
    case ProtoType::kInt32:
    case ProtoType::kEnum:
      return extended(bits);
    case ProtoType::kUint32:
      return bits & 0xffffffffu;
    case ProtoType::kSint32:
      return zigzag(static_cast<std::int64_t>(extended(bits))) & 0xffffffffu;
    case ProtoType::kSint64:
      return zigzag(static_cast<std::int64_t>(bits));
    default:
      return bits;
  }
}

void put_number(std::string& out, ProtoType type, std::uint64_t bits) {
  switch (wire_type(type)) {
    case 1:
      return put_fixed(out, bits);
    case 5:
      return put_fixed(out, static_cast<std::uint32_t>(bits));
    default:
      return put_varint(out, bits_for_wire(type, bits));
  }
}

ProtoTree::ProtoTree(const ProtoMessage& type) : type_(type) {
  for (const ProtoField& field : type.fields)
    if (field.type == ProtoType::kGroup)
      fail(ErrorKind::kUnimplemented, "Groups are not supported: ", field.full_name, " is one.");
}

ProtoItem& ProtoTree::add(const ProtoField& field) {
  if (field.oneof >= 0)
    std::erase_if(values_, [&](const auto& entry) {
      return entry.second.field->oneof == field.oneof && entry.first != field.number;
    });
  Values& values = values_[field.number];
  values.field = &field;
  if (field.repeated || values.items.empty()) values.items.emplace_back();
  ProtoItem& item = values.items.back();
  if (field.message && !item.message) item.message = std::make_unique<ProtoTree>(*field.message);
  return item;
}

void ProtoTree::merge(WireReader reader, int depth) {
  if (depth > kMostDepth) fail(ErrorKind::kValue, "Messages are nested more than ", kMostDepth, " deep.");
  while (reader.next()) {
    const ProtoField* field = type_.field(reader.key() >> 3);
    if (!field) {
      undeclared_ += reader.whole();
      continue;
    }
    each_value(
        reader, *field,
        [&](std::uint64_t bits) {
          const bool known = !field->enumeration || !field->enumeration->closed ||
                             field->enumeration->has(static_cast<std::int32_t>(bits));
          if (known) {
            add(*field).bits = bits;
          } else {
            put_key(undeclared_, field->number, kVarint);
            put_varint(undeclared_, bits);
          }
        },
        [&](std::string_view bytes) {
          if (field->message) return add(*field).message->merge(reader.message(), depth + 1);
          if (field->utf8) reader.text();
          add(*field).bytes = bytes;
        });
  }
}

bool ProtoTree::complete() const {
  for (const ProtoField& field : type_.fields)
    if (field.required && !has(field)) return false;
  for (const auto& [number, values] : values_)
    for (const ProtoItem& item : values.items)
      if (item.message && !item.message->complete()) return false;
  return true;
}

std::string ProtoTree::binary() const {
  std::string out;
  for (const auto& [number, values] : values_) {
    const ProtoField& field = *values.field;
    if (field.packed) {
      std::string packed;
      for (const ProtoItem& item : values.items) put_number(packed, field.type, item.bits);
      put_delimited(out, number, packed);
      continue;
    }
    for (const ProtoItem& item : values.items) {
      if (item.message) {
        put_delimited(out, number, item.message->binary());
      } else if (!field.repeated && !field.has_presence && item.bits == 0 && item.bytes.empty()) {
        // The same as if it were not there.
      } else if (is_packable(field.type)) {
        put_key(out, number, static_cast<std::uint64_t>(wire_type(field.type)));
        put_number(out, field.type, item.bits);
      } else {
        put_delimited(out, number, item.bytes);
      }
    }
  }
  return out + undeclared_;
}

}  // namespace tracefn
