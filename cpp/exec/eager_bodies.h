// EagerBodies: runs the function attributes of an op that is executed eagerly. Compiled bodies are kept in a small
// process-wide cache. Lives on the stack of one call.
#pragma once

#include "ir/attr.h"
#include "ops/kernel.h"

namespace tracefn {

class EagerBodies final : public BodyRunner {
 public:
  explicit EagerBodies(const AttrList& attrs);
  void run(std::size_t index, std::span<Tensor> args, std::vector<Tensor>& results) override;
  void run_shared(std::size_t index, std::span<const Tensor> args, std::vector<Tensor>& results) override;

  struct Compiled;

 private:
  std::vector<std::shared_ptr<Compiled>> bodies_;
};

}  // namespace tracefn
