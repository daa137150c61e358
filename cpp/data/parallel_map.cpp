// ParallelMapDataset, ParallelMapDatasetV2: a function of each element, called on several threads. Where it consists of
// elementwise ops and the elements are rows, they stay rows instead: whole batches are computed at once.
//
// A call costs some hundred nanoseconds of synchronization, so cheap functions are called for some elements at a time:
// as many as take some 50 microseconds, as measured.
//
// Tuned parallelism starts with one thread. Whenever the consumer has had to wait some times, there is one more, up to
// the number of processors.
#include <chrono>
#include <deque>
#include <exception>

#include "data/captured_function.h"
#include "data/dataset_ops.h"
#include "data/map_iterator.h"
#include "data/workers.h"

namespace tracefn::data {
namespace {

constexpr std::int64_t kTuned = -1, kMostThreads = 256;

class ParallelMapIterator final : public Iterator {
 public:
  ParallelMapIterator(std::unique_ptr<Iterator> input, std::unique_ptr<BoundFunction> function,
                      std::int64_t num_parallel_calls, bool deterministic, bool preserve_cardinality)
      : shared_(std::make_shared<Shared>(std::move(input), std::move(function), num_parallel_calls, deterministic)),
        preserve_cardinality_(preserve_cardinality) {}
  ~ParallelMapIterator() override {
    if (!process_.same()) {
      new std::shared_ptr<Shared>(std::move(shared_));  // the threads that may hold the locks are not here
      return;
    }
    std::lock_guard lock(shared_->mutex);
    shared_->stopped = true;
    shared_->room.notify_all();
  }

  bool next(Element& out) override {
    process_.check();
    Shared& s = *shared_;
    if (!started_) {
      started_ = true;
      s.start(s.tuned ? 1 : std::min(s.parallel, kMostThreads), shared_);
    }
    while (!current_ || at_ == current_->results.size()) {
      if (finished_ || !take()) {
        finished_ = true;
        return false;
      }
    }
    const std::size_t i = at_++;
    if (current_->errors.size() > i && current_->errors[i]) {
      try {
        std::rethrow_exception(current_->errors[i]);
      } catch (const Error& e) {
        return end_or_rethrow(e, preserve_cardinality_, "ParallelMap", current_->first + static_cast<std::int64_t>(i));
      }
    }
    out = std::move(current_->results[i]);
    return true;
  }

  void save(StateWriter& state) override {
    Shared& s = *shared_;
    HostLockRelease release(true);  // functions may call the host
    std::lock_guard reading(s.input_mutex);
    std::unique_lock lock(s.mutex);
    s.done.wait(lock,
                [&] { return std::all_of(s.tasks.begin(), s.tasks.end(), [](const auto& t) { return t->done; }); });
    auto count = [](const Task& task, std::size_t from) {
      return static_cast<std::int64_t>(task.results.size() - from);
    };
    auto write = [&](const Task& task, std::size_t from) {
      for (std::size_t i = from; i < task.results.size(); ++i)
        state.result(task.results[i], i < task.errors.size() ? task.errors[i] : nullptr);
    };
    std::int64_t ready = current_ ? count(*current_, at_) : 0;
    for (const auto& task : s.tasks) ready += count(*task, 0);
    state.number(ready);
    if (current_) write(*current_, at_);
    for (const auto& task : s.tasks) write(*task, 0);
    state.number(s.number);
    state.flag(s.ended);
    s.input->save(state);
  }
  void restore(StateReader& state) override {
    current_ = std::make_shared<Task>();
    at_ = 0;
    for (std::int64_t n = state.count(); n > 0; --n)
      current_->errors.push_back(state.result(current_->results.emplace_back()));
    shared_->number = state.count();
    shared_->ended = state.flag();
    shared_->input->restore(state);
  }

 private:
  // Consecutive elements, which one thread works on.
  struct Task {
    std::int64_t first = 0;  // its first element's number
    std::vector<Element> args, results;
    std::vector<std::exception_ptr> errors;  // of results; empty: none
    bool done = false;
  };

  struct Shared {
    Shared(std::unique_ptr<Iterator> i, std::unique_ptr<BoundFunction> f, std::int64_t p, bool in_order)
        : input(std::move(i)),
          function(std::move(f)),
          parallel(p == kTuned ? num_processors() : p),
          tuned(p == kTuned),
          deterministic(in_order) {}

    std::mutex input_mutex;  // locked before `mutex`
    const std::unique_ptr<Iterator> input;
    const std::unique_ptr<BoundFunction> function;
    const std::int64_t parallel;
    const bool tuned, deterministic;
    std::atomic<bool> stopped{false};
    std::atomic<std::int64_t> at_once{1};  // elements per task

    std::mutex mutex;  // for what follows
    std::condition_variable room, done;
    std::deque<std::shared_ptr<Task>> tasks;  // in order, those that the consumer has not taken
    std::int64_t number = 0;                  // of the next element of the input; under input_mutex
    std::int64_t readers = 0;                 // threads that read a task, which has its place among them
    std::int64_t threads = 0, waits = 0;
    bool ended = false;

    void start(std::int64_t n, const std::shared_ptr<Shared>& self) {
      for (; n > 0; --n) {
        ++threads;
        start_worker([shared = self] { shared->work(); });
      }
    }
    bool has_room() const { return static_cast<std::int64_t>(tasks.size()) + readers < parallel; }

    void work() {
      const ShardScope scope(stopped);
      for (;;) {
        auto task = std::make_shared<Task>();
        {
          // Not with input_mutex: it may take until the consumer has saved the iterator.
          std::unique_lock lock(mutex);
          room.wait(lock, [&] { return stopped || ended || has_room(); });
          if (stopped || ended) return;
          ++readers;
        }
        if (!read(task)) return;
        if (!compute(*task)) return;
        std::lock_guard lock(mutex);
        task->done = true;
        done.notify_all();
      }
    }

    // False if there is nothing to compute, as it has been stopped or another thread has come to the end.
    bool read(const std::shared_ptr<Task>& made) {
      std::lock_guard reading(input_mutex);
      {
        std::lock_guard lock(mutex);
        if (ended) return false;
      }
      Task& task = *made;
      const std::int64_t wanted = at_once.load(std::memory_order_relaxed);
      task.first = number;
      bool end = false;
      for (std::int64_t i = 0; i < wanted && !end; ++i) {
        Element args;
        std::exception_ptr error;
        try {
          if (!input->next(args)) {
            end = true;
            break;
          }
        } catch (const Stopped&) {
          return false;
        } catch (...) {
          error = std::current_exception();
        }
        ++number;
        task.args.push_back(std::move(args));
        if (error) {
          task.errors.resize(task.args.size());
          task.errors.back() = std::move(error);
        }
      }
      task.results.resize(task.args.size());
      std::lock_guard lock(mutex);
      --readers;
      ended |= end;
      if (!task.args.empty()) tasks.push_back(made);
      if (end) {
        room.notify_all();
        done.notify_all();
      }
      return true;
    }

    bool compute(Task& task) {
      const auto begin = std::chrono::steady_clock::now();
      for (std::size_t i = 0; i < task.args.size(); ++i) {
        if (task.errors.size() > i && task.errors[i]) continue;
        try {
          poll();
          function->run(task.args[i], task.results[i]);
        } catch (const Stopped&) {
          return false;
        } catch (...) {
          task.errors.resize(task.args.size());
          task.errors[i] = std::current_exception();
        }
      }
      if (task.args.empty()) return true;
      constexpr std::int64_t kTaskNanoseconds = 50'000, kMostAtOnce = 64;
      const std::chrono::nanoseconds spent = std::chrono::steady_clock::now() - begin;
      const std::int64_t each = spent.count() / static_cast<std::int64_t>(task.args.size());
      at_once = std::clamp(kTaskNanoseconds / std::max<std::int64_t>(each, 1), std::int64_t{1}, kMostAtOnce);
      return true;
    }
  };

  // The next task that is done, in order unless that does not matter; false at the end.
  bool take() {
    Shared& s = *shared_;
    constexpr std::int64_t kWaits = 3;
    bool waited = false;
    auto found = s.tasks.end();
    auto ready = [&] {
      found = s.deterministic ? s.tasks.begin()
                              : std::find_if(s.tasks.begin(), s.tasks.end(), [](const auto& t) { return t->done; });
      if (found != s.tasks.end() && (*found)->done) return true;
      if (s.tasks.empty() && s.ended) return true;
      waited = true;
      return false;
    };
    std::shared_ptr<Task> task;
    wait_and_take(s.mutex, s.done, ready, [&] {
      if (!s.tasks.empty()) {
        task = *found;
        s.tasks.erase(found);
      }
      s.room.notify_all();
      if (waited && s.tuned && !s.ended && s.threads < s.parallel && ++s.waits >= kWaits) {
        s.waits = 0;
        s.start(1, shared_);
      }
    });
    current_ = std::move(task);
    at_ = 0;
    return current_ != nullptr;
  }

  std::shared_ptr<Shared> shared_;
  SameProcess process_;
  const bool preserve_cardinality_;
  std::shared_ptr<Task> current_;  // the results that come next
  std::size_t at_ = 0;
  bool started_ = false, finished_ = false;
};

class ParallelMapDataset final : public Dataset {
 public:
  ParallelMapDataset(ElementSpec spec, Ref<Dataset> input, CapturedFunction function, std::int64_t num_parallel_calls,
                     InOrder order, bool preserve_cardinality)
      : Dataset("ParallelMap", std::move(spec), {std::move(input)}),
        function_(std::move(function)),
        num_parallel_calls_(num_parallel_calls),
        order_(order),
        preserve_cardinality_(preserve_cardinality) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    std::unique_ptr<Iterator> iterator = input().make_iterator(context);
    std::unique_ptr<BoundFunction> function = function_.bind(context);
    if (MapIterator::works_on_rows(*iterator, *function))
      return std::make_unique<MapIterator>(std::move(iterator), std::move(function), preserve_cardinality_);
    return std::make_unique<ParallelMapIterator>(std::move(iterator), std::move(function), num_parallel_calls_,
                                                 context.keeps_order(order_), preserve_cardinality_);
  }
  std::unique_ptr<ElementReader> make_reader(IteratorContext& context) const override {
    return mapped_reader(input().make_reader(context), function_.bind(context));
  }
  std::int64_t cardinality() const override {
    return preserve_cardinality_ ? input().cardinality() : kUnknownCardinality;
  }
  void visit_owned(OwnedVisitor& visitor) const override {
    Dataset::visit_owned(visitor);
    function_.visit_owned(visitor);
  }

 private:
  const CapturedFunction function_;
  const std::int64_t num_parallel_calls_;
  const InOrder order_;
  const bool preserve_cardinality_;
};

void make(KernelContext& c, std::int64_t num_parallel_calls, InOrder order) {
  if (num_parallel_calls <= 0 && num_parallel_calls != kTuned)
    invalid_argument("num_parallel_calls must be greater than zero.");
  set_dataset(c,
              make_ref<ParallelMapDataset>(spec_attrs(c), dataset_input(c), CapturedFunction(c, "f", "other_arguments"),
                                           num_parallel_calls, order, c.attr("preserve_cardinality").b()));
}

void parallel_map(KernelContext& c) {
  make(c, scalar_input<std::int32_t>(c, "num_parallel_calls"), order_of(c.attr("sloppy").b()));
}
void parallel_map_v2(KernelContext& c) { make(c, scalar_input<std::int64_t>(c, "num_parallel_calls"), order_attr(c)); }

}  // namespace

Ref<Dataset> parallel_map_of(const KernelContext& c, ElementSpec spec, std::int64_t num_parallel_calls) {
  return make_ref<ParallelMapDataset>(std::move(spec), dataset_input(c), CapturedFunction(c, "f", "other_arguments"),
                                      num_parallel_calls, InOrder::kYes, c.attr("preserve_cardinality").b());
}

void register_parallel_map(Registry& r) {
  constexpr std::string_view kDoc =
      "A dataset of `f(element)` for each element of another, called for up to `num_parallel_calls` at a time.\n\n-1: "
      "as "
      "many as it takes that the consumer seldom waits, up to the number of processors. The results come in order, "
      "unless this is given up.";
  add_dataset(r, {.name = "ParallelMapDataset",
                  .inputs = {"input_dataset: variant", "other_arguments: Targuments", "num_parallel_calls: int32"},
                  .attrs = {"f: func", "Targuments: list(type) >= 0", "use_inter_op_parallelism: bool = true",
                            "sloppy: bool = false", "preserve_cardinality: bool = false"},
                  .doc = kDoc,
                  .kernel = parallel_map});
  add_dataset(r, {.name = "ParallelMapDatasetV2",
                  .inputs = {"input_dataset: variant", "other_arguments: Targuments", "num_parallel_calls: int64"},
                  .attrs = {"f: func", "Targuments: list(type) >= 0", "use_inter_op_parallelism: bool = true",
                            "deterministic: string = 'default'", "preserve_cardinality: bool = false",
                            "use_unbounded_threadpool: bool = false"},
                  .doc = kDoc,
                  .kernel = parallel_map_v2});
}

}  // namespace tracefn::data
