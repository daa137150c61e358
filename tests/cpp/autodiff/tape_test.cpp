// Tapes: what they record and watch, pauses, orders of starting and ending, forms of gradients.
#include "autodiff/tape.h"

#include <cmath>
#include <thread>

#include "autodiff/recording.h"

namespace tracefn::test {
namespace {

Tensor ints32(const std::vector<std::int32_t>& v) { return Tensor::vector(std::span<const std::int32_t>(v)); }
Operand rows(const Operand& table, const std::vector<std::int32_t>& at) {
  return emit1("GatherV2", {table, ints32(at), i32(0)});
}
Operand sum(const Operand& x) { return build::sum(x, build::ints({0})); }

TEST(tape_records_what_depends_on_what_it_watches) {
  Recording tape;
  Operand x = tape.watch(f64(3)), other = f64(5);
  Operand unseen = other * other;
  CHECK_EQ(tape->size(), 0u);
  Operand y = x * unseen, z = -y;
  CHECK_EQ(tape->size(), 2u);
  CHECK(tape->tracks(z) && !tape->tracks(unseen));
  CHECK(z.id != 0);
  CHECK_EQ(unseen.id, 0);  // nobody needs to tell it from others
  CHECK_EQ(tape.slope(z, x), -25.0);
}

TEST(tape_gives_no_gradient_to_what_was_watched_too_late) {
  Recording tape;
  Operand x = tape.watch(f64(3)), late = f64(5);
  OpRecorder::watch(late);
  Operand y = x * late;
  tape.watch(late);
  Operand z = y * late;
  CHECK_EQ(tape.slope(z, late), 15.0);  // through the second product alone
  CHECK_EQ(tape.slope(z, x), 25.0);
  const Operand sources[] = {x, late}, seed{};
  std::vector<Gradient> both = tape->gradient(std::span(&z, 1), std::span(&seed, 1), sources);
  CHECK_EQ(value(both[0].dense()), 25.0);
  CHECK_EQ(value(both[1].dense()), 15.0);
}

TEST(tape_gradients_of_unconnected_sources_are_undefined) {
  Recording tape;
  Operand x = tape.watch(f64(3)), y = tape.watch(f64(4)), n = tape.watch(i32(2));
  Operand z = x * x, floor = build::cast(build::cast(y, DType::kInt32), DType::kDouble) * x;
  CHECK(!tape.gradient(z, y).defined());
  CHECK(!tape.gradient(floor, y).defined());  // no gradient flows through integers
  CHECK(!tape.gradient(z, n).defined());
  const Operand targets[] = {z, floor}, sources[] = {x, y};
  CHECK(tape->connected(targets, sources) == (std::vector<bool>{true, false}));
}

TEST(tape_sums_over_targets_and_scales_by_seeds) {
  Recording tape;
  Operand x = tape.watch(f64(3)), y = x * x, z = x * f64(5);
  const Operand targets[] = {y, z, x}, seeds[] = {f64(10), Operand(), f64(100)};
  CHECK_EQ(value(tape->gradient(targets, seeds, std::span(&x, 1))[0].dense()), 60.0 + 5.0 + 100.0);
}

TEST(tape_persists_and_records_its_own_gradients) {
  Recording tape{Recording::Persistent()};
  Operand x = tape.watch(f64(2)), y = x * x * x;
  CHECK_EQ(tape.slope(y, x), 12.0);
  CHECK_EQ(tape.slope(y, x), 12.0);  // again
  Operand first = tape.gradient(y, x).dense(), second = tape.gradient(first, x).dense();
  CHECK_EQ(value(second), 12.0);
  CHECK_EQ(tape.slope(second, x), 6.0);
}

TEST(tape_inside_a_tape_gives_second_order) {
  Recording outer;
  Operand x = outer.watch(f64(0.5)), first;
  {
    Recording inner;
    inner.watch(x);
    Operand y = emit1("Sin", {x});
    inner.stop();
    first = inner.gradient(y, x).dense();
  }
  CHECK_EQ(value(first), std::cos(0.5));
  CHECK(std::abs(outer.slope(first, x) + std::sin(0.5)) < 1e-15);
}

TEST(tape_pause_stops_earlier_tapes_only) {
  Recording early;
  Operand x = early.watch(f64(3)), y;
  {
    TapePause pause;
    CHECK(!ActiveTapes::of_thread().listening());
    y = x * x;
    Recording late;
    late.watch(x);
    CHECK(ActiveTapes::of_thread().listening());
    Operand z = x * x;
    CHECK_EQ(late.slope(z, x), 6.0);
    CHECK(!early.gradient(z, x).defined());
  }
  CHECK(!early.gradient(y, x).defined());
  CHECK_EQ(early.slope(x * x, x), 6.0);
}

TEST(tapes_end_in_any_order) {
  auto first = std::make_unique<Recording>();
  Recording second;
  Operand x = first->watch(f64(3));
  second.watch(x);
  first->stop();
  Operand y = x * x;
  CHECK(!first->gradient(y, x).defined());
  CHECK_EQ(second.slope(y, x), 6.0);
  {
    TapePause pause;
    second.stop();  // inside a pause that began after it
  }
  CHECK(!ActiveTapes::of_thread().listening());
  CHECK(ActiveTapes::of_thread().tapes().empty());
  CHECK(current_listener() == nullptr);
}

TEST(tape_ended_by_another_thread_records_no_more) {
  Recording tape;
  Operand x = tape.watch(f64(3));
  CHECK_EQ(tape.slope(x * x, x), 6.0);
  std::thread([&] { tape.stop(); }).join();
  CHECK(tape->recorder() == nullptr);
  Operand y = x * x;
  CHECK(!tape.gradient(y, x).defined());
  ActiveTapes::of_thread().push(std::make_shared<Tape>(true));  // the ended one is left out
  CHECK_EQ(ActiveTapes::of_thread().tapes().size(), 1u);
  ActiveTapes::remove(*ActiveTapes::of_thread().tapes()[0]);
}

TEST(tape_of_one_thread_does_not_record_another) {
  Recording tape;
  Operand x = tape.watch(f64(3));
  std::thread([&] {
    CHECK(!ActiveTapes::of_thread().listening());
    (void)(x * x);
  }).join();
  CHECK_EQ(tape->size(), 0u);
}

TEST(tape_watches_trainable_variables_when_they_are_read) {
  Operand v = variable(f64(3)), w = variable(f64(4)), frozen = variable(f64(5));
  static_cast<VariableResource&>(*frozen.tensor.object()).set_trainable(false);
  Recording tape, other{std::make_shared<Tape>(false)};
  Operand b = read(w, DType::kDouble), a = read(v, DType::kDouble), c = read(frozen, DType::kDouble);
  Operand again = read(Tensor::handle(DType::kResource, v.tensor.object()), DType::kDouble);  // by another handle
  Operand y = a * again * b * c;
  CHECK_EQ(tape->variables().size(), 2u);
  CHECK(tape->variables()[0].tensor.object() == w.tensor.object());
  CHECK(tape->variables()[1].tensor.object() == v.tensor.object());
  CHECK_EQ(value(tape.gradient(y, v).dense()), 120.0);
  CHECK_EQ(value(tape.gradient(y, w).dense()), 45.0);
  CHECK(!tape.gradient(y, frozen).defined());
  CHECK(other->variables().empty());
  CHECK_EQ(other->size(), 0u);
  emit_all("VariableShape", std::span(&v, 1));
  emit_all("VarIsInitializedOp", std::span(&v, 1));
  Recording fresh;
  emit_all("VariableShape", std::span(&v, 1));  // no read
  CHECK(fresh->variables().empty());
}

TEST(tape_gradients_of_rows_are_indexed_slices) {
  Recording tape;
  Operand table = tape.watch(doubles({1, 2, 3, 4}));
  Operand one = rows(table, {3, 1, 3});
  Gradient g = tape.gradient(one, table, doubles({10, 20, 30}));
  CHECK(g.is_indexed_slices());
  CHECK(identical(g.indices.tensor, ints32({3, 1, 3})));
  CHECK(identical(g.values.tensor, doubles({10, 20, 30})));
  CHECK(identical(g.dense().tensor, doubles({0, 20, 0, 40})));
  // Several are put together; with a dense one the sum is dense.
  Operand both = sum(one) + sum(rows(table, {0}));
  g = tape.gradient(both, table);
  CHECK(g.is_indexed_slices());
  CHECK_EQ(g.indices.shape(), Shape({4}));
  CHECK(identical(g.dense().tensor, doubles({1, 1, 0, 2})));
  g = tape.gradient(both + sum(table * table), table);
  CHECK(!g.is_indexed_slices());
  CHECK(identical(g.values.tensor, doubles({3, 5, 6, 10})));
}

TEST(tape_gradients_of_rows_of_variables_are_indexed_slices) {
  Operand v = variable(doubles({1, 2, 3}));
  Recording tape;
  Operand y = emit1("ResourceGather", {v, ints32({2, 2})}, {{"dtype", DType::kDouble}});
  Gradient g = tape.gradient(y, v);
  CHECK(g.is_indexed_slices());
  CHECK(identical(g.dense().tensor, doubles({0, 0, 2})));
}

TEST(tape_records_nodes_of_a_graph_that_is_traced) {
  Trace f;
  Operand x = f.input(DType::kDouble, Shape());
  Recording tape;
  tape->watch(x);
  Operand y = x * x * x;
  f->add_output(tape.gradient(y, x).dense());
  CHECK_EQ(run_graph(f.graph(), {f64(2)})[0].item<double>(), 12.0);
}

// As the rule of a tf.custom_gradient: not the derivative.
class Thousand final : public GradientRule {
 public:
  void differentiate(GradContext& c) override { c.to_input(0, c.dy(0) * f64(1000)); }
};

TEST(tape_of_a_call_with_its_own_rule) {
  Recording outside, inside, forward{std::make_shared<Tape>(true, false, true)};
  Operand x = outside.watch(f64(3)), w = inside.watch(f64(4));
  forward.watch(x);
  Operand result = x * w, out = emit1("Identity", {result});
  {
    TapePause pause;
    out = Operand(result.tensor);
    OpRecorder::watch(out);
  }
  ActiveTapes::of_thread().record_custom(std::span(&x, 1), std::span(&result, 1), std::span(&out, 1),
                                         make_ref<Thousand>());
  CHECK_EQ(outside.slope(out, x), 1000.0);  // by the rule
  CHECK_EQ(inside.slope(out, w), 3.0);      // the body used it, and the call does not take it
  CHECK_EQ(forward.slope(out, x), 4.0);     // looks into the call
}

TEST(tape_rule_of_a_node_replaces_that_of_its_op) {
  Trace f;
  Operand x = f.input(DType::kDouble, Shape()), y = x * x;
  f.graph()->node(y.value.node).gradient = make_ref<Thousand>();
  std::vector<RecordedOp> records = records_of(f.graph());
  const RecordedOp* all[] = {&records[0]};
  Operand seed;
  f->add_output(gradients_of(all, std::span(&y, 1), std::span(&seed, 1), std::span(&x, 1))[0].dense());
  CHECK_EQ(run_graph(f.graph(), {f64(2)})[0].item<double>(), 1000.0);
}

}  // namespace
}  // namespace tracefn::test
