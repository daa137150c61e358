// KernelContext: the interface of a kernel. Lives on the executor's stack for one call of the kernel.
#pragma once

#include <atomic>
#include <mutex>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/check.h"
#include "base/function_ref.h"
#include "ir/signature.h"
#include "ops/op_def.h"

namespace tracefn {

struct OutputInfo;

// A tensor that a kernel or a graph is given. With `last_use` it may be moved from, and its buffer reused.
struct TensorRef {
  Tensor* tensor = nullptr;
  bool last_use = false;
};
inline TensorRef borrowed(const Tensor& t) { return {const_cast<Tensor*>(&t), false}; }

// Runs the graph of a function attribute (implemented by the executor). `index` counts the node's function attributes.
// `results` is overwritten.
class BodyRunner {
 public:
  virtual ~BodyRunner() = default;
  virtual void run(std::size_t index, std::span<const TensorRef> args, std::vector<Tensor>& results) = 0;
};

// The state that a stateful node keeps between the calls of one concrete function. The object in it synchronizes
// itself; only its creation is guarded here: a kernel that finds the slot empty holds the slot's lock until it returns,
// so that two simultaneous first calls create one object.
class StateSlot {
 public:
  Ref<RefCounted>& open(std::unique_lock<std::mutex>& lock) {
    if (!ready_.load(std::memory_order_acquire) && !lock.owns_lock()) {
      lock = std::unique_lock(mutex_);
      if (ready_.load(std::memory_order_relaxed)) lock.unlock();
    }
    return object_;
  }
  void close(std::unique_lock<std::mutex>& lock) {
    if (!lock.owns_lock()) return;
    if (object_) ready_.store(true, std::memory_order_release);
    lock.unlock();
  }

 private:
  std::atomic<bool> ready_{false};
  std::mutex mutex_;
  Ref<RefCounted> object_;
};

// Splits [0, n) into shards and runs them, on pool threads if there is enough work. Shard bounds depend only on n and
// cost. `cost` is an estimate in nanoseconds per element. Between shards the caller polls for signals (base/poll.h); a
// shard of few slow elements polls by itself.
class ShardRunner {
 public:
  virtual ~ShardRunner() = default;
  // What one shard does, from a number up to another.
  using Shard = FunctionRef<void(std::int64_t, std::int64_t)>;
  virtual void parallel_for(std::int64_t n, double cost, Shard shard) = 0;
  // Threads that work on one call, the caller included. Results must not depend on it.
  virtual int num_threads() = 0;
};

// Goes on with output 0 of a kernel while the block just computed is in the cache: the elementwise ops that read it.
// One call of a kernel has its own.
class BlockFinisher {
 public:
  virtual ~BlockFinisher() = default;
  // Takes the allocated output, before anything is written to it; afterwards `out` may share its memory with others,
  // and is written all the same. False, with nothing done, if the ops cannot go on block by block.
  virtual bool start(Tensor& out) = 0;
  // Elements at + i * stride + j of the output are computed, for i < rows and j < columns. Any thread may call, several
  // at once for different blocks. Must not be called twice for an element, and does not poll.
  virtual void finish(std::int64_t at, std::int64_t rows, std::int64_t columns, std::int64_t stride) = 0;
};

class KernelContext {
 public:
  KernelContext(const OpDef& op, const AttrList& attrs, std::span<TensorRef> inputs, std::span<Tensor> outputs)
      : op_(op), attrs_(attrs), inputs_(inputs), outputs_(outputs) {}
  ~KernelContext() {
    if (state_) state_->close(state_lock_);
  }
  KernelContext(const KernelContext&) = delete;
  KernelContext& operator=(const KernelContext&) = delete;

  const OpDef& op() const { return op_; }
  const AttrList& attrs() const { return attrs_; }
  const Attr& attr(std::string_view name) const {
    int i = op_.signature.attr_index(name);
    return attrs_[static_cast<std::size_t>(i)];
  }
  std::size_t num_inputs() const { return inputs_.size(); }
  std::size_t num_outputs() const { return outputs_.size(); }
  const Tensor& input(std::size_t i) const { return *inputs_[i].tensor; }
  // The input itself if this is its last use (so it may be updated in place if writable()), else a shared copy.
  Tensor take_input(std::size_t i) {
    if (inputs_[i].last_use) return std::move(*inputs_[i].tensor);
    return *inputs_[i].tensor;
  }
  bool is_last_use(std::size_t i) const { return inputs_[i].last_use; }
  std::span<TensorRef> operands() const { return inputs_; }
  // The output that the shape rule allocated (Allocation::kByShapeRule), or that was set.
  Tensor& output(std::size_t j) { return outputs_[j]; }
  // Whether anything may read output j. If not, the kernel may leave what is in it as it is.
  bool reads_output(std::size_t j) const { return j >= 64 || !(unread_outputs_ >> j & 1); }
  Tensor& allocate_output(std::size_t j, DType dtype, Shape shape) {
    outputs_[j] = Tensor(dtype, std::move(shape));
    return outputs_[j];
  }
  void set_output(std::size_t j, Tensor tensor) { outputs_[j] = std::move(tensor); }

  // The state of this node of this concrete function (a random generator's counter); initially empty. A kernel may fill
  // it if it is empty, and must not change it afterwards. No calls into the host language in between. Precondition: the
  // op is stateful.
  Ref<RefCounted>& state() { return state_->open(state_lock_); }
  // Releases the state's lock before the kernel returns. Precondition: state() is filled.
  void close_state() { state_->close(state_lock_); }
  void run_body(std::size_t index, std::span<const TensorRef> args, std::vector<Tensor>& results) const {
    bodies_->run(index, args, results);
  }
  void parallel_for(std::int64_t n, double cost, ShardRunner::Shard shard) const {
    if (shards_) {
      shards_->parallel_for(n, cost, shard);
    } else {
      shard(0, n);
    }
  }

  // For a kernel that computes output 0 block by block (OpFacts::finishes): what to call for every element once it is
  // computed, or null. Before mutable memory of the output is asked for, and once at most.
  BlockFinisher* take_finisher() { return finisher_ && finisher_->start(outputs_[0]) ? finisher_ : nullptr; }

  // What the record's check finds out and the kernel needs, too, such as sizes: plain data, computed once for both.
  template <typename T>
  void keep(const T& found) const {
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= kMostKept);
    new (kept_) T(found);
    kept_type_ = &kTypeTag<T>;
  }
  // Precondition: the check has kept a T.
  template <typename T>
  const T& kept() const {
    TRACEFN_CHECK(kept_type_ == &kTypeTag<T>);
    return *std::launder(reinterpret_cast<const T*>(kept_));
  }

  // Set by the executor.
  BlockFinisher* finisher_ = nullptr;
  StateSlot* state_ = nullptr;
  BodyRunner* bodies_ = nullptr;
  ShardRunner* shards_ = nullptr;
  std::string_view node_name_;
  std::uint64_t unread_outputs_ = 0;  // bit j: of output j

 private:
  const OpDef& op_;
  const AttrList& attrs_;
  std::span<TensorRef> inputs_;
  std::span<Tensor> outputs_;
  std::unique_lock<std::mutex> state_lock_;
  static constexpr std::size_t kMostKept = 320;
  template <typename T>
  static constexpr char kTypeTag = 0;
  mutable const void* kept_type_ = nullptr;
  alignas(8) mutable unsigned char kept_[kMostKept];  // not initialized until something is kept
};

// The check of a record whose kernel needs the sizes that are checked.
template <auto sizes>
void check_and_keep(const KernelContext& c) {
  c.keep(sizes(c));
}

}  // namespace tracefn
