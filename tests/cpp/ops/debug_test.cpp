// Printing, assertions, checks of numbers, host calls.
#include <cmath>

#include "check.h"
#include "ops/control/host_call.h"
#include "ops/debug/print_sink.h"
#include "ops/emit.h"
#include "ops/vectors.h"

namespace tracefn {
namespace {

class Recorder final : public PrintSink {
 public:
  Recorder() : before_(set_print_sink(this)) {}
  ~Recorder() override { set_print_sink(before_); }
  void write(std::string_view stream, std::string_view text) override { seen += concat(stream, ":", text, ";"); }
  std::string seen;

 private:
  PrintSink* before_;
};

class Doubling final : public HostCall {
 public:
  explicit Doubling(bool* alive) : HostCall(next_host_call_token()), alive_(alive) { *alive_ = true; }
  ~Doubling() override { *alive_ = false; }
  void run(std::span<const Tensor> inputs, std::vector<Tensor>& outputs) override {
    for (const Tensor& t : inputs) outputs.push_back(Tensor::scalar(2 * t.item<float>()));
  }

 private:
  bool* alive_;
};

}  // namespace

TEST(debug_print_goes_to_the_sink) {
  Recorder sink;
  Operand text[] = {Tensor::scalar(std::string("hello"))};
  emit_all("PrintV2", text, {{"output_stream", "stdout"}, {"end", "!"}});
  emit_all("PrintV2", text);
  CHECK_EQ(sink.seen, "stdout:hello!;stderr:hello\n;");
  CHECK_THROWS(emit_all("PrintV2", text, {{"output_stream", "nowhere"}}), kInvalidArgument,
               "Unknown output stream: nowhere, Valid streams are: stdout stderr");
}

TEST(debug_assert_shows_its_data) {
  Operand bad[] = {Tensor::scalar(false), Tensor::scalar(std::string("x is")), floats({1, 2, 3, 4})};
  CHECK_THROWS(emit_all("Assert", bad), kInvalidArgument, "assertion failed: [x is] [1 2 3...]");
  Operand good[] = {Tensor::scalar(true), Tensor::scalar(1.0f)};
  emit_all("Assert", good);
}

TEST(debug_check_numerics) {
  CHECK(identical(emit1("CheckNumerics", {floats({1, 2})}, {{"message", "m"}}).tensor, floats({1, 2})));
  CHECK_THROWS(emit1("CheckNumerics", {floats({NAN, -INFINITY})}, {{"message", "m"}}), kInvalidArgument,
               "m : Tensor had Inf and NaN values");
  CHECK_THROWS(emit1("CheckNumericsV2", {floats({NAN, INFINITY, -INFINITY})}, {{"message", "m"}}), kInvalidArgument,
               "m : Tensor had -Inf, +Inf, and NaN values");
}

TEST(host_call_lives_as_long_as_its_attribute) {
  bool alive = false;
  {
    Attr token = host_call_token(make_ref<Doubling>(&alive));
    Attr copy = token;
    CHECK(copy == Attr(token.s()));
    Operand x[] = {Tensor::scalar(3.0f)};
    Operands y = emit_all("EagerPyFunc", x, {{"token", copy}, {"Tout", std::vector<DType>{DType::kFloat}}});
    CHECK_EQ(y[0].tensor.item<float>(), 6.0f);
    CHECK_THROWS(emit_all("EagerPyFunc", x, {{"token", copy}, {"Tout", std::vector<DType>{DType::kInt32}}}),
                 kInvalidArgument, "is float, but expects int32");
    CHECK_THROWS(emit_all("EagerPyFunc", x, {{"token", copy}, {"Tout", std::vector<DType>()}}), kInvalidArgument,
                 "returns 1 values, but expects to see 0 values.");
    CHECK_THROWS(emit_all("EagerPyFunc", x, {{"token", "gone"}, {"Tout", std::vector<DType>()}}), kInvalidArgument,
                 "callback gone is not found");
    CHECK(alive);
  }
  CHECK(!alive);
}

}  // namespace tracefn
