// Encodings of every instruction, and of every kind of address. Wanted bytes are what GNU as gives.
#include "jit/x64/avx512_assembler.h"

#include "check.h"
#include "jit/x64/hex.h"

namespace tracefn::test {
namespace {

using namespace vector_code;

Zmm zmm(int number) { return Zmm{static_cast<std::uint8_t>(number)}; }

#define CHECK_CODE(instruction, bytes) \
  CHECK_EQ(code_of<Avx512Assembler>([](Avx512Assembler& a) { a.instruction; }), bytes)

TEST(avx512_assembler_addresses) {
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, zmm(0), zmm(1), zmm(2)), "62f1744858c2");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, zmm(31), zmm(0), zmm(0)), "62617c4858f8");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, zmm(0), zmm(23), zmm(0)), "62f1444058c0");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, zmm(8), zmm(15), zmm(24)), "6211044858c0");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, zmm(0), zmm(1), {Mem{Gpr::rbx, 0}, false}), "62f174485803");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, zmm(0), zmm(1), {Mem{Gpr::rsp, 64}, false}), "62f1744858442401");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, zmm(0), zmm(1), {Mem{Gpr::rsp, 8128}, false}), "62f174485844247f");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, zmm(0), zmm(1), {Mem{Gpr::rsp, 8192}, false}),
             "62f1744858842400200000");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, zmm(0), zmm(1), {Mem{Gpr::rbx, 8}, false}), "62f17448588308000000");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, zmm(0), zmm(1), {Mem{Gpr::rsp, 8}, true}), "62f1745858442402");
  CHECK_CODE(binary(Binary::add, LaneWidth::k64, zmm(0), zmm(1), {Mem{Gpr::rsp, 8}, true}), "62f1f55858442401");
  CHECK_CODE(binary(Binary::add, LaneWidth::k64, zmm(0), zmm(1), {Mem{Gpr::r13, 0}, true}), "62d1f558584500");
}

TEST(avx512_assembler_operations_on_two_numbers) {
  CHECK_CODE(binary(Binary::sub, LaneWidth::k32, zmm(1), zmm(2), zmm(3)), "62f16c485ccb");
  CHECK_CODE(binary(Binary::mul, LaneWidth::k64, zmm(1), zmm(2), zmm(3)), "62f1ed4859cb");
  CHECK_CODE(binary(Binary::div, LaneWidth::k32, zmm(1), zmm(2), zmm(3)), "62f16c485ecb");
  CHECK_CODE(binary(Binary::max, LaneWidth::k64, zmm(1), zmm(2), zmm(3)), "62f1ed485fcb");
  CHECK_CODE(binary(Binary::min, LaneWidth::k32, zmm(1), zmm(2), zmm(3)), "62f16c485dcb");
  CHECK_CODE(binary(Binary::and_, LaneWidth::k32, zmm(1), zmm(2), zmm(3)), "62f16d48dbcb");
  CHECK_CODE(binary(Binary::and_, LaneWidth::k64, zmm(1), zmm(2), zmm(3)), "62f1ed48dbcb");
  CHECK_CODE(binary(Binary::or_, LaneWidth::k32, zmm(1), zmm(2), zmm(3)), "62f16d48ebcb");
  CHECK_CODE(binary(Binary::xor_, LaneWidth::k64, zmm(1), zmm(2), zmm(3)), "62f1ed48efcb");
  CHECK_CODE(binary(Binary::add_bits, LaneWidth::k32, zmm(1), zmm(2), zmm(3)), "62f16d48fecb");
  CHECK_CODE(binary(Binary::add_bits, LaneWidth::k64, zmm(1), zmm(2), zmm(3)), "62f1ed48d4cb");
  CHECK_CODE(binary(Binary::sub_bits, LaneWidth::k32, zmm(1), zmm(2), zmm(3)), "62f16d48facb");
  CHECK_CODE(binary(Binary::sub_bits, LaneWidth::k64, zmm(1), zmm(2), zmm(3)), "62f1ed48fbcb");
  CHECK_CODE(binary(Binary::mul_bits, LaneWidth::k32, zmm(1), zmm(2), zmm(3)), "62f26d4840cb");
  CHECK_CODE(binary(Binary::mul_bits, LaneWidth::k32, zmm(1), zmm(2), {Mem{Gpr::rsp, 4}, true}), "62f26d58404c2401");
  CHECK_CODE(binary(Binary::min_bits, LaneWidth::k8, zmm(1), zmm(2), zmm(3)), "62f16d48dacb");
}

TEST(avx512_assembler_multiply_add) {
  CHECK_CODE(multiply_add(MultiplyAdd::to_c_b, LaneWidth::k32, zmm(1), zmm(2), zmm(30)), "62926d4898ce");
  CHECK_CODE(multiply_add(MultiplyAdd::b_to_c, LaneWidth::k64, zmm(1), zmm(2), zmm(3)), "62f2ed48a8cb");
  CHECK_CODE(multiply_add(MultiplyAdd::b_c_to, LaneWidth::k32, zmm(1), zmm(2), {Mem{Gpr::rsp, 4}, true}),
             "62f26d58b84c2401");
}

TEST(avx512_assembler_choices_of_bits) {
  CHECK_CODE(combine_bits(0xCA, LaneWidth::k32, zmm(1), zmm(2), zmm(30)), "62936d4825ceca");
  CHECK_CODE(combine_bits(0xE4, LaneWidth::k64, zmm(17), zmm(2), {Mem{Gpr::rsp, 8}, true}), "62e3ed58254c2401e4");
}

TEST(avx512_assembler_operations_on_one_number) {
  CHECK_CODE(sqrt(LaneWidth::k32, zmm(1), zmm(18)), "62b17c4851ca");
  CHECK_CODE(sqrt(LaneWidth::k64, zmm(17), zmm(2)), "62e1fd4851ca");
  CHECK_CODE(round(LaneWidth::k32, zmm(1), zmm(2), Rounding::down), "62f37d4808ca09");
  CHECK_CODE(round(LaneWidth::k64, zmm(1), zmm(2), Rounding::up), "62f3fd4809ca0a");
  CHECK_CODE(round(LaneWidth::k32, zmm(1), {Mem{Gpr::rsp, 4}, true}, Rounding::nearest_even), "62f37d58084c240108");
  CHECK_CODE(shift_bits(BitShift::left, LaneWidth::k32, zmm(1), zmm(2), 23), "62f1754872f217");
  CHECK_CODE(shift_bits(BitShift::left, LaneWidth::k64, zmm(17), zmm(2), 52), "62f1f54073f234");
  CHECK_CODE(shift_bits(BitShift::right, LaneWidth::k32, zmm(1), zmm(18), 1), "62b1754872d201");
  CHECK_CODE(shift_bits(BitShift::right, LaneWidth::k64, zmm(1), zmm(2), 63), "62f1f54873d23f");
  CHECK_CODE(signed_value(zmm(9), zmm(2)), "62717c485bca");
}

TEST(avx512_assembler_comparisons) {
  CHECK_CODE(compare_bits(BitComparison::greater, LaneWidth::k32, Mask{3}, zmm(2), zmm(30)), "62936d481fde06");
  CHECK_CODE(compare_bits(BitComparison::greater, LaneWidth::k64, Mask{2}, zmm(2), zmm(3)), "62f3ed481fd306");
  CHECK_CODE(compare_bits(BitComparison::less, LaneWidth::k64, Mask{4}, zmm(17), {Mem{Gpr::rsp, 8}, true}),
             "62f3f5501f64240101");
  CHECK_CODE(compare_bits(BitComparison::equal, LaneWidth::k32, Mask{5}, zmm(2), {Mem{Gpr::rsp, 64}, false}),
             "62f36d481f6c240100");
  CHECK_CODE(compare(Comparison::less, LaneWidth::k32, Mask{2}, zmm(1), zmm(2)), "62f17448c2d211");
  CHECK_CODE(compare(Comparison::less_equal, LaneWidth::k64, Mask{7}, zmm(20), zmm(2)), "62f1dd40c2fa12");
  CHECK_CODE(compare(Comparison::greater, LaneWidth::k32, Mask{3}, zmm(1), {Mem{Gpr::rsp, 4}, true}),
             "62f17458c25c24011e");
  CHECK_CODE(compare(Comparison::greater_equal, LaneWidth::k64, Mask{3}, zmm(1), zmm(2)), "62f1f548c2da1d");
  CHECK_CODE(compare(Comparison::equal, LaneWidth::k32, Mask{3}, zmm(1), zmm(2)), "62f17448c2da00");
  CHECK_CODE(compare(Comparison::not_equal, LaneWidth::k32, Mask{3}, zmm(1), zmm(2)), "62f17448c2da04");
  CHECK_CODE(sign_bits(LaneWidth::k32, Mask{4}, zmm(25)), "62927e4839e1");
  CHECK_CODE(sign_bits(LaneWidth::k64, Mask{4}, zmm(5)), "62f2fe4839e5");
  CHECK_CODE(blend(LaneWidth::k32, zmm(1), Mask{5}, zmm(2), zmm(3)), "62f26d4d65cb");
  CHECK_CODE(blend(LaneWidth::k64, zmm(1), Mask{5}, zmm(2), {Mem{Gpr::rsp, 16}, true}), "62f2ed5d654c2402");
}

TEST(avx512_assembler_moves) {
  CHECK_CODE(move(zmm(1), zmm(31)), "62917c4828cf");
  CHECK_CODE(move(LaneWidth::k32, zmm(1), zmm(3), {Mask{2}}), "62f17cca28cb");
  CHECK_CODE(move(LaneWidth::k64, zmm(1), zmm(3), {Mask{2}}), "62f1fdca28cb");
  CHECK_CODE(load(LaneWidth::k32, zmm(3), {Gpr::rdx, 0, Gpr::rax, 4}), "62f17c48101c82");
  CHECK_CODE(load(LaneWidth::k32, zmm(3), {Gpr::r12, 0, Gpr::rax, 4}, {Mask{1}}), "62d17cc9101c84");
  CHECK_CODE(load(LaneWidth::k64, zmm(19), {Gpr::rbp, 0, Gpr::rax, 8}), "62e1fd48105cc500");
  CHECK_CODE(load(LaneWidth::k64, zmm(19), {Gpr::rbx, 0, Gpr::r9, 8}), "62a1fd48101ccb");
  CHECK_CODE(store(LaneWidth::k32, {Gpr::r8, 0, Gpr::rax, 4}, zmm(3)), "62d17c48111c80");
  CHECK_CODE(store(LaneWidth::k64, {Gpr::r13, 0, Gpr::rax, 8}, zmm(3), {Mask{1}}), "62d1fd49115cc500");
  CHECK_CODE(load(LaneWidth::k8, zmm(1), {Gpr::rsp, 64}, {Mask{1}}), "62f17fc96f4c2401");
  CHECK_CODE(store(LaneWidth::k8, {Gpr::rsp, 64}, zmm(1), {Mask{1}}), "62f17f497f4c2401");
  CHECK_CODE(store_first(LaneWidth::k32, {Gpr::rsp, 4}, zmm(17)), "62e17e08114c2401");
  CHECK_CODE(store_first(LaneWidth::k64, {Gpr::rsp, 8}, zmm(2)), "62f1ff0811542401");
  CHECK_CODE(repeat(LaneWidth::k32, zmm(3), {Gpr::rsp, 4}), "62f27d48185c2401");
  CHECK_CODE(repeat(LaneWidth::k64, zmm(3), {Gpr::rsp, 8}, {Mask{2}}), "62f2fdca195c2401");
  CHECK_CODE(repeat(LaneWidth::k8, zmm(3), {Gpr::rsp, 1}), "62f27d48785c2401");
}

TEST(avx512_assembler_bytes) {
  CHECK_CODE(load_bytes(zmm(17), {Gpr::rdx, 0, Gpr::rax, 1}), "62e17f086f0c02");
  CHECK_CODE(load_bytes(zmm(17), {Gpr::rdx, 0, Gpr::rax, 1}, {Mask{1}}), "62e17f896f0c02");
  CHECK_CODE(load_eight_bytes(zmm(1), {Gpr::rdx, 0, Gpr::rax, 1}), "62f1fd086e0c02");
  CHECK_CODE(store_bytes({Gpr::rdx, 0, Gpr::rax, 1}, zmm(17)), "62e17f087f0c02");
  CHECK_CODE(store_bytes({Gpr::rdx, 0, Gpr::rax, 1}, zmm(17), {Mask{1}}), "62e17f097f0c02");
  CHECK_CODE(store_eight_bytes({Gpr::rdx, 0, Gpr::rax, 1}, zmm(17)), "62e1fd087e0c02");
  CHECK_CODE(nonzero_bytes(Mask{3}, zmm(17)), "62b2750026d9");
}

TEST(avx512_assembler_masks) {
  CHECK_CODE(mask(MaskOp::and_, Mask{2}, Mask{3}, Mask{4}), "c5e441d4");
  CHECK_CODE(mask(MaskOp::not_and, Mask{0}, Mask{3}, Mask{1}), "c5e442c1");
  CHECK_CODE(mask(MaskOp::or_, Mask{2}, Mask{3}, Mask{4}), "c5e445d4");
  CHECK_CODE(mask(MaskOp::xor_, Mask{7}, Mask{6}, Mask{5}), "c5cc47fd");
  CHECK_CODE(mask_not(Mask{2}, Mask{5}), "c5f844d5");
  CHECK_CODE(mask_load(LaneWidth::k32, Mask{2}, {Gpr::rsp, 8}), "c5f890542408");
  CHECK_CODE(mask_load(LaneWidth::k32, Mask{1}, {Gpr::rcx, 0, Gpr::rsi, 2}), "c5f8900c71");
  CHECK_CODE(mask_load(LaneWidth::k32, Mask{1}, {Gpr::rcx, 0, Gpr::r9, 2}), "c4a178900c49");
  CHECK_CODE(mask_load(LaneWidth::k8, Mask{2}, {Gpr::rsp, 8}), "c4e1f890542408");
  CHECK_CODE(mask_store({Gpr::rsp, 1024}, Mask{2}), "c5f891942400040000");
  CHECK_CODE(mask_store({Gpr::r8, 0}, Mask{2}), "c4c1789110");
  CHECK_CODE(mask_test(LaneWidth::k32, Mask{3}), "c5f898db");
  CHECK_CODE(mask_test(LaneWidth::k64, Mask{3}), "c5f998db");
  CHECK_CODE(zero_upper(), "c5f877");
}

TEST(avx512_assembler_data) {
  // Relative to the end of the instruction, which has an operand behind the address; once for each lane, and whole.
  Avx512Assembler a;
  const Label number = a.new_label();
  Mem at;
  at.at_label = true;
  at.label = number;
  a.compare(Comparison::less, LaneWidth::k32, Mask{2}, zmm(1), {at, true});
  a.binary(Binary::add, LaneWidth::k32, zmm(0), zmm(1), {at, false});
  a.bind(number);
  a.data(0x12345678, 4);
  CHECK_EQ(hex(a.finish()).substr(0, 50),
           "62f17458c2150a00000011"
           "62f174485805000000"
           "00"
           "78563412");
}

#undef CHECK_CODE

}  // namespace
}  // namespace tracefn::test
