// Both forms of signatures (tracing rules 81-88) and the one-line text of function types (tracing rules 8, 72).
#include "spec/signature_text.h"

#include "check.h"
#include "spec/dict_type.h"
#include "spec/fake_host.h"
#include "spec/record_type.h"

namespace tracefn::test {
namespace {

const auto kNamed = ParameterKind::kPositionalOrKeyword;

TraceTypePtr dict(std::vector<const char*> names, std::vector<TraceTypePtr> values, std::string class_name = "dict") {
  std::vector<HostValuePtr> keys;
  for (const char* name : names) keys.push_back(host(name));
  return make_ref<DictType>(std::move(keys), std::move(values), HostValuePtr(), std::move(class_name));
}
TraceTypePtr point(TraceTypePtr u, TraceTypePtr w) {
  return make_ref<RecordType>(TypeKind::kNamedTuple, "P", host("P"), std::vector<std::string>{"u", "w"},
                              std::vector<TraceTypePtr>{std::move(u), std::move(w)});
}
std::string leaves(const FunctionType& type) { return signature_text("f", type, SignatureStyle::kLeaves); }

const TraceTypePtr t = tensor(DType::kInt32, {});

TEST(rule_81_leaves_form) {
  FunctionType type({{{"t", kNamed}, tensor(DType::kFloat, {2, 3})},
                     {{"i", kNamed}, literal(1.0)},
                     {{"s", kNamed}, literal("hello")},
                     {{"l", kNamed}, list({t, literal(2.0)})},
                     {{"d", kNamed}, dict({"b", "a"}, {t, literal("x")})},
                     {{"p", kNamed}, point(t, tuple({literal(1.0)}))}},
                    {}, dict({"out", "k"}, {list({t, literal("None")}), t}));
  CHECK_EQ(leaves(type),
           "f(t, i=1, s=hello, l, d, p)\n"
           "  Args:\n"
           "    t: float32 Tensor, shape=(2, 3)\n"
           "    l: [<1>, <2>]\n      <1>: int32 Tensor, shape=()\n      <2>: 2\n"
           "    d: {'a': <1>, 'b': <2>}\n      <1>: 'x'\n      <2>: int32 Tensor, shape=()\n"
           "    p: P(u=<1>, w=(<2>,))\n      <1>: int32 Tensor, shape=()\n      <2>: 1\n"
           "  Returns:\n"
           "    {'k': <1>, 'out': [<2>, <3>]}\n"
           "      <1>: int32 Tensor, shape=()\n      <2>: int32 Tensor, shape=()\n      <3>: 'None'");
  CHECK_EQ(signature_text("f", type, SignatureStyle::kLeaves, false), "f(t, i=1, s=hello, l, d, p)");
}

TEST(rule_81_values_without_tensors) {
  FunctionType type({{{"d", kNamed}, dict({"b", "a"}, {literal(1.0), literal("x")})},
                     {{"o", kNamed}, dict({"b", "a"}, {literal(1.0), list({literal("q")})}, "OrderedDict")},
                     {{"p", kNamed}, point(literal(1.0), literal("s"))}},
                    {}, list({}));
  CHECK_EQ(leaves(type),
           "f(d={'b': 1, 'a': 'x'}, o=OrderedDict([('b', 1), ('a', ['q'])]), p=P(u=1, w='s'))\n  Returns:\n    []");
}

TEST(rule_81_ordered_dicts_keep_their_order) {
  FunctionType type({{{"a", kNamed}, dict({"b", "a"}, {t, list({literal(1.0)})}, "OrderedDict")}}, {}, t);
  CHECK_EQ(leaves(type),
           "f(a)\n  Args:\n    a: OrderedDict([('b', <2>), ('a', [<1>])])\n      <1>: 1\n"
           "      <2>: int32 Tensor, shape=()\n  Returns:\n    int32 Tensor, shape=()");
}

TEST(rule_81_members_of_args_and_keywords) {
  auto positional = ParameterKind::kPositionalOnly, keyword = ParameterKind::kKeywordOnly;
  FunctionType type({{{"a", positional}, literal(1.0)},
                     {{"args_0", positional, false, true}, t},
                     {{"k", keyword}, literal(2.0)},
                     {{"z", keyword}, t}},
                    {}, t);
  CHECK_EQ(signature_text("f", type, SignatureStyle::kLeaves, false), "f(a=1, arg2, *, k=2, z)");
  CHECK_EQ(type.text(),
           "(a: Literal[1], args_0: TensorSpec(shape=(), dtype=tf.int32, name=None), /, *, k: Literal[2], z: "
           "TensorSpec(shape=(), dtype=tf.int32, name=None)) -> TensorSpec(shape=(), dtype=tf.int32, name=None)");
}

TEST(rule_81_keywords_are_listed_by_name) {
  auto keyword = ParameterKind::kKeywordOnly;
  FunctionType type({{{"x", kNamed}, t}, {{"k", keyword}, t}, {{"b", keyword}, t}}, {}, literal("r"));
  CHECK_EQ(leaves(type),
           "f(x, *, k, b)\n  Args:\n    x: int32 Tensor, shape=()\n    b: int32 Tensor, shape=()\n"
           "    k: int32 Tensor, shape=()\n  Returns:\n    'r'");
}

TEST(rule_82_types_form) {
  FunctionType type({{{"x", kNamed}, t}, {{"k", ParameterKind::kKeywordOnly}, literal(2.0)}},
                    {{42, tensor(DType::kResource, {})}}, literal("r"));
  CHECK_EQ(signature_text("f", type, SignatureStyle::kTypes),
           "Input Parameters:\n"
           "  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(), dtype=tf.int32, name=None)\n"
           "  k (KEYWORD_ONLY): Literal[2]\n"
           "Output Type:\n  Literal['r']\n"
           "Captures:\n  42: TensorSpec(shape=(), dtype=tf.resource, name=None)");
  CHECK_EQ(signature_text("f", type, SignatureStyle::kTypes, false), type.text());
  CHECK_EQ(signature_text("f", FunctionType({}), SignatureStyle::kTypes),
           "Input Parameters:\nOutput Type:\n  None\nCaptures:\n  None");
}

TEST(rule_8_function_type_text) {
  auto var = ParameterKind::kVarPositional, keyword = ParameterKind::kKeywordOnly;
  CHECK_EQ(FunctionType({{{"x", kNamed}},
                         {{"y", kNamed, true}},
                         {{"args", var}},
                         {{"z", keyword}},
                         {{"kwargs", ParameterKind::kVarKeyword}}})
               .text(),
           "(x, y=<captured_default_value>, *args, z, **kwargs)");
  CHECK_EQ(
      FunctionType({{{"a", ParameterKind::kPositionalOnly}}, {{"b", kNamed}}, {{"c", keyword, true}, literal(1.0)}})
          .text(),
      "(a, /, b, *, c: Literal[1] = <captured_default_value>)");
}

}  // namespace
}  // namespace tracefn::test
