// Tapes: record the ops on this thread whose inputs they watch. A tape is created and used by one thread at a time. Its
// records are in one list by index, so that freeing a long tape does not recurse.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_set>
#include <vector>

#include "autodiff/backprop.h"

namespace tracefn {

class ActiveTapes;

class Tape {
 public:
  // `watches_variables`: trainable variables are watched when they are read. `persistent`: gradients may be taken more
  // than once, also of its own gradients. `forward`: it serves forward accumulation, which looks inside calls with a
  // rule of their own.
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
  // The owner while it records; null: none. Any thread that holds the host's lock may end that.
  const ActiveTapes* recorder() const { return recorder_; }
  // Records an op that has a tracked input; its differentiable outputs are tracked from now on.
  void record(RecordedOp op);

  // Handles of the watched variables, in order, without duplicates.
  const std::vector<Operand>& variables() const { return variables_; }
  std::size_t size() const { return ops_.size(); }
  // What its records hold. See base/owned.h; the caller holds the host's lock.
  void visit_owned(OwnedVisitor& visitor) const;
  // For each source, whether some target depends on it.
  std::vector<bool> connected(std::span<const Operand> targets, std::span<const Operand> sources) const;
  // Emits on the current target, and records on active tapes. See gradients_of.
  std::vector<Gradient> gradient(std::span<const Operand> targets, std::span<const Operand> target_gradients,
                                 std::span<const Operand> sources) const;

 private:
  std::vector<const RecordedOp*> all_ops() const;

  friend class ActiveTapes;

  bool watches_variables_, persistent_, forward_;
  const ActiveTapes* recorder_ = nullptr;
  std::deque<RecordedOp> ops_;
  std::unordered_set<TensorIdentity, TensorIdentityHash> tracked_;
  std::vector<Operand> watched_;  // keeps alive the operands in `tracked_`
  std::vector<Operand> variables_;
};

// The tapes that record on this thread. While there are any, a listener records every op.
class ActiveTapes {
 public:
  static ActiveTapes& of_thread();

  using List = std::vector<std::shared_ptr<Tape>>;
  // Precondition of push: the tape is not recording. Tapes may be removed in another order than they were pushed,
  // inside a pause that began after them, and on another thread.
  void push(std::shared_ptr<Tape> tape);
  static void remove(Tape& tape);
  const List& tapes() const { return tapes_; }
  // Until resume() of the returned number, the tapes pushed so far record nothing.
  std::uint64_t pause();
  void resume(std::uint64_t number);
  // True if tapes record and are not paused (set_listener(nullptr)).
  bool listening() const;

  // Notifies the tapes that watch variables when a trainable one is read.
  void variable_accessed(const Operand& handle);
  // True when some tape tracks x.
  bool track(const Operand& x) const;
  // Records on every tape that tracks an input; eager outputs get identities. True if a tape recorded it.
  bool record(const OpDef* op, const AttrList& attrs, std::span<const Operand> inputs, std::span<Operand> outputs,
              const Ref<GradientRule>& rule = {});
  // Records a call that has a rule of its own. `outputs` are the `results` of its body under new identities: a tape
  // that tracks an input records the rule; one that only tracks the results (the body used other tensors), or that
  // serves forward accumulation, looks inside.
  void record_custom(std::span<const Operand> inputs, std::span<const Operand> results, std::span<Operand> outputs,
                     const Ref<GradientRule>& rule);
  // The same for a node that represents such a call: its first inputs are the results, and it has the rule.
  void record_custom_node(const OpDef& op, const AttrList& attrs, std::span<const Operand> inputs,
                          std::span<Operand> outputs, std::size_t num_results);

 private:
  ActiveTapes() = default;
  // False if another thread has removed the tape.
  bool records(const Tape& tape) const { return tape.recorder_ == this; }
  void listen();

  // A tape, or the pause with that number.
  struct Entry {
    std::shared_ptr<Tape> tape;
    std::uint64_t pause = 0;
  };
  std::vector<Entry> entries_;
  std::uint64_t last_pause_ = 0;
  List tapes_;  // above the last pause
};

// Stops recording on this thread's tapes during its lifetime, except on those that start meanwhile.
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
