// ScalarCompiler: compiles graphs of scalars, of tensors of few elements, of larger arrays and of lists to bytecode,
// which computes scalars and runs nests and kernels. Used once, by one thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "exec/nest/affine_grid.h"
#include "exec/nest/array_call.h"
#include "exec/nest/array_nest.h"
#include "exec/scalar/array_program.h"
#include "exec/scalar/place.h"
#include "exec/scalar/routine_time.h"
#include "exec/scalar/scalar_code.h"
#include "exec/scalar/scalar_loop.h"
#include "exec/scalar/scalar_program.h"
#include "exec/scalar/sequence.h"
#include "ir/graph.h"
#include "ops/elements.h"
#include "ops/reduce/reduce.h"

namespace tracefn {

// What one attempt to compile finds out for the next one.
struct ScalarFindings {
  std::int64_t most_elements = ElementsContext::kMost;  // of a tensor that is computed element by element
  std::int64_t largest = 0;                             // the most elements of one that was
  std::map<std::uint32_t, Shape> rows;                  // by list: the shape of its elements
  std::set<const Node*> copying;  // that update an array which is used later as it was: they copy it first
  std::set<const Node*> early;    // whose values are computed at once, as what they read is updated later
  bool more = false;              // the attempt failed for something that was found out
  std::string reason;             // why it failed
};

class ScalarCompiler {
 public:
  ScalarCompiler(ScalarRoutine& routine, ScalarFindings& findings)
      : routine_(routine), code_(routine), findings_(findings) {}

  // Compiles into the loop that owns the routine; false if it holds anything else. `given` may be null.
  bool compile(const Graph& graph, const Node& node, const LoopInputs* given, ScalarLoop& loop);
  // Compiles into the program that owns the routine: scalars only.
  bool compile(const Graph& g, std::span<const std::uint32_t> arguments, ScalarProgram& program);
  // Into the program that owns the routine; false if the graph holds anything but small tensors and arrays.
  bool compile(const Graph& g, std::span<const std::uint32_t> arguments, ArrayProgram& program);

  // Calls compile(made, routine, findings) with new ones until it succeeds; null, and why, if it does not. Tensors that
  // are neither small nor large are computed element by element, or as arrays if that is expected to be faster.
  template <typename Made, typename Compile>
  static std::unique_ptr<Made> best(const Compile& compile, std::string& reason) {
    constexpr std::int64_t kFewElements = 16;
    constexpr double kClearly = 0.92;
    ScalarFindings findings;
    std::unique_ptr<Made> made = attempts<Made>(findings, compile);
    if (!made) reason = findings.reason;
    if (findings.largest <= kFewElements) return made;
    ScalarFindings of_arrays;
    of_arrays.most_elements = kFewElements;
    std::unique_ptr<Made> other = attempts<Made>(of_arrays, compile);
    const bool is_better =
        other && (!made || expected_time(other->routine_) < kClearly * expected_time(made->routine_));
    return is_better ? std::move(other) : std::move(made);
  }

 private:
  // As best(), until an attempt finds out nothing for the next one.
  template <typename Made, typename Compile>
  static std::unique_ptr<Made> attempts(ScalarFindings& findings, const Compile& compile) {
    constexpr int kMost = 12;
    for (int attempt = 0; attempt < kMost; ++attempt) {
      findings.more = false;
      findings.reason.clear();
      auto made = std::make_unique<Made>();
      if (compile(*made, made->routine_, findings)) return made;
      if (!findings.more) break;
    }
    return nullptr;
  }

  friend class NodeElements;
  friend class ReducedElements;
  class SequenceLoop;
  class ScatteredElements;
  using Slot = scalar::Slot;
  using Kind = scalar::Kind;
  struct Array {
    std::uint32_t version = 0;
    bool decided = false;            // what a list holds
    bool given = false;              // a constant: every iteration finds it as it was
    bool accessed = false;           // a list, by more than the number of its elements
    Tensor element;                  // of a list: the value of all of its elements, if that is known
    Shape shape = Shape::unknown();  // of an array as long as it is one; the first dimension may be unknown
    // By old version: the node that made it the old one.
    std::map<std::uint32_t, const Node*> updates;
  };

  // compiler_programs.cpp
  std::optional<ArrayProgram::Result> program_result(const Place& out, const Places& inputs,
                                                     std::span<const std::uint32_t> arguments);

  // compiler.cpp: graphs and loops.
  std::optional<Places> graph(const Graph& g, const Places& args);
  std::optional<Places> node(const Graph& g, const Node& n, Places& inputs);
  std::optional<Places> call(const Graph& g, const Places& inputs);
  // compiler_branches.cpp: conditionals, and choices between several branches.
  std::optional<Places> branching(const Graph& g, const Node& n, const Places& inputs);
  // Where to put the results of branches; those of the first branch are given.
  Places results_of_branches(std::span<const Graph* const> branches, const Places& first, const Places& args);
  std::optional<Places> inner_loop(const Node& n, const Places& inputs);
  // Sets the variables to their values after the loop.
  bool while_loop(const Node& n, Places& variables);
  // Parallel move from -> to. Arrays from number `locals` on are not used afterwards, and may be taken.
  bool assign(const Places& from, const Places& to, std::uint32_t locals);
  // Those in `kept` are both source and target, and stay.
  bool assign_arrays(std::vector<std::pair<Place, Place>> moves, const std::set<std::uint32_t>& kept,
                     std::uint32_t locals);
  void tighten();
  // What is known at a point of the code, and what is not known any more behind a branch that began there.
  std::pair<std::size_t, std::size_t> mark() const { return {code_.mark(), stored_.size()}; }
  void forget_since(std::pair<std::size_t, std::size_t> mark);
  // Remembers why; false.
  bool refuse(std::string reason);
  std::nullopt_t no(std::string reason) {
    refuse(std::move(reason));
    return std::nullopt;
  }

  // compiler_places.cpp: values, and arrays in their states.
  // Of no more elements than are scalars.
  bool is_small(const Shape& shape) const;
  // Whether the size of a row is known and not too large.
  static bool has_rows(const Shape& shape);
  static bool fits(DType dtype) { return is_plain(dtype) && size_of(dtype) <= sizeof(scalar::Register); }
  Place new_variable(const OutputInfo& info, bool by_index);
  Place elements_place(DType dtype, Shape shape, SmallVector<Slot, 1> slots) const;
  Place new_elements(DType dtype, const Shape& shape);
  Place opaque();
  Place constant(const Tensor& value);
  Place new_array(DType dtype, Shape shape);  // the shape of the whole array
  Place new_list(DType dtype, const Shape& element_shape, const Shape& declared);
  Place like(const Place& array);
  Place next_state(const Place& array, const Node* by);
  // False, and noted for the next attempt, if it is an older state.
  bool is_latest(const Place& p);
  void latest(Places& places) const;
  std::vector<std::uint32_t> versions() const;
  void give(const Place& array, Tensor value);
  // The array as it is; a copy if the node must leave it alone.
  Place own(const Place& array, const Node& by);
  std::optional<Place> as_elements(const Place& p);
  // Constants need no code unless the array is to be changed.
  std::optional<Place> as_array(const Place& p, bool changes);
  Slot load(const Place& array, Slot at, std::int64_t offset);
  Slot rows(const Place& array);
  std::int64_t row_size(const Place& array) const;
  std::optional<Tensor> known(const Place& p) const;
  bool decide(const Place& list, DType dtype, const Shape& element);

  // compiler_nodes.cpp: single nodes.
  std::optional<Places> plain(const Graph& g, const Node& n, const Places& inputs);
  std::optional<Places> elementwise(const Graph& g, const Node& n, const Places& inputs);
  std::optional<Places> measured(const Node& n, const Places& inputs);
  std::optional<Places> moved(const Node& n, const Places& inputs);
  // By result of an op that moves elements: which element of which input each one is, as numbers (kNumbersOfInput).
  // Nothing if an input or a result has more than `most` elements.
  std::optional<SmallVector<Tensor, 2>> moved_numbers(const Node& n, const Places& inputs, std::int64_t most) const;
  std::optional<Places> computed(const Node& n, const Places& inputs);  // of constants only
  // compiler_arrays.cpp: larger arrays, as expressions.
  std::optional<ArrayExpressionPtr> expression_of(const Place& p);
  // The dense array of this shape that begins at an element.
  ArrayExpressionPtr element_of(const Place& array, const Shape& shape, Slot at) const;
  static bool reads(const ArrayExpression& e, std::uint32_t array);
  static bool is_view(const Place& p);
  static Place computed_place(ArrayExpressionPtr e, Shape shape);
  // A computed value was made by this node, which `uses` others read. False if it must be computed now and cannot.
  bool note_use(Place& p, const Node& by, int uses);
  bool is_latest(const ArrayExpression& e);
  // Whether all arrays are in the states that it reads, or the next attempt will do something for it.
  bool is_current(const ArrayExpression& e);
  // Remembers for the next attempt that what reads these states of arrays is computed before they change. False if that
  // does not help.
  bool compute_earlier(const ArrayExpression& e);
  // A small computed value as elements.
  std::optional<Place> loaded(const Place& p);
  // With what is in memory already in the place of its computation.
  ArrayExpressionPtr known_parts(const ArrayExpressionPtr& e);
  std::optional<Place> in_memory(const Place& p);
  static ArrayExpressionPtr written_as(const ArrayExpressionPtr& e);
  // Its value is in an array.
  bool is_stored(const ArrayExpressionPtr& e) const;
  // Whether a node that is not compiled yet reads it, beyond `read_now` that are being compiled, or a value that waits
  // for one and is not among those that are computed `now`. Those in `kept` are in memory from now on.
  bool is_needed_later(const ArrayExpressionPtr& e, int read_now, const std::set<ArrayExpressionPtr>& now,
                       const std::set<ArrayExpressionPtr>& kept) const;
  // The same elements as an array of another shape.
  std::optional<Place> in_memory(const Place& p, const Shape& shape);
  // Of pieces whose elements only get another shape; nothing otherwise.
  std::optional<Place> reshaped(const Places& inputs, const AffineGrid& grid, const Shape& shape);
  // All computed values, small ones as elements; false if one cannot be.
  bool in_memory(Places& places);
  // Emits a nest that computes the results; false if there would be too many boxes.
  bool compute(std::span<const NestResult> results, const Shape& shape);
  // Whether value i can overwrite the array while it is computed: it reads an element only for that same element, and
  // no other value reads the array.
  bool is_in_place(const Places& values, std::size_t i, const Place& array);
  bool compute_in_place(const Place& value, const Place& array);
  std::optional<Place> view(const Place& p, Shape shape, Slot at, std::span<const std::int64_t> offsets);
  std::optional<Places> elementwise_arrays(const Graph& g, const Node& n, const Places& inputs);
  std::optional<Places> moved_arrays(const Node& n, const Places& inputs);
  // compiler_reductions.cpp
  struct Reduction {
    AxisMask gone;
    Dims axes;  // those
    Shape result;
  };
  // Nothing unless the axes and the shape are known, and it is an array.
  std::optional<Reduction> reduction(const Node& n, const Places& inputs) const;
  std::optional<Places> reduced(const Node& n, const Places& inputs);        // over few elements, as an expression
  std::optional<Places> reduced_array(const Node& n, const Places& inputs);  // in memory
  // What an op computes of operands of one dtype; `by` is the user's node that it is part of.
  ArrayExpressionPtr elementwise_expression(const OpDef& op, const Node& by, DType operand, DType result, Shape shape,
                                            SmallVector<ArrayExpressionPtr, 3> operands);
  // compiler_accumulations.cpp
  std::optional<Places> accumulated(const Node& n, const Places& inputs);
  bool reduces_nothing(const Node& n, const Places& inputs) const;  // along no axis: the result is the input
  static bool reduces_few(const Graph& function);                   // in all of its reductions
  // compiler_sequences.cpp: vectors whose lengths the code computes.
  std::optional<Places> sequenced(const Graph& g, const Node& n, const Places& inputs);
  std::optional<Places> range_sequence(const Node& n, const Places& inputs);
  std::optional<Places> slice_sequence(const Node& n, const Places& inputs);
  std::optional<Places> gathered_sequence(const Node& n, const Places& inputs);
  std::optional<Places> mapped_sequence(const Graph& g, const Node& n, const Places& inputs);
  std::optional<Places> reshaped_sequence(const Node& n, const Places& inputs);
  std::optional<Places> scattered(const Node& n, const Places& inputs);
  // Calls the node's kernel, for the message, where the condition is false. False if it cannot be called.
  bool fails_unless(Slot condition, const Node& n, const Places& inputs);
  // Whether all arrays are in the states that it reads; false, and noted for the next attempt, if not.
  bool is_current(const Sequence& sequence);
  // The size of the first dimension.
  Slot length(const Place& array);
  std::optional<Place> in_memory(const SequencePtr& sequence);
  // All of them; false if one cannot be.
  bool sequences_in_memory(Places& places);
  // compiler_calls.cpp
  // Reads and updates of Variables, by their kernels, at each iteration.
  std::optional<Places> on_variables(const Graph& g, const Node& n, const Places& inputs);
  // An assertion: a call of its kernel, for the message, where it fails.
  std::optional<Places> asserted(const Node& n, const Places& inputs);
  // The array that holds a Variable's handle.
  std::uint32_t handle(const Place& opaque);
  std::optional<Places> called(const Node& n, const Places& inputs);
  // A fusion group that is more than elementwise, of larger arrays.
  std::optional<Places> grouped(const Node& n, const Places& inputs);
  // An array for a call; a scalar's has one row. And back: small results as elements.
  std::optional<Place> lent(const Place& p, bool changes);
  // The array whose elements, all of them in their order, are those of `p`.
  std::optional<Place> reshaped_array(const Place& p) const;
  void unpack(Place& array, const Shape& shape);
  void add_result(DType dtype, const Shape& shape, std::vector<ArrayCall::Result>& results, Places& outputs);
  void work(std::uint32_t target, std::unique_ptr<const scalar::ArrayWork> work);
  // compiler_lists.cpp
  std::optional<Places> list_access(const Node& n, const Places& inputs);
  std::optional<Places> get_or_set(const Node& n, const Places& inputs);
  std::optional<Places> push_or_pop(const Node& n, const Places& inputs);
  std::optional<Place> item_for(const Place& item, const Place& list);
  bool put_row(const Place& item, const Place& list, Slot at);
  Place row_of(Place list, const Shape& row, Slot at) const;
  std::optional<Places> new_list(const Node& n, const Places& inputs);
  std::optional<Places> stack(const Node& n, const Places& inputs);
  std::optional<Places> unstack(const Places& inputs);

  ScalarRoutine& routine_;
  ScalarCode code_;
  ScalarFindings& findings_;
  bool takes_arrays_ = false;         // not a program of scalars alone
  bool stale_ = false;                // what was compiled reads an array in a state that it is not in any longer
  std::uint64_t unread_outputs_ = 0;  // of the current node
  Slot opaque_ = 0;
  std::map<std::uint32_t, std::uint32_t> handles_;  // by opaque value
  std::map<std::uint32_t, Tensor> constants_;       // by opaque value: a constant, such as a text
  std::size_t nodes_seen_ = 0;
  std::vector<Array> arrays_;
  std::uint32_t last_version_ = 0;
  // Small tensors that are in arrays, too: of constants, and where the code certainly put them there.
  struct Stored {
    SmallVector<Slot, 1> slots;
    Place array;
    ArrayExpressionPtr expression;  // it is the value of this one instead
    SequencePtr sequence;           // or of this one
  };
  std::vector<Stored> given_, stored_;
  std::vector<ArrayExpressionPtr> noted_;  // that nodes have made
};

}  // namespace tracefn
