// GroupByWindowDataset: elements collected by a key, and each full group reduced to a dataset. GroupByReducerDataset:
// elements folded by a key.
#include <map>

#include "base/poll.h"
#include "data/captured_function.h"
#include "data/dataset_ops.h"
#include "data/element_list.h"

namespace tracefn::data {
namespace {

std::int64_t int64_result(const Element& results, std::string_view function) {
  if (results.size() != 1 || results[0].dtype() != DType::kInt64 || results[0].num_elements() != 1)
    invalid_argument("`", function, "` must return a scalar int64.");
  return results[0].item<std::int64_t>();
}

struct WindowFunctions {
  CapturedFunction key, reduce, window_size;
};

class GroupByWindowIterator final : public Iterator {
 public:
  GroupByWindowIterator(std::unique_ptr<Iterator> input, const WindowFunctions& functions, IteratorContext& context,
                        ElementSpec inner, ElementSpec outer)
      : input_(std::move(input)),
        key_(functions.key.bind(context)),
        reduce_(functions.reduce.bind(context)),
        window_size_(functions.window_size.bind(context)),
        context_(&context),
        inner_(std::move(inner)),
        outer_(std::move(outer)) {}

  bool next(Element& out) override {
    PolledSteps polled;
    for (;; polled.step()) {
      if (current_) {
        if (current_->next(out)) return true;
        current_ = nullptr;
        current_group_.clear();
      }
      while (!ended_ && !current_) read_one(polled);
      if (current_) continue;
      if (groups_.empty()) return false;
      flush(groups_.begin());
    }
  }

  void save(StateWriter& state) override {
    input_->save(state);
    state.number(number_);
    state.flag(ended_);
    state.number(static_cast<std::int64_t>(sizes_.size()));
    for (const auto& [key, size] : sizes_) {
      state.number(key);
      state.number(size);
    }
    state.number(static_cast<std::int64_t>(groups_.size()));
    for (const auto& [key, group] : groups_) save_group(state, key, group);
    state.flag(current_ != nullptr);
    if (!current_) return;
    save_group(state, current_key_, current_group_);
    current_->save(state);
  }
  void restore(StateReader& state) override {
    input_->restore(state);
    number_ = state.count();
    ended_ = state.flag();
    sizes_.clear();
    groups_.clear();
    for (std::int64_t n = state.count(); n > 0; --n) {
      const std::int64_t key = state.number();
      sizes_[key] = state.count();
    }
    for (std::int64_t n = state.count(); n > 0; --n) {
      const std::int64_t key = state.number();
      groups_[key] = restore_group(state);
    }
    current_ = nullptr;
    if (!state.flag()) return;
    current_key_ = state.number();
    begin(current_key_, restore_group(state));
    current_->restore(state);
  }

 private:
  using Group = std::vector<Element>;

  static void save_group(StateWriter& state, std::int64_t key, const Group& group) {
    state.number(key);
    state.number(static_cast<std::int64_t>(group.size()));
    for (const Element& element : group) state.element(element);
  }
  Group restore_group(StateReader& state) const {
    Group group;
    for (std::int64_t n = state.count(); n > 0; --n) group.push_back(state.element(inner_));
    return group;
  }

  void read_one(PolledSteps& polled) {
    Element element, results;
    polled.step();
    if (!input_->next(element)) {
      ended_ = true;
      return;
    }
    const std::int64_t number = number_++;
    std::int64_t key;
    try {
      Element args = element;
      key_->run(args, results);
      key = int64_result(results, "key_func");
      if (!sizes_.contains(key)) {
        args = {Tensor::scalar(key)};
        window_size_->run(args, results);
        const std::int64_t size = int64_result(results, "window_size_func");
        if (size <= 0) invalid_argument("Window size must be greater than zero, but got ", size, ".");
        sizes_[key] = size;
      }
    } catch (const Error& e) {
      if (e.node_name().empty()) throw;
      rethrow_for_element(e, "GroupByWindow", number);
    }
    const auto group = groups_.try_emplace(key).first;
    group->second.push_back(std::move(element));
    if (static_cast<std::int64_t>(group->second.size()) >= sizes_[key]) flush(group);
  }
  void flush(std::map<std::int64_t, Group>::iterator at) {
    const std::int64_t key = at->first;
    Group group = std::move(at->second);
    groups_.erase(at);
    begin(key, std::move(group));
  }
  void begin(std::int64_t key, Group group) {
    current_key_ = key;
    current_group_ = group;
    Element args{Tensor::scalar(key), Tensor::handle(DType::kVariant, dataset_of("Group", inner_, std::move(group)))};
    Element results;
    reduce_->run(args, results);
    if (results.size() != 1 || results[0].dtype() != DType::kVariant || results[0].rank() != 0)
      invalid_argument("`reduce_func` must return a single scalar of dtype DT_VARIANT.");
    const Ref<Dataset> dataset = dataset_in(results[0]);
    check_types(outer_.dtypes, dataset->spec().dtypes);
    check_shapes(outer_.shapes, dataset->spec().shapes);
    current_ = dataset->make_iterator(*context_);
  }

  const std::unique_ptr<Iterator> input_;
  const std::unique_ptr<BoundFunction> key_, reduce_, window_size_;
  const Ref<IteratorContext> context_;
  const ElementSpec inner_, outer_;
  std::map<std::int64_t, Group> groups_;
  std::map<std::int64_t, std::int64_t> sizes_;
  std::unique_ptr<Iterator> current_;  // the dataset made of the group that is given out
  Group current_group_;
  std::int64_t current_key_ = 0, number_ = 0;
  bool ended_ = false;
};

class GroupByWindowDataset final : public Dataset {
 public:
  GroupByWindowDataset(ElementSpec spec, Ref<Dataset> input, WindowFunctions functions)
      : Dataset("GroupByWindow", std::move(spec), {std::move(input)}), functions_(std::move(functions)) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<GroupByWindowIterator>(input().make_iterator(context), functions_, context, input().spec(),
                                                   spec());
  }
  std::int64_t cardinality() const override { return kUnknownCardinality; }
  void visit_owned(OwnedVisitor& visitor) const override {
    Dataset::visit_owned(visitor);
    functions_.key.visit_owned(visitor);
    functions_.reduce.visit_owned(visitor);
    functions_.window_size.visit_owned(visitor);
  }

 private:
  const WindowFunctions functions_;
};

struct ReducerFunctions {
  CapturedFunction key, init, reduce, finalize;
};

class GroupByReducerIterator final : public Iterator {
 public:
  GroupByReducerIterator(std::unique_ptr<Iterator> input, const ReducerFunctions& functions, IteratorContext& context)
      : input_(std::move(input)),
        key_(functions.key.bind(context)),
        init_(functions.init.bind(context)),
        reduce_(functions.reduce.bind(context)),
        finalize_(functions.finalize.bind(context)) {}

  bool next(Element& out) override {
    PolledSteps polled;
    for (; !ended_; polled.step()) read_one();
    if (states_.empty()) return false;
    Element args = std::move(states_.begin()->second);
    states_.erase(states_.begin());
    finalize_->run(args, out);
    return true;
  }

  void save(StateWriter& state) override {
    input_->save(state);
    state.number(number_);
    state.flag(ended_);
    state.number(static_cast<std::int64_t>(states_.size()));
    for (const auto& [key, element] : states_) {
      state.number(key);
      state.element(element);
    }
  }
  void restore(StateReader& state) override {
    input_->restore(state);
    number_ = state.count();
    ended_ = state.flag();
    states_.clear();
    for (std::int64_t n = state.count(); n > 0; --n) {
      const std::int64_t key = state.number();
      states_[key] = state.element();
    }
  }

 private:
  void read_one() {
    Element element;
    if (!input_->next(element)) {
      ended_ = true;
      return;
    }
    const std::int64_t number = number_++;
    try {
      Element args = element, results;
      key_->run(args, results);
      const std::int64_t key = int64_result(results, "key_func");
      auto at = states_.find(key);
      if (at == states_.end()) {
        args = {Tensor::scalar(key)};
        init_->run(args, results);
        at = states_.emplace(key, std::move(results)).first;
        results.clear();
      }
      args = at->second;
      for (Tensor& t : element) args.push_back(std::move(t));
      reduce_->run(args, results);
      if (results.size() != at->second.size())
        invalid_argument("`reduce_func` must return as many tensors as `init_func`, ", at->second.size(), ", not ",
                         results.size(), ".");
      at->second = std::move(results);
    } catch (const Error& e) {
      if (e.node_name().empty()) throw;
      rethrow_for_element(e, "GroupByReducer", number);
    }
  }

  const std::unique_ptr<Iterator> input_;
  const std::unique_ptr<BoundFunction> key_, init_, reduce_, finalize_;
  std::map<std::int64_t, Element> states_;
  std::int64_t number_ = 0;
  bool ended_ = false;
};

class GroupByReducerDataset final : public Dataset {
 public:
  GroupByReducerDataset(ElementSpec spec, Ref<Dataset> input, ReducerFunctions functions)
      : Dataset("GroupByReducer", std::move(spec), {std::move(input)}), functions_(std::move(functions)) {}

  std::unique_ptr<Iterator> make_iterator(IteratorContext& context) const override {
    return std::make_unique<GroupByReducerIterator>(input().make_iterator(context), functions_, context);
  }
  std::int64_t cardinality() const override { return kUnknownCardinality; }
  void visit_owned(OwnedVisitor& visitor) const override {
    Dataset::visit_owned(visitor);
    functions_.key.visit_owned(visitor);
    functions_.init.visit_owned(visitor);
    functions_.reduce.visit_owned(visitor);
    functions_.finalize.visit_owned(visitor);
  }

 private:
  const ReducerFunctions functions_;
};

void group_by_window(KernelContext& c) {
  set_dataset(c, make_ref<GroupByWindowDataset>(
                     spec_attrs(c), dataset_input(c),
                     WindowFunctions{CapturedFunction(c, "key_func", "key_func_other_arguments"),
                                     CapturedFunction(c, "reduce_func", "reduce_func_other_arguments"),
                                     CapturedFunction(c, "window_size_func", "window_size_func_other_arguments")}));
}

void group_by_reducer(KernelContext& c) {
  set_dataset(c, make_ref<GroupByReducerDataset>(
                     spec_attrs(c), dataset_input(c),
                     ReducerFunctions{CapturedFunction(c, "key_func", "key_func_other_arguments"),
                                      CapturedFunction(c, "init_func", "init_func_other_arguments"),
                                      CapturedFunction(c, "reduce_func", "reduce_func_other_arguments"),
                                      CapturedFunction(c, "finalize_func", "finalize_func_other_arguments")}));
}

}  // namespace

void register_grouping(Registry& r) {
  add_dataset(r,
              {.name = "GroupByWindowDataset",
               .inputs = {"input_dataset: variant", "key_func_other_arguments: Tkey_func_other_arguments",
                          "reduce_func_other_arguments: Treduce_func_other_arguments",
                          "window_size_func_other_arguments: Twindow_size_func_other_arguments"},
               .attrs = {"key_func: func", "reduce_func: func", "window_size_func: func",
                         "Tkey_func_other_arguments: list(type) >= 0", "Treduce_func_other_arguments: list(type) >= 0",
                         "Twindow_size_func_other_arguments: list(type) >= 0"},
               .doc = "A dataset of the elements of `reduce_func(key, group)`, where a group is a dataset of "
                      "`window_size_func(key)` elements with the same key.",
               .kernel = group_by_window});
  add_dataset(
      r,
      {.name = "GroupByReducerDataset",
       .inputs = {"input_dataset: variant", "key_func_other_arguments: Tkey_func_other_arguments",
                  "init_func_other_arguments: Tinit_func_other_arguments",
                  "reduce_func_other_arguments: Treduce_func_other_arguments",
                  "finalize_func_other_arguments: Tfinalize_func_other_arguments"},
       .attrs = {"key_func: func", "init_func: func", "reduce_func: func", "finalize_func: func",
                 "Tkey_func_other_arguments: list(type) >= 0", "Tinit_func_other_arguments: list(type) >= 0",
                 "Treduce_func_other_arguments: list(type) >= 0", "Tfinalize_func_other_arguments: list(type) >= 0"},
       .stateful = true,
       .doc = "A dataset of one element for each key: the elements with that key, folded by `reduce_func`.",
       .kernel = group_by_reducer},
      {.metadata = false});
}

}  // namespace tracefn::data
