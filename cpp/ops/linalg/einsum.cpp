// Einsum: products of one or two tensors over named axes. Each is brought into the form [batch axes, free axes, axes to
// sum over], so that one batched product of matrices does the rest.
#include <algorithm>
#include <map>
#include <numeric>

#include "base/poll.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/linalg/linalg_families.h"
#include "ops/older/older_families.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// Axes are letters; those of an ellipsis are numbers below zero, -1 for the last one.
using Labels = std::vector<int>;
constexpr int kDots = 0;

bool contains(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

Labels term_of(std::string_view text) {
  Labels labels;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '.') {
      if (text.substr(i, 3) != "..." || contains(labels, kDots))
        invalid_argument("Subscripts contain a period that is not part of one ellipsis: ", text);
      labels.push_back(kDots);
      i += 2;
    } else {
      labels.push_back(static_cast<unsigned char>(text[i]));
    }
  }
  return labels;
}

struct Equation {
  std::vector<Labels> terms;
  Labels result;
};

Equation parsed(std::string_view text, std::size_t inputs) {
  const std::size_t arrow = text.find("->");
  if (arrow == std::string_view::npos || text.find("->", arrow + 2) != std::string_view::npos)
    invalid_argument("Expecting exactly one '->' in einsum equation: ", text);
  Equation e;
  e.result = term_of(text.substr(arrow + 2));
  std::string_view left = text.substr(0, arrow);
  for (std::size_t comma = left.find(','); comma != std::string_view::npos; comma = left.find(',')) {
    e.terms.push_back(term_of(left.substr(0, comma)));
    left.remove_prefix(comma + 1);
  }
  e.terms.push_back(term_of(left));
  if (e.terms.size() != inputs)
    invalid_argument("Expected ", e.terms.size(), " inputs for equation ", text, " but got: ", inputs);
  if (inputs > 2) invalid_argument("Expecting 1 or 2 input subscripts in equation '", text, "' but got: ", inputs);
  for (int label : e.result) {
    if (label == kDots) continue;
    bool found = false;
    for (const Labels& term : e.terms) found = found || contains(term, label);
    if (!found)
      invalid_argument("Output subscripts contain the label '", std::string(1, static_cast<char>(label)),
                       "' which is not present in the input subscripts");
  }
  return e;
}

// The labels with those of `count` axes for the ellipsis.
Labels expanded_dots(const Labels& term, int count) {
  Labels labels;
  for (int label : term) {
    if (label != kDots) {
      labels.push_back(label);
    } else {
      for (int i = count; i > 0; --i) labels.push_back(-i);
    }
  }
  return labels;
}

// The labels of a tensor of that rank: an ellipsis replaced by what it stands for.
Labels expanded(const Labels& term, int rank) {
  const auto named = static_cast<int>(term.size()) - (contains(term, kDots) ? 1 : 0);
  if (contains(term, kDots) ? rank < named : rank != named)
    invalid_argument("Expected input to have rank ", contains(term, kDots) ? "at least " : "", named,
                     " but got: ", rank);
  return expanded_dots(term, rank - named);
}

// The sizes of labels, as far as they are known; those of ellipses broadcast.
class Sizes {
 public:
  void add(int label, std::int64_t size) {
    const auto [at, is_new] = sizes_.try_emplace(label, size);
    if (is_new) return;
    std::int64_t& known = at->second;
    if (label < 0 && (known == 1 || size == 1)) {
      known = known == 1 ? size : known;
      return;
    }
    if (known >= 0 && size >= 0 && known != size) {
      if (label < 0) invalid_argument("Unable to broadcast dimension of size ", known, " with one of size ", size);
      invalid_argument("Expected dimension ", known, " at axis of the label '",
                       std::string(1, static_cast<char>(label)), "' but got dimension ", size);
    }
    known = known < 0 ? size : known;
  }
  void add(const Labels& labels, const Shape& shape) {
    for (std::size_t i = 0; i < labels.size(); ++i) add(labels[i], shape[static_cast<int>(i)]);
  }
  std::int64_t operator[](int label) const {
    const auto found = sizes_.find(label);
    return found == sizes_.end() ? 1 : found->second;
  }
  int dots() const {
    int most = 0;
    for (const auto& [label, size] : sizes_) most = std::max(most, -label);
    return most;
  }

 private:
  std::map<int, std::int64_t> sizes_;
};

// The labels of the result.
Labels result_labels(const Labels& result, const Sizes& sizes) {
  if (sizes.dots() > 0 && !contains(result, kDots))
    invalid_argument("Output contains ", sizes.dots(),
                     " broadcasting dimension(s) but no ellipsis (...) was found in the output subscripts.");
  return expanded_dots(result, sizes.dots());
}

void infer_einsum(InferContext& c) {
  const Equation e = parsed(c.attr("equation").s(), c.num_inputs());
  Sizes sizes;
  for (std::size_t i = 0; i < c.num_inputs(); ++i) {
    if (!c.shape(i).has_rank()) {
      if (contains(e.terms[i], kDots)) return c.set_output(0, Shape::unknown());
      for (int label : e.terms[i]) sizes.add(label, kUnknownDim);
    } else {
      sizes.add(expanded(e.terms[i], c.shape(i).rank()), c.shape(i));
    }
  }
  Shape out;
  for (int label : result_labels(e.result, sizes)) out.push_back(sizes[label]);
  c.set_output(0, std::move(out));
}

// Where the axes of a tensor are: a label that comes twice is a diagonal.
struct Strided {
  Labels labels;
  Dims sizes, steps;

  Strided(const Labels& all, const Shape& shape) {
    std::int64_t step = 1;
    std::vector<std::int64_t> steps_of(all.size());
    for (std::size_t i = all.size(); i-- > 0; step *= shape[static_cast<int>(i)]) steps_of[i] = step;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto found = std::find(labels.begin(), labels.end(), all[i]);
      if (found != labels.end()) {
        steps[static_cast<std::size_t>(found - labels.begin())] += steps_of[i];
      } else {
        labels.push_back(all[i]);
        sizes.push_back(shape[static_cast<int>(i)]);
        steps.push_back(steps_of[i]);
      }
    }
  }
  std::size_t at(int label) const {
    return static_cast<std::size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
  }
};

// Calls f(i, offset) for the elements of `sizes` in row-major order.
template <typename F>
void for_places(const Dims& sizes, const Dims& steps, F&& f) {
  std::int64_t n = 1;
  for (std::int64_t size : sizes) n *= size;
  Dims at(sizes.size(), 0);
  std::int64_t offset = 0;
  PolledSteps polled(4096);
  for (std::int64_t i = 0; i < n; ++i) {
    polled.step();
    f(i, offset);
    for (std::size_t d = sizes.size(); d-- > 0;) {
      offset += steps[d];
      if (++at[d] < sizes[d]) break;
      offset -= sizes[d] * steps[d];
      at[d] = 0;
    }
  }
}

// The tensor with those axes in that order; one that it does not have is of size one.
Tensor arranged(const Tensor& x, const Strided& s, const Labels& order) {
  Dims sizes, steps;
  bool same = order.size() == static_cast<std::size_t>(x.rank());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t at = s.at(order[i]);
    const bool has = at < s.labels.size();
    sizes.push_back(has ? s.sizes[at] : 1);
    steps.push_back(has ? s.steps[at] : 0);
    same = same && has && at == i;
  }
  const Shape shape{Dims(sizes)};
  if (same && s.labels.size() == order.size()) return x.reshaped(shape);
  Tensor out(x.dtype(), shape);
  with_any_number(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* from = x.data<T>();
    T* to = out.mutable_data<T>();
    for_places(sizes, steps, [&](std::int64_t i, std::int64_t offset) { to[i] = from[offset]; });
  });
  return out;
}

std::int64_t product_of(const Labels& labels, const Strided& s) {
  std::int64_t n = 1;
  for (int label : labels)
    if (s.at(label) < s.labels.size()) n *= s.sizes[s.at(label)];
  return n;
}

// Sums over the last axis.
Tensor summed_last(const KernelContext& c, const Tensor& x) {
  return run_inside(c, "Sum", {x, Tensor::vector(std::span<const std::int32_t>({x.rank() - 1}))})[0];
}

// `x`, whose axes are `labels`, as the result with `result` for axes; one that comes twice there is a diagonal, with
// zeros around it.
Tensor placed(const Tensor& x, const Labels& labels, const Labels& result, const Sizes& sizes) {
  Labels unique;
  for (int label : result)
    if (!contains(unique, label)) unique.push_back(label);
  const Strided from(labels, x.shape());
  Tensor ordered = arranged(x, from, unique);
  Shape full;
  for (int label : result) full.push_back(sizes[label]);
  if (unique.size() == result.size()) return ordered.reshaped(full);
  Tensor out = Tensor::zeros(x.dtype(), full);
  const Strided to(result, full);
  with_any_number(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    const T* values = ordered.data<T>();
    T* all = out.mutable_data<T>();
    for_places(to.sizes, to.steps, [&](std::int64_t i, std::int64_t offset) { all[offset] = values[i]; });
  });
  return out;
}

Shape joined_shape(const Shape& lead, std::initializer_list<std::int64_t> rest) {
  Shape shape = lead;
  for (std::int64_t size : rest) shape.push_back(size);
  return shape;
}

void einsum(KernelContext& c) {
  const Equation e = parsed(c.attr("equation").s(), c.num_inputs());
  Sizes sizes;
  std::vector<Strided> parts;
  for (std::size_t i = 0; i < c.num_inputs(); ++i) {
    const Labels labels = expanded(e.terms[i], c.input(i).rank());
    for (std::size_t k = 0; k < labels.size(); ++k)
      for (std::size_t m = 0; m < k; ++m)
        if (labels[k] == labels[m]) sizes.add(labels[k], c.input(i).dim(static_cast<int>(m)));
    sizes.add(labels, c.input(i).shape());
    parts.emplace_back(labels, c.input(i).shape());
  }
  const Labels result = result_labels(e.result, sizes);
  if (parts.size() == 1) {
    Labels kept, gone;
    for (int label : parts[0].labels) (contains(result, label) ? kept : gone).push_back(label);
    Labels order = kept;
    order.insert(order.end(), gone.begin(), gone.end());
    Tensor x = arranged(c.input(0), parts[0], order);
    Shape shape;
    for (int label : kept) shape.push_back(sizes[label]);
    if (!gone.empty()) x = summed_last(c, x.reshaped(joined_shape(shape, {product_of(gone, parts[0])})));
    return c.set_output(0, placed(x.reshaped(shape), kept, result, sizes));
  }
  // In both and kept: batch. In both and not kept: contracted. In one alone and not kept: summed over first.
  Labels batch, contracted, free[2];
  for (int label : parts[0].labels) {
    const bool other = parts[1].at(label) < parts[1].labels.size();
    if (label < 0 && contains(result, label)) continue;
    if (contains(result, label)) {
      (other ? batch : free[0]).push_back(label);
    } else if (other) {
      contracted.push_back(label);
    }
  }
  for (int label : parts[1].labels)
    if (label > 0 && contains(result, label) && !contains(batch, label)) free[1].push_back(label);
  Labels dots;
  for (int label : result)
    if (label < 0 && !contains(dots, label)) dots.push_back(label);
  batch.insert(batch.begin(), dots.begin(), dots.end());
  Tensor sides[2];
  for (std::size_t i = 0; i < 2; ++i) {
    Labels order = batch, gone;
    for (const Labels* more : {&free[i], &contracted}) order.insert(order.end(), more->begin(), more->end());
    for (int label : parts[i].labels)
      if (!contains(order, label)) gone.push_back(label);
    order.insert(order.end(), gone.begin(), gone.end());
    Tensor x = arranged(c.input(i), parts[i], order);
    Shape lead;
    for (int label : batch)
      lead.push_back(parts[i].at(label) < parts[i].labels.size() ? parts[i].sizes[parts[i].at(label)] : 1);
    const std::int64_t rows = product_of(free[i], parts[i]), depth = product_of(contracted, parts[i]);
    if (!gone.empty()) x = summed_last(c, x.reshaped(joined_shape(lead, {rows * depth, product_of(gone, parts[i])})));
    sides[i] = x.reshaped(joined_shape(lead, {rows, depth}));
  }
  // The second one conjugated would be wrong for complex numbers: it is transposed instead.
  Tensor right = sides[1];
  std::vector<std::int32_t> perm(static_cast<std::size_t>(right.rank()));
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
  const bool is_complex_product = is_complex(right.dtype());
  if (is_complex_product)
    right = run_inside(c, "Transpose", {right, Tensor::vector(std::span<const std::int32_t>(perm))})[0];
  Tensor product = run_inside(c, "BatchMatMulV2", {sides[0], right}, {{"adj_y", !is_complex_product}})[0];
  Labels labels = batch;
  labels.insert(labels.end(), free[0].begin(), free[0].end());
  labels.insert(labels.end(), free[1].begin(), free[1].end());
  Shape shape;
  for (int label : labels) shape.push_back(sizes[label]);
  c.set_output(0, placed(product.reshaped(shape), labels, result, sizes));
}

std::string text_of(const Labels& labels) {
  std::string text;
  for (int label : labels) text += label == kDots ? std::string("...") : std::string(1, static_cast<char>(label));
  return text;
}

Labels unique_of(const Labels& labels) {
  Labels unique;
  for (int label : labels)
    if (!contains(unique, label)) unique.push_back(label);
  return unique;
}

Operand emit_einsum(const std::string& equation, const std::vector<Operand>& inputs) {
  return emit_all("Einsum", inputs, {{"equation", equation}, {"N", static_cast<std::int64_t>(inputs.size())}})[0];
}

// The gradient of one side: dy times the other side, summed over what this side does not have, repeated along what it
// alone has, on the diagonals that it takes.
Operand gradient_of_side(const GradContext& c, const Equation& e, std::size_t side) {
  const Operand& x = c.input(side);
  const Labels& term = e.terms[side];
  const bool has_other = e.terms.size() == 2;
  Labels reached;  // of this side's labels, those in dy or in the other side
  for (int label : unique_of(term))
    if (contains(e.result, label) || (has_other && contains(e.terms[1 - side], label))) reached.push_back(label);
  const Labels unique = unique_of(term);
  // With an ellipsis here or in the other side, dy's may have more axes than this side: they are summed over.
  const bool dots_in_dy = contains(e.result, kDots);
  Labels target = reached;
  if (dots_in_dy && !contains(target, kDots)) target.insert(target.begin(), kDots);
  std::vector<Operand> inputs{c.dy(0)};
  std::string equation = text_of(e.result);
  if (has_other) {
    inputs.push_back(build::conj(c.input(1 - side)));
    equation += "," + text_of(e.terms[1 - side]);
  }
  Operand g = emit_einsum(equation + "->" + text_of(target), inputs);
  Operand shape = build::shape_of(x);
  if (dots_in_dy) {
    // Like x with the axes that are reached alone: what was broadcast is summed.
    Operand like = emit_einsum(text_of(term) + "->" + text_of(reached), {x});
    g = build::unbroadcast(g, like, g);
  }
  if (reached.size() != unique.size()) {
    // Axes of this side alone: each element counts once for every place along them.
    Operand like = emit_einsum(text_of(term) + "->" + text_of(unique), {x});
    Operand ones = build::ones_like(like);
    g = emit_einsum(text_of(reached) + "," + text_of(unique) + "->" + text_of(unique), {g, ones});
  }
  if (unique.size() != term.size()) g = emit_einsum(text_of(unique) + "->" + text_of(term), {g});
  return build::reshape(g, shape);
}

void grad_einsum(GradContext& c) {
  const Equation e = parsed(c.attr("equation").s(), c.num_inputs());
  for (std::size_t i = 0; i < c.num_inputs(); ++i)
    if (c.wanted(i)) c.to_input(i, gradient_of_side(c, e, i));
}

}  // namespace

void register_einsum(Registry& r) {
  r.add({.name = "Einsum",
         .inputs = {"inputs: N * T"},
         .outputs = {"output: T"},
         .attrs = {"equation: string", "N: int >= 1", "T: type"},
         .facts = {.contracts = true},
         .doc = "The product of one or two tensors over named axes, such as 'ij,jk->ik', summed over the axes that the "
                "result does not name.",
         .infer = infer_einsum,
         .kernel = einsum,
         .allocation = Allocation::kShared,
         .grad = grad_einsum});
}

}  // namespace tracefn
