// Nodes as a file describes them, made nodes of a graph: checked against their ops, with TensorFlow's words, and put in
// an order in which each comes after what it needs. What graphs and bodies of functions share; used by one thread.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "io/graph_def_reader.h"
#include "ops/graph_target.h"

namespace tracefn {

// The function of that name, with its body; Error when there is none.
using FindFunction = std::function<FuncRef(const std::string& name)>;

// The op of a node. Error(kNotFound) when there is no such op.
const OpDef& op_of_record(const NodeRecord& node);
// The attributes of a node in the order of its op, those that are not given by their defaults. Error(kValue) when one
// is missing or does not fit.
AttrList attrs_of_record(const NodeRecord& node, const OpSignature& op, const FindFunction& find_function);
// Error(kValue) when inputs differ from what the op and its attributes ask for in number or dtype. `shown` is the
// node's name in messages.
void check_inputs(const OpSignature& op, const AttrList& attrs, std::span<const Operand> inputs,
                  const std::string& shown);

// Appends it under exactly this name; what it runs after is added to what the target orders it behind.
NodeId add_node(GraphTarget& target, const OpDef& op, std::span<const Operand> inputs, AttrList attrs,
                const std::string& name, const std::vector<NodeId>& after, const std::string& device);

// Whether a node may have that name in a file. Names of nodes in functions may begin with an underscore.
bool is_node_name(const std::string& name, bool in_function);

// Indices of nodes, each after those it needs, otherwise as they stand: needs[i] are the indices that node i names.
// Error(kValue) when there is a cycle.
std::vector<std::size_t> order_by_needs(const std::vector<std::vector<std::size_t>>& needs);

}  // namespace tracefn
