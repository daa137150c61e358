// Encodings of every instruction, and of every kind of address. Wanted bytes are what GNU as gives.
#include "jit/x64/avx2_assembler.h"

#include "check.h"
#include "jit/x64/hex.h"

namespace tracefn::test {
namespace {

using namespace vector_code;

Ymm ymm(int number) { return Ymm{static_cast<std::uint8_t>(number)}; }

#define CHECK_CODE(instruction, bytes) CHECK_EQ(code_of<Avx2Assembler>([](Avx2Assembler& a) { a.instruction; }), bytes)

TEST(avx2_assembler_addresses) {
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, ymm(0), ymm(1), ymm(2)), "c5f458c2");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, ymm(15), ymm(0), ymm(0)), "c57c58f8");
  CHECK_CODE(binary(Binary::add, LaneWidth::k64, ymm(0), ymm(14), ymm(0)), "c58d58c0");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, ymm(8), ymm(0), ymm(9)), "c4417c58c1");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, ymm(0), ymm(1), Mem{Gpr::rbx, 0}), "c5f45803");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, ymm(0), ymm(1), Mem{Gpr::rsp, 64}), "c5f458442440");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, ymm(0), ymm(1), Mem{Gpr::rsp, 4096}), "c5f458842400100000");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, ymm(0), ymm(1), Mem{Gpr::r13, 0}), "c4c174584500");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, ymm(0), ymm(1), Mem{Gpr::rdx, 32, Gpr::r9, 4}), "c4a17458448a20");
  CHECK_CODE(binary(Binary::add, LaneWidth::k32, ymm(0), ymm(1), Mem{Gpr::r12, 0, Gpr::rax, 8}), "c4c1745804c4");
}

TEST(avx2_assembler_operations_on_two_numbers) {
  CHECK_CODE(binary(Binary::sub, LaneWidth::k32, ymm(1), ymm(2), ymm(3)), "c5ec5ccb");
  CHECK_CODE(binary(Binary::mul, LaneWidth::k64, ymm(1), ymm(2), ymm(3)), "c5ed59cb");
  CHECK_CODE(binary(Binary::div, LaneWidth::k32, ymm(1), ymm(2), ymm(3)), "c5ec5ecb");
  CHECK_CODE(binary(Binary::max, LaneWidth::k64, ymm(1), ymm(2), ymm(3)), "c5ed5fcb");
  CHECK_CODE(binary(Binary::min, LaneWidth::k32, ymm(1), ymm(2), ymm(3)), "c5ec5dcb");
  CHECK_CODE(binary(Binary::and_, LaneWidth::k32, ymm(1), ymm(2), ymm(3)), "c5eddbcb");
  CHECK_CODE(binary(Binary::and_, LaneWidth::k64, ymm(1), ymm(2), ymm(3)), "c5eddbcb");
  CHECK_CODE(binary(Binary::or_, LaneWidth::k32, ymm(1), ymm(2), ymm(3)), "c5edebcb");
  CHECK_CODE(binary(Binary::xor_, LaneWidth::k64, ymm(1), ymm(2), ymm(3)), "c5edefcb");
  CHECK_CODE(binary(Binary::add_bits, LaneWidth::k32, ymm(1), ymm(2), ymm(3)), "c5edfecb");
  CHECK_CODE(binary(Binary::add_bits, LaneWidth::k64, ymm(1), ymm(2), ymm(3)), "c5edd4cb");
  CHECK_CODE(binary(Binary::sub_bits, LaneWidth::k32, ymm(1), ymm(2), ymm(3)), "c5edfacb");
  CHECK_CODE(binary(Binary::sub_bits, LaneWidth::k64, ymm(1), ymm(2), ymm(3)), "c5edfbcb");
  CHECK_CODE(binary(Binary::mul_bits, LaneWidth::k32, ymm(1), ymm(2), ymm(3)), "c4e26d40cb");
  CHECK_CODE(binary(Binary::mul_bits, LaneWidth::k32, ymm(1), ymm(12), Mem{Gpr::rsp, 32}), "c4e21d404c2420");
  CHECK_CODE(binary(Binary::min_bits, LaneWidth::k8, ymm(1), ymm(2), ymm(3)), "c5eddacb");
  CHECK_CODE(equal_bits(LaneWidth::k32, ymm(1), ymm(2), ymm(3)), "c5ed76cb");
  CHECK_CODE(equal_bits(LaneWidth::k64, ymm(1), ymm(2), ymm(13)), "c4c26d29cd");
  CHECK_CODE(and_not(ymm(1), ymm(2), ymm(13)), "c4c16ddfcd");
  CHECK_CODE(and_not(ymm(1), ymm(2), Mem{Gpr::rsp, 32}), "c5eddf4c2420");
}

TEST(avx2_assembler_multiply_add) {
  CHECK_CODE(multiply_add(MultiplyAdd::to_c_b, LaneWidth::k32, ymm(1), ymm(2), ymm(14)), "c4c26d98ce");
  CHECK_CODE(multiply_add(MultiplyAdd::b_to_c, LaneWidth::k64, ymm(1), ymm(2), ymm(3)), "c4e2eda8cb");
  CHECK_CODE(multiply_add(MultiplyAdd::b_c_to, LaneWidth::k32, ymm(9), ymm(2), Mem{Gpr::rsp, 32}), "c4626db84c2420");
}

TEST(avx2_assembler_operations_on_one_number) {
  CHECK_CODE(sqrt(LaneWidth::k32, ymm(1), ymm(10)), "c4c17c51ca");
  CHECK_CODE(sqrt(LaneWidth::k64, ymm(11), Mem{Gpr::rsp, 32}), "c57d515c2420");
  CHECK_CODE(round(LaneWidth::k32, ymm(1), ymm(2), Rounding::down), "c4e37d08ca09");
  CHECK_CODE(round(LaneWidth::k64, ymm(1), ymm(2), Rounding::up), "c4e37d09ca0a");
  CHECK_CODE(round(LaneWidth::k32, ymm(1), Mem{Gpr::rsp, 32}, Rounding::nearest_even), "c4e37d084c242008");
  CHECK_CODE(shift_bits(BitShift::left, LaneWidth::k32, ymm(1), ymm(2), 23), "c5f572f217");
  CHECK_CODE(shift_bits(BitShift::left, LaneWidth::k64, ymm(9), ymm(12), 52), "c4c13573f434");
  CHECK_CODE(shift_bits(BitShift::right, LaneWidth::k32, ymm(1), ymm(8), 1), "c4c17572d001");
  CHECK_CODE(shift_bits(BitShift::right, LaneWidth::k64, ymm(1), ymm(2), 63), "c5f573d23f");
  CHECK_CODE(signed_value(ymm(9), ymm(2)), "c57c5bca");
  CHECK_CODE(signed_value(ymm(9), Mem{Gpr::rsp, 0}), "c57c5b0c24");
}

TEST(avx2_assembler_masks) {
  CHECK_CODE(compare(Comparison::less, LaneWidth::k32, ymm(2), ymm(1), ymm(12)), "c4c174c2d411");
  CHECK_CODE(compare(Comparison::less_equal, LaneWidth::k64, ymm(7), ymm(10), ymm(2)), "c5adc2fa12");
  CHECK_CODE(compare(Comparison::greater, LaneWidth::k32, ymm(3), ymm(1), Mem{Gpr::rsp, 32}), "c5f4c25c24201e");
  CHECK_CODE(compare(Comparison::greater_equal, LaneWidth::k64, ymm(3), ymm(1), ymm(2)), "c5f5c2da1d");
  CHECK_CODE(compare(Comparison::equal, LaneWidth::k32, ymm(3), ymm(1), ymm(2)), "c5f4c2da00");
  CHECK_CODE(compare(Comparison::not_equal, LaneWidth::k32, ymm(3), ymm(1), ymm(2)), "c5f4c2da04");
  CHECK_CODE(more_bits(LaneWidth::k32, ymm(3), ymm(1), ymm(2)), "c5f566da");
  CHECK_CODE(more_bits(LaneWidth::k64, ymm(3), ymm(9), ymm(2)), "c4e23537da");
  CHECK_CODE(sign_mask(LaneWidth::k32, ymm(4), ymm(13)), "c4c15d72e51f");
  CHECK_CODE(sign_mask(LaneWidth::k64, ymm(4), ymm(5)), "c5dd72e51fc5fd70e4f5");
  CHECK_CODE(blend(LaneWidth::k32, ymm(1), ymm(5), ymm(2), ymm(3)), "c4e36d4acb50");
  CHECK_CODE(blend(LaneWidth::k64, ymm(1), ymm(13), ymm(2), Mem{Gpr::rsp, 32}), "c4e36d4b4c2420d0");
  CHECK_CODE(lane_bits(LaneWidth::k32, Gpr::rcx, ymm(10)), "c4c17c50ca");
  CHECK_CODE(lane_bits(LaneWidth::k64, Gpr::rcx, ymm(2)), "c5fd50ca");
}

TEST(avx2_assembler_moves) {
  CHECK_CODE(move(ymm(9), ymm(3)), "c57c28cb");
  CHECK_CODE(load(ymm(3), {Gpr::rdx, 0, Gpr::rax, 4}), "c5fc101c82");
  CHECK_CODE(store({Gpr::r8, 0, Gpr::rax, 4}, ymm(13)), "c4417c112c80");
  CHECK_CODE(load_lanes(LaneWidth::k32, ymm(3), ymm(15), {Gpr::rdx, 0, Gpr::rax, 4}), "c4e2052c1c82");
  CHECK_CODE(load_lanes(LaneWidth::k64, ymm(3), ymm(15), {Gpr::r13, 0, Gpr::rax, 8}), "c4c2052d5cc500");
  CHECK_CODE(store_lanes(LaneWidth::k32, {Gpr::rdx, 0, Gpr::rax, 4}, ymm(15), ymm(3)), "c4e2052e1c82");
  CHECK_CODE(store_lanes(LaneWidth::k64, {Gpr::rdx, 0, Gpr::rax, 8}, ymm(15), ymm(13)), "c462052f2cc2");
  CHECK_CODE(store_first(16, {Gpr::rdx, 0, Gpr::rax, 4}, ymm(15)), "c578113c82");
  CHECK_CODE(store_first(8, {Gpr::rdx, 0, Gpr::rax, 4}, ymm(15)), "c579d63c82");
  CHECK_CODE(store_first(4, {Gpr::r13, 0, Gpr::rax, 4}, ymm(15)), "c441797e7c8500");
  CHECK_CODE(upper_half(ymm(15), ymm(15)), "c4437d39ff01");
  CHECK_CODE(without_first_eight(ymm(15), ymm(15)), "c4c10173df08");
  CHECK_CODE(without_first_eight(ymm(1), ymm(3)), "c5f173db08");
  CHECK_CODE(repeat(LaneWidth::k32, ymm(3), {Gpr::rsp, 4}), "c4e27d185c2404");
  CHECK_CODE(repeat(LaneWidth::k64, ymm(13), {Gpr::rcx, 0}), "c4627d1929");
  CHECK_CODE(repeat(LaneWidth::k8, ymm(3), {Gpr::rsp, 4}), "c4e27d785c2404");
  CHECK_CODE(load_half(ymm(9), {Gpr::rsp, 4}), "c578104c2404");
}

TEST(avx2_assembler_bytes) {
  CHECK_CODE(widen_bytes(LaneWidth::k32, ymm(3), {Gpr::rdx, 0, Gpr::rax, 1}), "c4e27d311c02");
  CHECK_CODE(widen_bytes(LaneWidth::k64, ymm(13), {Gpr::rdx, 0, Gpr::rax, 1}), "c4627d322c02");
  CHECK_CODE(narrow_mask(LaneWidth::k32, ymm(15), ymm(2)), "c4c37d39d701c441696bffc4410163ffc442791cff");
  CHECK_CODE(narrow_mask(LaneWidth::k64, ymm(1), ymm(12)), "c4637d39e101c5996bc9c5f16bc9c5f163c9c4e2791cc9");
  CHECK_CODE(store_bytes(LaneWidth::k32, {Gpr::rdx, 0, Gpr::rax, 1}, ymm(15)), "c579d63c02");
  CHECK_CODE(store_bytes(LaneWidth::k64, {Gpr::rdx, 0, Gpr::rax, 1}, ymm(1)), "c5f97e0c02");
}

#undef CHECK_CODE

}  // namespace
}  // namespace tracefn::test
