// DictType: a mapping of any class, identified by its set of keys and the types of the values (tracing rule 35, Y5).
#pragma once

#include <string>
#include <vector>

#include "spec/host_value.h"
#include "spec/trace_type.h"

namespace tracefn {

// The positions of `keys`, sorted by key; the host's error if two have no order.
std::vector<std::size_t> sorted_positions(const std::vector<HostValuePtr>& keys);

// Keys and values are in insertion order; equality ignores the order and the class.
class DictType final : public TraceType {
 public:
  // `mapping_class` is the class to rebuild, null for a plain dict, and `class_name` its name. The host's error if two
  // keys have no order.
  DictType(std::vector<HostValuePtr> keys, std::vector<TraceTypePtr> values, HostValuePtr mapping_class = {},
           std::string class_name = "dict");

  const std::vector<HostValuePtr>& keys() const { return keys_; }
  const HostValuePtr& mapping_class() const { return mapping_class_; }
  const std::string& class_name() const { return class_name_; }
  // Positions in insertion order, sorted by key.
  const std::vector<std::size_t>& sorted() const { return sorted_; }

  std::span<const TraceTypePtr> children() const override { return values_; }
  bool is_subtype_of(const TraceType& other) const override;
  TraceTypePtr most_specific_common_supertype(const TraceType& other) const override;
  void append_text(std::string& out) const override;
  // In the order of the sorted keys.
  void append_leaves(std::vector<const TraceType*>& out) const override;

 protected:
  bool equals_same_kind(const TraceType& other) const override;

 private:
  // The values of `other` in the order of our keys; false if the sets of keys differ.
  bool align(const TraceType& other, std::vector<TraceTypePtr>& values) const;

  std::vector<HostValuePtr> keys_;
  std::vector<TraceTypePtr> values_;
  HostValuePtr mapping_class_;
  std::string class_name_;
  std::vector<std::size_t> sorted_;
};

}  // namespace tracefn
