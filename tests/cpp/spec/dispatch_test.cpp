// Which trace serves a call (tracing rules 47-54), and what a lookup costs.
#include "spec/dispatch.h"

#include <thread>

#include "check.h"
#include "spec/fake_host.h"

namespace tracefn::test {
namespace {

ParameterListPtr names(std::vector<std::string> list) {
  std::vector<ParameterName> parameters;
  for (std::string& name : list) parameters.push_back({std::move(name), ParameterKind::kPositionalOrKeyword});
  return make_ref<ParameterList>(std::move(parameters));
}

CallKey key(TraceTypes types) {
  static const ParameterListPtr lists[] = {names({}), names({"a"}), names({"a", "b"})};
  ParameterListPtr parameters = lists[types.size()];
  return CallKey(std::move(parameters), std::move(types));
}
CallKey shape_key(Shape shape) { return key({tensor(kF32, std::move(shape))}); }

const std::int64_t any = kUnknownDim;

TEST(rule_47_exact_match_wins) {
  DispatchTable table;
  table.add(shape_key(Shape::unknown()), 0);
  table.add(shape_key({any}), 1);
  table.add(shape_key({2}), 2);
  CHECK_EQ(*table.lookup(shape_key({2})), 2u);
  CHECK_EQ(*table.lookup(shape_key({any})), 1u);
  CHECK_EQ(*table.lookup(shape_key({3})), 1u);
  CHECK_EQ(*table.lookup(shape_key({3, 3})), 0u);
  CHECK(!table.lookup(key({tensor(DType::kInt32, {3})})));
  CHECK(!table.find_exact(shape_key({3})));
}

TEST(rule_48_ties_go_to_the_earliest) {
  DispatchTable table;
  table.add(shape_key({any, 2}), 7);
  table.add(shape_key({2, any}), 8);
  CHECK_EQ(*table.lookup(shape_key({2, 2})), 7u);
  table.add(shape_key({any, any}), 9);
  CHECK_EQ(*table.lookup(shape_key({2, 2})), 7u);
  CHECK_EQ(*table.lookup(shape_key({2, 3})), 8u);
  CHECK_EQ(*table.lookup(shape_key({3, 3})), 9u);
}

TEST(keys_of_other_parameters_differ) {
  DispatchTable table;
  auto t = tensor(kF32, {});
  table.add(CallKey(names({"a"}), {t}), 0);
  CHECK(table.lookup(CallKey(names({"a"}), {t})).has_value());
  CHECK(!table.lookup(CallKey(names({"b"}), {t})));
  CHECK(!table.lookup(CallKey(names({"a", "b"}), {t, t})));
  auto keyword = make_ref<ParameterList>(std::vector<ParameterName>{{"a", ParameterKind::kKeywordOnly}});
  CHECK(!table.lookup(CallKey(keyword, {t})));
}

TEST(rule_52_generalises_with_every_trace_in_order) {
  DispatchTable table;
  auto k = [](Shape s, double v) { return key({tensor(kF32, std::move(s)), literal(v)}); };
  table.add(k({1, 3}, 1), 0);
  table.add(k({4}, 2), 1);
  CallKey relaxed = table.generalize(k({2, 3}, 1));
  CHECK_EQ(relaxed.types()[0]->text(), "TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)");
  table.add(k({5}, 1), 2);
  CHECK_EQ(table.generalize(k({2, 3}, 1)).types()[0]->text(),
           "TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)");
  CHECK(table.generalize(k({2}, 9)).equals(k({2}, 9)));
}

TEST(dispatch_erase_and_least_recently_used) {
  DispatchTable table;
  for (std::size_t i = 0; i < 3; ++i) table.add(shape_key({static_cast<std::int64_t>(i)}), i);
  CHECK_EQ(*table.least_recently_used(), 0u);
  table.lookup(shape_key({0}));
  CHECK_EQ(*table.least_recently_used(), 1u);
  table.touch(1);
  CHECK_EQ(*table.least_recently_used(), 2u);
  CHECK(table.erase(2));
  CHECK(!table.erase(2));
  CHECK(!table.lookup(shape_key({2})));
  CHECK((table.payloads() == std::vector<std::size_t>{0, 1}));
  table.clear();
  CHECK_EQ(table.size(), 0u);
  CHECK(!table.least_recently_used());
}

TEST(dispatch_by_several_threads) {
  DispatchTable table;
  table.add(shape_key({any}), 0);
  std::vector<std::thread> threads;
  std::atomic<int> misses{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::int64_t i = 0; i < 200; ++i) {
        if (t == 0) table.add(shape_key({1000 + i}), static_cast<std::size_t>(1 + i));
        if (t == 1) table.erase(static_cast<std::size_t>(1 + i));
        if (!table.lookup(shape_key({i}))) ++misses;
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(misses.load(), 0);
}

}  // namespace
}  // namespace tracefn::test
