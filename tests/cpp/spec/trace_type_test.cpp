// Equality, subtypes, common supertypes, text and order of leaves for each kind of trace type (tracing rules C, D, G).
#include "spec/trace_type.h"

#include "check.h"
#include "spec/dict_type.h"
#include "spec/fake_host.h"
#include "spec/placeholder_order.h"
#include "spec/record_type.h"
#include "spec/variable_type.h"

namespace tracefn::test {
namespace {

TraceTypePtr dict(std::vector<HostValuePtr> keys, std::vector<TraceTypePtr> values) {
  return make_ref<DictType>(std::move(keys), std::move(values));
}
TraceTypePtr record(const char* name, std::vector<std::string> fields, std::vector<TraceTypePtr> values) {
  return make_ref<RecordType>(TypeKind::kNamedTuple, name, host(name), std::move(fields), std::move(values));
}
TraceTypePtr variable_type(Shape shape, std::int64_t alias, bool trainable = true) {
  return make_ref<VariableType>(kF32, std::move(shape), trainable, alias);
}
std::string joined(const TraceTypePtr& a, const TraceTypePtr& b) {
  TraceTypePtr type = a->most_specific_common_supertype(*b);
  return type ? type->text() : "none";
}

TEST(rule_48_tensor_order) {
  auto exact = tensor(kF32, {2, 3}), partial = tensor(kF32, {kUnknownDim, 3}), any = tensor(kF32, Shape::unknown());
  CHECK(exact->equals(*tensor(kF32, {2, 3})));
  CHECK(!exact->equals(*partial));
  CHECK(!exact->equals(*tensor(kI32, {2, 3})));
  CHECK(exact->is_subtype_of(*partial) && partial->is_subtype_of(*any) && exact->is_subtype_of(*any));
  CHECK(!partial->is_subtype_of(*exact) && !any->is_subtype_of(*partial));
  CHECK(!exact->is_subtype_of(*tensor(kI32, Shape::unknown())));
  CHECK_EQ(exact->family(), any->family());
  CHECK(!exact->is_subtype_of(*literal(1.0)));
}

TEST(rule_17_named_spec_serves_unnamed_tensor) {
  auto named = tensor(kI32, {2}, "foo"), plain = tensor(kI32, {2});
  CHECK(!named->equals(*plain));
  CHECK_EQ(named->hash(), plain->hash());
  CHECK(plain->is_subtype_of(*named) && !named->is_subtype_of(*plain));
  CHECK(!named->is_subtype_of(*tensor(kI32, {2}, "bar")));
  CHECK_EQ(joined(named, plain), "none");
  CHECK_EQ(named->text(), "TensorSpec(shape=(2,), dtype=tf.int32, name='foo')");
}

TEST(rule_52_tensor_generalisation) {
  CHECK_EQ(joined(tensor(kF32, {1, 3}), tensor(kF32, {2, 3})),
           "TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)");
  CHECK_EQ(joined(tensor(kF32, {1}), tensor(kF32, {})), "TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)");
  CHECK_EQ(joined(tensor(kF32, {1}), tensor(kI32, {1})), "none");
}

TEST(rule_33_literals) {
  CHECK(literal(1.0)->equals(*literal(1.0)));
  CHECK(!literal(1.0)->equals(*literal(2.0)));
  CHECK(!literal("1")->equals(*literal(1.0)));
  CHECK(literal(NAN)->equals(*literal(NAN)));
  CHECK_EQ(joined(literal(1.0), literal(2.0)), "none");
  CHECK_EQ(literal("s")->text(), "Literal['s']");
}

TEST(rule_40_dead_objects_never_match) {
  HostValuePtr object = host("o");
  TraceTypePtr a = make_ref<ObjectType>(object), b = make_ref<ObjectType>(object);
  CHECK(a->equals(*b) && a->equals(*a) && list({a})->equals(*list({b})));
  static_cast<const FakeValue&>(*object).die();
  CHECK(!a->equals(*b) && !a->equals(*a) && !list({a})->equals(*list({b})) && !a->is_subtype_of(*a));
}

TEST(rule_34_sequences) {
  auto one = tensor(kI32, {});
  CHECK(list({one, literal(2.0)})->equals(*list({tensor(kI32, {}), literal(2.0)})));
  CHECK(!list({one})->equals(*tuple({one})));
  CHECK(!list({one})->equals(*list({one, one})));
  CHECK(!list({list({one})})->equals(*list({one})));
  CHECK_EQ(tuple({})->text(), "Tuple[]");
  CHECK_EQ(list({literal(1.0), tuple({literal("a")})})->text(), "List[Literal[1], Tuple[Literal['a']]]");
}

TEST(rule_53_generalisation_leaf_by_leaf) {
  auto a = list({tensor(kF32, {1}), literal(1.0)}), b = list({tensor(kF32, {2}), literal(1.0)});
  CHECK_EQ(joined(a, b), "List[TensorSpec(shape=(None,), dtype=tf.float32, name=None), Literal[1]]");
  CHECK_EQ(joined(a, list({tensor(kF32, {2}), literal(2.0)})), "none");
  CHECK_EQ(joined(a, list({tensor(kF32, {2})})), "none");
  CHECK_EQ(joined(a, tuple({tensor(kF32, {1}), literal(1.0)})), "none");
  CHECK_EQ(a->family(), b->family());
}

TEST(rule_35_dicts_ignore_order) {
  auto x = tensor(kF32, {1}), y = tensor(kI32, {});
  auto ab = dict({host("a"), host("b")}, {x, y}), ba = dict({host("b"), host("a")}, {y, x});
  CHECK(ab->equals(*ba));
  CHECK_EQ(ab->hash(), ba->hash());
  CHECK(!ab->equals(*dict({host("a"), host("b")}, {y, x})));
  CHECK(!ab->equals(*dict({host("a"), host("c")}, {x, y})));
  CHECK(!ab->equals(*dict({host("a")}, {x})));
  CHECK_EQ(ba->text(),
           "Dict[['b', TensorSpec(shape=(), dtype=tf.int32, name=None)], "
           "['a', TensorSpec(shape=(1,), dtype=tf.float32, name=None)]]");
  CHECK_EQ(joined(ba, dict({host("a"), host("b")}, {tensor(kF32, {2}), y})),
           "Dict[['b', TensorSpec(shape=(), dtype=tf.int32, name=None)], "
           "['a', TensorSpec(shape=(None,), dtype=tf.float32, name=None)]]");
  CHECK_THROWS(dict({host(1.0), host("a")}, {x, y}), kType, "'<' not supported");
}

TEST(rule_35_named_tuples) {
  auto x = literal(1.0);
  CHECK(record("P", {"u", "w"}, {x, x})->equals(*record("P", {"u", "w"}, {x, x})));
  CHECK(!record("P", {"u", "w"}, {x, x})->equals(*record("Q", {"u", "w"}, {x, x})));
  CHECK(!record("P", {"u", "w"}, {x, x})->equals(*record("P", {"u", "v"}, {x, x})));
  CHECK(!record("P", {"u"}, {x})->equals(*tuple({x})));
  CHECK_EQ(record("P", {"u", "w"}, {x, tuple({})})->text(), "P[['u', Literal[1]], ['w', Tuple[]]]");
}

TEST(rule_37_variables) {
  CHECK(variable_type({2}, 0)->equals(*variable_type({2}, 0)));
  CHECK(!variable_type({2}, 0)->equals(*variable_type({2}, 1)));
  CHECK(!variable_type({2}, 0)->equals(*variable_type({2}, 0, false)));
  CHECK(!variable_type({2}, 0)->equals(*tensor(kF32, {2})));
  CHECK(variable_type({2}, 0)->is_subtype_of(*variable_type({kUnknownDim}, 0)));
  CHECK(!variable_type({2}, 0)->is_subtype_of(*variable_type({kUnknownDim}, 1)));
  CHECK_EQ(joined(variable_type({2}, 0), variable_type({3}, 0)),
           "VariableSpec(shape=(None,), dtype=tf.float32, trainable=True, alias_id=0)");
  CHECK_EQ(joined(variable_type({2}, 0), variable_type({3}, 1)), "none");
}

TEST(rule_16_placeholders_are_made_in_insertion_order) {
  auto z = tensor(kF32, {1}), a1 = tensor(kF32, {2}), a2 = variable_type({3}, 0);
  auto type = list({tensor(kI32, {}), dict({host("z"), host("a")}, {z, list({a1, a2})}), tensor(kI32, {9})});
  std::vector<const TraceType*> leaves;
  type->append_leaves(leaves);
  CHECK_EQ(leaves.size(), type->num_leaves());
  CHECK(leaves[1] == a1.get() && leaves[2] == a2.get() && leaves[3] == z.get());
  std::vector<std::size_t> order;
  append_placeholder_order(*type, 0, order);
  CHECK((order == std::vector<std::size_t>{0, 3, 1, 2, 4}));
}

}  // namespace
}  // namespace tracefn::test
