// Recipe: what a dataset was made of, an op with its attributes and inputs. Immutable.
#pragma once

#include <cstdint>
#include <vector>

#include "base/owned.h"
#include "ir/attr.h"
#include "ops/kernel.h"

namespace tracefn::data {

class Recipe {
 public:
  explicit Recipe(const KernelContext& c);

  // The same number for recipes that are equal, in other processes too: names do not count, and of resources only that
  // there are some.
  std::uint64_t fingerprint() const;
  const std::vector<Attr>& attrs() const { return attrs_; }
  void visit_owned(OwnedVisitor& visitor) const;

 private:
  const OpDef& op_;
  const std::vector<Attr> attrs_;
  // Of handles and datasets only what they refer to, so that it can be reported.
  struct Input {
    Tensor tensor;
    Ref<RefCounted> object;
  };
  std::vector<Input> inputs_;
};

}  // namespace tracefn::data
