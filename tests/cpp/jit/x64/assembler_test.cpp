// Encodings that have cases: addresses, low bytes, immediates, labels. Wanted bytes are what GNU as gives.
#include "jit/x64/assembler.h"

#include <string>

#include "check.h"
#include "jit/x64/hex.h"

namespace tracefn::test {
namespace {

using namespace machine_code;

std::string load(const Mem& from) {
  return code_of<Assembler>([&](Assembler& a) { a.mov(Width::k32, Gpr::rax, from); });
}

TEST(assembler_addresses) {
  CHECK_EQ(load({Gpr::rbx, 0}), "8b03");
  CHECK_EQ(load({Gpr::rbx, 16}), "8b4310");
  CHECK_EQ(load({Gpr::rbx, -128}), "8b4380");
  CHECK_EQ(load({Gpr::rbx, 128}), "8b8380000000");
  CHECK_EQ(load({Gpr::rsp, 8}), "8b442408");
  CHECK_EQ(load({Gpr::rbp, 0}), "8b4500");
  CHECK_EQ(load({Gpr::r12, 0}), "418b0424");
  CHECK_EQ(load({Gpr::r13, 0}), "418b4500");
  CHECK_EQ(load({Gpr::rdx, 0, Gpr::rax, 8}), "8b04c2");
  CHECK_EQ(load({Gpr::r13, 0, Gpr::r12, 4}), "438b44a500");
}

TEST(assembler_low_bytes) {
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.mov8(Mem{Gpr::rbx, 0}, Gpr::rax); }), "8803");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.mov8(Mem{Gpr::rbx, 0}, Gpr::rsi); }), "408833");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.test8(Gpr::rdi); }), "4084ff");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.set(Condition::equal, Gpr::rcx); }), "0f94c1");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.movzx8(Gpr::rax, Gpr::rbp); }), "400fb6c5");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.cmp8(Mem{Gpr::rbx, 32}, 0); }), "807b2000");
}

TEST(assembler_immediates) {
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.mov(Gpr::rax, 1); }), "b801000000");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.mov(Gpr::r9, -1); }), "49c7c1ffffffff");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.mov(Gpr::r9, 0x123456789ab); }), "49b9ab89674523010000");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.alu(Alu::add, Width::k64, Rm(Gpr::r8), 127); }), "4983c07f");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.alu(Alu::cmp, Width::k32, Rm(Gpr::rcx), 128); }), "81f980000000");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.imul(Width::k64, Gpr::rsi, Gpr::r10, 1000); }), "4969f2e8030000");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.shift(Shift::sar, Width::k32, Gpr::r15, 3); }), "41c1ff03");
}

TEST(assembler_tests_of_bits) {
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.test(Width::k32, Gpr::rsi, 1); }), "f7c601000000");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.test(Width::k64, Gpr::r9, 7); }), "49f7c107000000");
}

TEST(assembler_vector_registers) {
  constexpr Xmm xmm9 = static_cast<Xmm>(9);
  CHECK_EQ(code_of<Assembler>([](Assembler& a) {
             a.sse(Sse::mul, Form::ss, Xmm::xmm3, Mem{Gpr::rbx, 32});
           }),
           "f30f595b20");
  CHECK_EQ(code_of<Assembler>([=](Assembler& a) { a.sse(Sse::div, Form::sd, xmm9, Xmm::xmm1); }), "f2440f5ec9");
  CHECK_EQ(code_of<Assembler>([=](Assembler& a) { a.movd(Width::k64, xmm9, Gpr::r8); }), "664d0f6ec8");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.round(Form::ss, Xmm::xmm0, Xmm::xmm1, Rounding::down); }),
           "660f3a0ac109");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.blendv(Form::sd, Xmm::xmm1, Xmm::xmm2); }), "660f3815ca");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.to_floating(Width::k64, Form::ss, Xmm::xmm4, Gpr::r11); }),
           "f3490f2ae3");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.to_integer(Form::sd, Width::k32, Gpr::rsi, Xmm::xmm4); }),
           "f20f2cf4");
  CHECK_EQ(code_of<Assembler>([=](Assembler& a) {
             a.multiply_add(Form::ss, Xmm::xmm3, xmm9, Mem{Gpr::rbx, 32});
           }),
           "c4e231b95b20");
  CHECK_EQ(code_of<Assembler>([=](Assembler& a) { a.multiply_add(Form::sd, xmm9, Xmm::xmm1, xmm9); }), "c442f1b9c9");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.compare(Form::ss, Xmm::xmm0, Xmm::xmm1, SseCompare::unordered); }),
           "f30fc2c103");
}

TEST(assembler_targets_of_their_own) {
  constexpr Xmm xmm9 = static_cast<Xmm>(9), xmm10 = static_cast<Xmm>(10), xmm11 = static_cast<Xmm>(11);
  const auto check = [](auto write, const std::string& with_avx, const std::string& without) {
    Assembler avx(true);
    write(avx);
    CHECK_EQ(hex(avx.finish()).substr(0, with_avx.size()), with_avx);
    CHECK_EQ(code_of<Assembler>(write), without);
  };
  check([](Assembler& a) { a.sse(Sse::add, Form::ss, Xmm::xmm3, Xmm::xmm4, Xmm::xmm5); }, "c5da58dd", "0f28dcf30f58dd");
  check(
      [=](Assembler& a) {
        a.sse(Sse::mul, Form::sd, xmm9, Xmm::xmm1, Mem{Gpr::rbx, 32});
      },
      "c573594b20", "440f28c9f2440f594b20");
  check([=](Assembler& a) { a.sse(Sse::div, Form::ss, Xmm::xmm1, Xmm::xmm1, xmm9); }, "c4c1725ec9", "f3410f5ec9");
  check(
      [=](Assembler& a) {
        a.sse(Sse::sub, Form::ps, Xmm::xmm0, xmm9, Mem{Gpr::r13, 0, Gpr::r12, 4});
      },
      "c481305c44a500", "410f28c1430f5c44a500");
  check([=](Assembler& a) { a.packed(Packed::xor_, Xmm::xmm1, xmm9, Xmm::xmm2); }, "c5b057ca", "410f28c90f57ca");
  check([=](Assembler& a) { a.compare(Form::ss, Xmm::xmm0, Xmm::xmm1, xmm9, SseCompare::less_equal); }, "c4c172c2c102",
        "0f28c1f3410fc2c102");
  check([](Assembler& a) { a.blendv(Form::ss, Xmm::xmm1, Xmm::xmm2, Xmm::xmm3); }, "c4e3694acb00", "0f28ca660f3814cb");
  check([=](Assembler& a) { a.blendv(Form::sd, xmm9, xmm10, xmm11); }, "c443294bcb00", "450f28ca66450f3815cb");
}

TEST(assembler_four_floats) {
  constexpr Xmm xmm9 = static_cast<Xmm>(9), xmm12 = static_cast<Xmm>(12);
  const Mem memory{Gpr::rbx, 16};
  CHECK_EQ(code_of<Assembler>([=](Assembler& a) { a.shuffle(xmm9, Xmm::xmm3, 2); }), "66440f70cb02");
  CHECK_EQ(code_of<Assembler>([=](Assembler& a) { a.insert(Xmm::xmm4, xmm12, 2); }), "66410f3a21e420");
  CHECK_EQ(code_of<Assembler>([=](Assembler& a) { a.insert(Xmm::xmm4, memory, 3); }), "660f3a21631030");
  CHECK_EQ(code_of<Assembler>([=](Assembler& a) { a.sse(Sse::add, Form::ps, Xmm::xmm3, xmm9); }), "410f58d9");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.round(Form::ps, Xmm::xmm0, Xmm::xmm1, Rounding::down); }),
           "660f3a08c109");
  CHECK_EQ(code_of<Assembler>([](Assembler& a) { a.compare(Form::ps, Xmm::xmm0, Xmm::xmm1, SseCompare::not_equal); }),
           "0fc2c104");
  CHECK_EQ(code_of<Assembler>([=](Assembler& a) { a.multiply_add(Form::ps, Xmm::xmm3, xmm9, memory); }),
           "c4e231b85b10");
  CHECK_EQ(code_of<Assembler>([=](Assembler& a) { a.movs(Form::ps, Xmm::xmm0, memory); }), "0f104310");
  CHECK_EQ(code_of<Assembler>([=](Assembler& a) { a.movs(Form::ps, memory, xmm9); }), "440f114b10");
}

TEST(assembler_labels_and_constants) {
  CHECK_EQ(code_of<Assembler>([](Assembler& a) {
             Label back = a.new_label(), on = a.new_label();
             a.bind(back);
             a.jump(on);
             a.jump(Condition::not_equal, back);
             a.bind(on);
             a.ret();
           }),
           "e9060000000f85f5ffffffc3");
  // Two uses of one constant, the second with an immediate operand behind it.
  CHECK_EQ(code_of<Assembler>([](Assembler& a) {
             a.packed(Packed::xor_, Xmm::xmm0, a.constant(0x11, 0x22));
             a.round(Form::ss, Xmm::xmm0, a.constant(0x11, 0x22), Rounding::up);
           }),
           "0f570519000000"
           "660f3a0a050f0000000a"
           "cccccccccccccccccccccccccccccc"
           "11000000000000002200000000000000");
}

}  // namespace
}  // namespace tracefn::test
