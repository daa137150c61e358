// Ops of older programs, whose work other ops do today, or that are thin.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "ops/emit.h"
#include "ops/infer.h"
#include "ops/kernel.h"

namespace tracefn {
class Registry;
class GradContext;
struct Gradient;

void register_rearranged(Registry& r);  // Concat, Gather, Reverse, BatchMatMul, BiasAddV1, padded convolutions
void register_small_values(
    Registry& r);                     // ListDiff, InTopK, ToBool, Empty, DeepCopy, Fact, Print, PlaceholderWithDefault
void register_versions(Registry& r);  // BatchMatMulV3, ApproxTopK, Conv, ScatterNdNonAliasingAdd
void register_layout_changes(Registry& r);  // InplaceAdd and the like; DataFormatDimMap, DataFormatVecPermute

// Runs another op inside of a kernel, with its checks. Not for elementwise ops. Attributes that are not given follow
// from the inputs or have their defaults.
std::vector<Tensor> run_inside(const KernelContext& c, std::string_view op, const std::vector<Tensor>& inputs,
                               std::initializer_list<NamedAttr> attrs = {});
// The shapes that the rule of another op gives, of such inputs.
std::vector<Shape> infer_inside(std::string_view op, const std::vector<InferContext::Input>& inputs,
                                std::initializer_list<NamedAttr> attrs = {});
// The gradients that the rule of another op gives, of such inputs and of the outputs of `c`.
std::vector<Gradient> differentiate_inside(const GradContext& c, std::string_view op,
                                           const std::vector<Operand>& inputs,
                                           std::initializer_list<NamedAttr> attrs = {});
}  // namespace tracefn
