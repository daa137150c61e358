#include "data/external_state.h"

#include <unordered_set>

#include "data/fingerprint.h"
#include "ir/functions_of.h"
#include "ir/graph.h"
#include "ops/op_def.h"

namespace tracefn::data {
namespace {

class Search {
 public:
  const std::string& found() const { return found_; }

  void dataset(const Dataset& dataset) {
    if (dataset.recipe())
      for (const Attr& a : dataset.recipe()->attrs()) attr(a);
    for (const Ref<Dataset>& input : dataset.inputs()) this->dataset(*input);
  }

 private:
  void attr(const Attr& a) {
    for_each_function(a, [this](const FuncRef& f) { function(f); });
  }

  void function(const FuncRef& f) {
    if (!f.body || !seen_.insert(f.body.get()).second) return;
    for (NodeId id = 0; id < f.body->size() && found_.empty(); ++id) {
      const Node& node = f.body->node(id);
      const OpDef& op = op_def(*node.op);
      bool calls_host = false;
      for (const Attr& a : node.attrs) {
        calls_host |= static_cast<bool>(a.host());
        attr(a);
      }
      const bool has_state = calls_host || op.keeps_state || op.facts.reads_variable || op.facts.update;
      if (op.signature.stateful && has_state) found_ = op.name();
    }
  }

  std::string found_;
  std::unordered_set<const Graph*> seen_;
};

}  // namespace

std::string op_with_external_state(const Dataset& dataset) {
  Search search;
  search.dataset(dataset);
  return search.found();
}

}  // namespace tracefn::data
