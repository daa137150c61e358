// Conditionals and choices between several branches: jumps over the code of the other branches.
#include <algorithm>
#include <set>
#include <vector>

#include "exec/scalar/compiler.h"
#include "exec/scalar/indexed_only.h"
#include "ops/elementwise/functions.h"
#include "ops/node_kinds.h"

namespace tracefn {

std::optional<Places> ScalarCompiler::branching(const Graph& g, const Node& n, const Places& inputs) {
  const bool is_choice = n.is(OpKind::kCase);
  if (g.info(n.inputs[0]).dtype != (is_choice ? DType::kInt32 : DType::kBool) || !inputs[0].is_scalar())
    return std::nullopt;
  Places args(inputs.begin() + 1, inputs.end());
  if (findings_.copying.contains(&n))
    for (Place& p : args)
      if (p.has_rows()) p = own(p, n);
  const std::vector<const Graph*> branches = branches_of(n);
  const std::vector<std::uint32_t> before = versions();
  const auto locals = static_cast<std::uint32_t>(before.size());
  std::vector<char> changed(before.size(), 0);
  std::vector<std::uint32_t> to_end;
  std::optional<std::pair<std::size_t, std::size_t>> known_before;
  Places results;
  for (std::size_t k = 0; k < branches.size(); ++k) {
    std::optional<std::uint32_t> to_next;
    if (k + 1 < branches.size()) {
      Slot taken = inputs[0].slot();
      if (is_choice) {
        const auto number = static_cast<std::int32_t>(k);
        taken = code_.apply<functions::Equal>(DType::kInt32, {taken, code_.constant(&number, DType::kInt32)});
      }
      to_next = code_.jump(Kind::kJumpUnless, taken);
    }
    if (!known_before) known_before = mark();
    std::optional<Places> made = graph(*branches[k], args);
    if (!made || !in_memory(*made)) return std::nullopt;
    if (k == 0) results = results_of_branches(branches, *made, args);
    if (!assign(*made, results, locals)) return std::nullopt;
    if (to_next) {
      to_end.push_back(code_.jump(Kind::kJump));
      code_.land(*to_next);
    }
    forget_since(*known_before);
    for (std::size_t i = 0; i < before.size(); ++i) {
      changed[i] |= arrays_[i].version != before[i];
      arrays_[i].version = before[i];
    }
  }
  for (const std::uint32_t jump : to_end) code_.land(jump);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!changed[i]) continue;
    arrays_[i].version = ++last_version_;
    arrays_[i].updates[before[i]] = &n;
  }
  latest(results);
  return results;
}

Places ScalarCompiler::results_of_branches(std::span<const Graph* const> branches, const Places& first,
                                           const Places& args) {
  Places results;
  std::set<std::uint32_t> taken;
  for (std::size_t j = 0; j < first.size(); ++j) {
    const Place& p = first[j];
    if (p.has_elements()) {
      results.push_back(new_elements(p.dtype, p.shape));
      continue;
    }
    if (p.kind == Place::kOpaque) {
      results.push_back(p);
      continue;
    }
    // An array that a branch passes on, or updates in place, is the result, if the other branches do the same or make
    // a new one; but not a constant.
    std::set<std::size_t> from;
    bool one_is_new = false;
    for (const Graph* branch : branches) {
      const std::optional<std::size_t> state = state_of(*branch, branch->outputs[j]);
      if (state) from.insert(*state);
      one_is_new |= !state;
    }
    const Place* kept = from.size() == 1 && (!one_is_new || p.kind == Place::kArray) ? &args[*from.begin()] : nullptr;
    const bool same = kept && kept->kind == p.kind && kept->shape == p.shape && !arrays_[kept->number].given &&
                      taken.insert(kept->number).second;
    results.push_back(same ? *kept : like(p));
  }
  return results;
}

}  // namespace tracefn
