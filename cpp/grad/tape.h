// Tapes: what happened on this thread to the tensors that they watch. A tape is made and used by one thread at a time.
// Its records lie in one list by index, so that freeing a long tape does not recurse.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_set>
#include <vector>

#include "grad/backprop.h"

namespace tracefn {

class ActiveTapes;

class Tape {
 public:
  // `watches_variables`: trainable variables are watched when they are read. `persistent`: gradients may be taken more
  // than once, also of its own gradients. `forward`: it serves forward accumulation, which follows what happened inside
  // a call with a rule of its own.
  explicit Tape(bool watches_variables, bool persistent = false, bool forward = false)
      : watches_variables_(watches_variables), persistent_(persistent), forward_(forward) {}

  // Precondition of both: is_differentiable, and an eager tensor has an id.
  void watch(const Operand& tensor);
  void watch_variable(const Operand& handle);
  bool watches_variables() const { return watches_variables_; }
  bool persistent() const { return persistent_; }
  bool forward() const { return forward_; }
  bool tracks(const TensorIdentity& id) const {
    return tracked_.contains(id) || (id.owner && tracked_.contains(id.node()));
  }
  bool tracks(const Operand& x) const;
  // Whose tape it is while it records; null: nobody's. Any thread that holds the host's lock may end that.
  const ActiveTapes* recorder() const { return recorder_; }
  // Keeps an op that has a tracked input; its differentiable outputs are tracked from now on.
  void record(RecordedOp op);

  // Handles of the variables watched, in order, each once.
  const std::vector<Operand>& variables() const { return variables_; }
  std::size_t size() const { return ops_.size(); }
  // What its records hold. See base/owned.h; the caller holds the host's lock.
  void visit_owned(OwnedVisitor& visitor) const;
  // For each source whether some target depends on it.
  std::vector<bool> connected(std::span<const Operand> targets, std::span<const Operand> sources) const;
  // Emits on the current target; what listens then hears it. See gradients_of.
  std::vector<Gradient> gradient(std::span<const Operand> targets, std::span<const Operand> target_gradients,
                                 std::span<const Operand> sources) const;

 private:
  std::vector<const RecordedOp*> all_ops() const;

  friend class ActiveTapes;

  bool watches_variables_, persistent_, forward_;
  const ActiveTapes* recorder_ = nullptr;
  std::deque<RecordedOp> ops_;
  std::unordered_set<TensorIdentity, TensorIdentityHash> tracked_;
  std::vector<Operand> watched_;  // keeps alive what `tracked_` names
  std::vector<Operand> variables_;
};

// The tapes that record on this thread. While there are any, a listener hears every op.
class ActiveTapes {
 public:
  static ActiveTapes& of_thread();

  using List = std::vector<std::shared_ptr<Tape>>;
  // Precondition of push: nobody records on it. Tapes may be removed in another order than they were pushed, inside of
  // a pause that began after them, and on another thread.
  void push(std::shared_ptr<Tape> tape);
  static void remove(Tape& tape);
  const List& tapes() const { return tapes_; }
  // Until resume() of the number returned the tapes pushed so far hear nothing.
  std::uint64_t pause();
  void resume(std::uint64_t number);
  // True when tapes record and are not paused (set_listener(nullptr)).
  bool listening() const;

  // Tells the tapes that watch variables of a trainable one, when it is read.
  void variable_accessed(const Operand& handle);
  // True when some tape tracks x.
  bool track(const Operand& x) const;
  // Records on every tape that tracks an input; eager outputs get identities. True when a tape did.
  bool record(const OpDef* op, const AttrList& attrs, std::span<const Operand> inputs, std::span<Operand> outputs,
              const Ref<GradientRule>& rule = {});
  // Records a call that has a rule of its own. `outputs` are the `results` of its body under new identities: a tape
  // that tracks an input sees the rule; one that only tracks the results (the body used other tensors), or that serves
  // forward accumulation, sees through it.
  void record_custom(std::span<const Operand> inputs, std::span<const Operand> results, std::span<Operand> outputs,
                     const Ref<GradientRule>& rule);
  // The same for a node that stands for such a call: its first inputs are the results, and it knows the rule.
  void record_custom_node(const OpDef& op, const AttrList& attrs, std::span<const Operand> inputs,
                          std::span<Operand> outputs, std::size_t num_results);

 private:
  ActiveTapes() = default;
  // False when another thread has removed the tape.
  bool records(const Tape& tape) const { return tape.recorder_ == this; }
  void listen();

  // A tape, or a pause of that number.
  struct Entry {
    std::shared_ptr<Tape> tape;
    std::uint64_t pause = 0;
  };
  std::vector<Entry> entries_;
  std::uint64_t last_pause_ = 0;
  List tapes_;  // behind the last pause
};

// No tape of this thread hears what happens while it lives, but for those that start meanwhile.
class TapePause {
 public:
  TapePause() : number_(ActiveTapes::of_thread().pause()) {}
  ~TapePause() { ActiveTapes::of_thread().resume(number_); }
  TapePause(const TapePause&) = delete;
  TapePause& operator=(const TapePause&) = delete;

 private:
  std::uint64_t number_;
};

}  // namespace tracefn
