// Converts a file's nodes to nodes of a graph: checks them against their ops, with TensorFlow's words, and sorts them
// topologically. Shared by graphs and function bodies; used by one thread.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/graph_def_reader.h"
#include "ops/graph_target.h"

namespace tracefn {

// The function of that name, with its body; Error if there is none.
using FindFunction = std::function<FuncRef(const std::string& name)>;

// The op of a node. Error(kNotFound) if there is no such op.
const OpDef& op_of_record(const NodeRecord& node);
// The attributes of a node in the order of its op, with defaults for missing ones. Error(kValue) if one is missing
// without a default or does not fit.
AttrList attrs_of_record(const NodeRecord& node, const OpSignature& op, const FindFunction& find_function);
// Error(kValue) if inputs differ from what the op and its attributes require in number or dtype. `shown` is the node's
// name in messages.
void check_inputs(const OpSignature& op, const AttrList& attrs, std::span<const Operand> inputs,
                  const std::string& shown);

// Appends it under exactly this name; its control inputs are added to the target's.
NodeId add_node(GraphTarget& target, const OpDef& op, std::span<const Operand> inputs, AttrList attrs,
                const std::string& name, const std::vector<NodeId>& after, const NodeRecord& record);

// Whether a file's node may have that name. Names of nodes in functions may begin with an underscore.
bool is_node_name(const std::string& name, bool in_function);

// Topological order, otherwise the given one: needs[i] are the indices of the nodes that node i needs. Error(kValue) if
// there is a cycle.
std::vector<std::size_t> order_by_needs(const std::vector<std::vector<std::size_t>>& needs);

}  // namespace tracefn
