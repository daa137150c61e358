// A name scope of the graph being traced, for operators whose constants are named after them ("add/y").
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "trace/func_graph.h"

namespace tracefn::bind {

// During its lifetime, nodes of the current graph are created inside the scope `name`, made unique. Does nothing when
// ops run eagerly.
class NameScope {
 public:
  explicit NameScope(std::string_view name) : graph_(current_target().is_eager() ? nullptr : current_func_graph()) {
    if (!graph_) return;
    previous_ = graph_->enter_scope(std::string(name));
    name_ = graph_->scope();
  }
  ~NameScope() {
    if (graph_) graph_->leave_scope(std::move(previous_));
  }
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;

  // The name of the scope's op: ends in '/', which names the node like the scope itself. Empty when ops run eagerly.
  std::string_view node_name() const { return name_; }

 private:
  FuncGraph* graph_;
  std::string previous_;
  std::string name_;
};

}  // namespace tracefn::bind
