// RecordType: a value with named fields: a named tuple, an attrs class, a dataclass (tracing rules 35, 36, Y5), or a
// class that flattens itself by `__tf_flatten__`.
#pragma once

#include <string>
#include <vector>

#include "spec/host_value.h"
#include "spec/trace_type.h"

namespace tracefn {

// Two records match by class name and field names; the class of the first is the one rebuilt.
class RecordType final : public TraceType {
 public:
  // Precondition: `kind` is kNamedTuple, kAttrs or kDataclass. `record_class` is the class to rebuild.
  RecordType(TypeKind kind, std::string class_name, HostValuePtr record_class, std::vector<std::string> fields,
             std::vector<TraceTypePtr> values);

  const std::string& class_name() const { return class_name_; }
  const HostValuePtr& record_class() const { return record_class_; }
  const std::vector<std::string>& fields() const { return fields_; }

  std::span<const TraceTypePtr> children() const override { return values_; }
  bool is_subtype_of(const TraceType& other) const override;
  TraceTypePtr most_specific_common_supertype(const TraceType& other) const override;
  void append_text(std::string& out) const override;

 protected:
  bool equals_same_kind(const TraceType& other) const override;

 private:
  bool same_record(const TraceType& other) const;

  std::string class_name_;
  HostValuePtr record_class_;
  std::vector<std::string> fields_;
  std::vector<TraceTypePtr> values_;
};

// A value whose class has `__tf_flatten__`: its class, its metadata (compared by ==), and its components.
class CustomNestType final : public TraceType {
 public:
  CustomNestType(std::string class_name, HostValuePtr nest_class, HostValuePtr metadata,
                 std::vector<TraceTypePtr> components);

  const std::string& class_name() const { return class_name_; }
  const HostValuePtr& nest_class() const { return nest_class_; }
  const HostValuePtr& metadata() const { return metadata_; }

  std::span<const TraceTypePtr> children() const override { return components_; }
  bool is_subtype_of(const TraceType& other) const override;
  TraceTypePtr most_specific_common_supertype(const TraceType& other) const override;
  void append_text(std::string& out) const override;

 protected:
  bool equals_same_kind(const TraceType& other) const override;

 private:
  bool same_nest(const TraceType& other) const;

  std::string class_name_;
  HostValuePtr nest_class_;
  HostValuePtr metadata_;
  std::vector<TraceTypePtr> components_;
};

}  // namespace tracefn
