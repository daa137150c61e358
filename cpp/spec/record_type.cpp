// Values with named fields.
#include "spec/record_type.h"

namespace tracefn {
namespace {

std::size_t label_of(const std::string& class_name, const std::vector<std::string>& fields) {
  std::size_t seed = std::hash<std::string>{}(class_name);
  for (const std::string& field : fields) seed = hash_add(seed, field);
  return seed;
}

}  // namespace

RecordType::RecordType(TypeKind kind, std::string class_name, HostValuePtr record_class,
                       std::vector<std::string> fields, std::vector<TraceTypePtr> values)
    : TraceType(kind, TypeHashes::of(kind, label_of(class_name, fields), values)),
      class_name_(std::move(class_name)),
      record_class_(std::move(record_class)),
      fields_(std::move(fields)),
      values_(std::move(values)) {}

bool RecordType::same_record(const TraceType& other) const {
  if (kind() != other.kind()) return false;
  auto& record = static_cast<const RecordType&>(other);
  return class_name_ == record.class_name_ && fields_ == record.fields_;
}

bool RecordType::equals_same_kind(const TraceType& other) const {
  return same_record(other) && all_equal(values_, other.children());
}

bool RecordType::is_subtype_of(const TraceType& other) const {
  return same_record(other) && all_subtypes(values_, other.children());
}

TraceTypePtr RecordType::most_specific_common_supertype(const TraceType& other) const {
  std::vector<TraceTypePtr> joined;
  if (!same_record(other) || !join_all(values_, other.children(), joined)) return {};
  return make_ref<RecordType>(kind(), class_name_, record_class_, fields_, std::move(joined));
}

void RecordType::append_text(std::string& out) const {
  out += class_name_;
  out += '[';
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    out += i ? ", ['" : "['";
    out += fields_[i];
    out += "', ";
    values_[i]->append_text(out);
    out += ']';
  }
  out += ']';
}

CustomNestType::CustomNestType(std::string class_name, HostValuePtr nest_class, HostValuePtr metadata,
                               std::vector<TraceTypePtr> components)
    : TraceType(TypeKind::kCustomNest, TypeHashes::of(TypeKind::kCustomNest, nest_class->hash(), components)),
      class_name_(std::move(class_name)),
      nest_class_(std::move(nest_class)),
      metadata_(std::move(metadata)),
      components_(std::move(components)) {}

bool CustomNestType::same_nest(const TraceType& other) const {
  if (other.kind() != TypeKind::kCustomNest) return false;
  auto& nest = static_cast<const CustomNestType&>(other);
  return nest_class_->equals(*nest.nest_class_) && metadata_->equals(*nest.metadata_);
}

bool CustomNestType::equals_same_kind(const TraceType& other) const {
  return same_nest(other) && all_equal(components_, other.children());
}

bool CustomNestType::is_subtype_of(const TraceType& other) const {
  return same_nest(other) && all_subtypes(components_, other.children());
}

TraceTypePtr CustomNestType::most_specific_common_supertype(const TraceType& other) const {
  std::vector<TraceTypePtr> joined;
  if (!same_nest(other) || !join_all(components_, other.children(), joined)) return {};
  return make_ref<CustomNestType>(class_name_, nest_class_, metadata_, std::move(joined));
}

// As Python shows a tuple of the components.
void CustomNestType::append_text(std::string& out) const {
  out += "CustomNestTraceType [metadata=";
  out += metadata_->repr();
  out += ", components=(";
  for (std::size_t i = 0; i < components_.size(); ++i) {
    if (i) out += ", ";
    components_[i]->append_text(out);
  }
  out += components_.size() == 1 ? ",)]" : ")]";
}

}  // namespace tracefn
