// Bitwise and logical operations.
#include "ops/elementwise/elementwise_record.h"

namespace tracefn {
namespace {

void add_bits(Registry& r, std::string_view name, std::string_view python, std::string_view doc, const BlockSpec* block,
              bool commutative) {
  add_binary(r, {.name = name,
                 .python = python,
                 .attrs = {kIntegers},
                 .commutative = commutative,
                 .doc = doc,
                 .block = block,
                 .grad = not_differentiable});
}

}  // namespace

void register_bitwise(Registry& r) {
  add_bits(r, "BitwiseAnd", "bitwise.bitwise_and(x, y)",
           "The bitwise AND of x and y.\n\nx and y are broadcast together.", &block_of<functions::BitwiseAnd>, true);
  add_bits(r, "BitwiseOr", "bitwise.bitwise_or(x, y)", "The bitwise OR of x and y.\n\nx and y are broadcast together.",
           &block_of<functions::BitwiseOr>, true);
  add_bits(r, "BitwiseXor", "bitwise.bitwise_xor(x, y)",
           "The bitwise XOR of x and y.\n\nx and y are broadcast together.", &block_of<functions::BitwiseXor>, true);
  add_bits(r, "LeftShift", "bitwise.left_shift(x, y)",
           "x shifted left by y bits, elementwise.\n\nx and y are broadcast together. y is clamped to [0, n - 1] for "
           "integers of n bits.",
           &block_of<functions::LeftShift>, false);
  add_bits(r, "RightShift", "bitwise.right_shift(x, y)",
           "x shifted right by y bits, elementwise.\n\nx and y are broadcast together. The shift is arithmetic for "
           "signed integers. y is clamped to [0, n - 1] for integers of n bits.",
           &block_of<functions::RightShift>, false);
  add_unary(r, {
                   .name = "Invert",
                   .python = "bitwise.invert(x)",
                   .attrs = {kIntegers},
                   .doc = "The bitwise NOT of x.",
                   .block = &block_of<functions::Invert>,
                   .grad = not_differentiable,
               });
  add_unary(r, {
                   .name = "PopulationCount",
                   .outputs = {"y: uint8"},
                   .attrs = {kIntegers},
                   .doc = "The number of bits set in x, elementwise.",
                   .block = &block_of<functions::PopulationCount, 5>,
                   .grad = not_differentiable,
               });
  add_unary(r, {
                   .name = "LogicalNot",
                   .python = "math.logical_not(x)",
                   .aliases = {"logical_not"},
                   .inputs = {"x: bool"},
                   .outputs = {"y: bool"},
                   .doc = "True where x is false.",
                   .block = &block_of<functions::LogicalNot>,
                   .grad = not_differentiable,
               });
  add_binary(r, {
                    .name = "LogicalAnd",
                    .python = "math.logical_and(x, y)",
                    .aliases = {"logical_and"},
                    .inputs = {"x: bool", "y: bool"},
                    .outputs = {"z: bool"},
                    .commutative = true,
                    .doc = "True where both x and y are true.\n\nx and y are broadcast together.",
                    .block = &block_of<functions::LogicalAnd>,
                    .grad = not_differentiable,
                });
  add_binary(r, {
                    .name = "LogicalOr",
                    .python = "math.logical_or(x, y)",
                    .aliases = {"logical_or"},
                    .inputs = {"x: bool", "y: bool"},
                    .outputs = {"z: bool"},
                    .commutative = true,
                    .doc = "True where x or y is true.\n\nx and y are broadcast together.",
                    .block = &block_of<functions::LogicalOr>,
                    .grad = not_differentiable,
                });
}

}  // namespace tracefn
