// Registry: every op by name. Filled once, on first use; afterwards read-only, and any thread may read it.
#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ops/op_def.h"

namespace tracefn {

class Registry {
 public:
  static const Registry& get();

  // Rejects, as a broken invariant, a record without shape rule, kernel (or block) or gradient, one that accepts a
  // dtype without a kernel for it (unless `without_kernel` says so), and a duplicate name.
  void add(const OpRecord& record);

  // Null if there is no such op.
  const OpDef* find(std::string_view name) const;
  // Error(kNotFound) that names it.
  const OpDef& at(std::string_view name) const;
  const std::vector<const OpDef*>& all() const { return all_; }

 private:
  // Rejects an elementwise function with a dtype for which no record computes it.
  void require_ops_of_functions() const;

  std::vector<std::unique_ptr<OpDef>> owned_;
  std::vector<const OpDef*> all_;
  std::unordered_map<std::string_view, const OpDef*> by_name_;
  std::vector<DTypes> accepted_;  // by the records of each elementwise function
};

}  // namespace tracefn
