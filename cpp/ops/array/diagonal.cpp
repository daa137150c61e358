// Diagonals and bands of matrices: MatrixDiag, MatrixDiagPart and MatrixSetDiag in their three versions,
// MatrixBandPart.
#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/gradient.h"
#include "ops/infer.h"
#include "ops/kernel.h"
#include "ops/linalg/linalg_families.h"
#include "ops/registry.h"
#include "ops/typed.h"

namespace tracefn {
namespace {

// A range of diagonals of rows x columns matrices, packed as rows (the uppermost first).
struct Diagonals {
  std::int64_t low = 0, high = 0, rows = 0, columns = 0;
  bool left_above = false, left_below = true;  // how shorter ones are aligned

  std::int64_t count() const { return high - low + 1; }
  std::int64_t length(std::int64_t d) const {
    return std::min(rows + std::min<std::int64_t>(d, 0), columns - std::max<std::int64_t>(d, 0));
  }
  // The length of the longest.
  std::int64_t width() const {
    return std::min(rows + std::min<std::int64_t>(high, 0), columns - std::max<std::int64_t>(low, 0));
  }
  // The start of diagonal d in its packed row.
  std::int64_t offset(std::int64_t d) const {
    bool left = (d >= 0 && left_above) || (d <= 0 && left_below);
    return left ? 0 : width() - length(d);
  }
  void align(const std::string& text) {
    left_above = text.starts_with("LEFT");
    left_below = text.ends_with("LEFT");
  }
  // Calls f(index in the matrix, index in the packed diagonals).
  template <typename F>
  void for_each(F&& f) const {
    PolledSteps polled;
    for (std::int64_t d = high; d >= low; --d) {
      in_slices(length(d), 10, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          std::int64_t row = i - std::min<std::int64_t>(d, 0), column = i + std::max<std::int64_t>(d, 0);
          f(row * columns + column, (high - d) * width() + offset(d) + i);
        }
      });
      polled.step();
    }
  }
};

// The first versions of the ops have the main diagonal and no other inputs; the first two versions align to the left.
bool has_range(const InferContext& c, std::size_t i) { return c.num_inputs() > i; }
bool has_range(const KernelContext& c, std::size_t i) { return c.num_inputs() > i; }

void read_alignment(const KernelContext& c, Diagonals& d) {
  if (c.op().signature.attr_index("align") >= 0) return d.align(c.attr("align").s());
  d.align("LEFT_LEFT");
}

void read_range(const Tensor& k, Diagonals& d) {
  if (k.rank() > 1) invalid_argument("diag_index must be a scalar or vector, received shape: ", k.shape().text());
  std::int64_t n = k.num_elements();
  if (n < 1 || n > 2) invalid_argument("diag_index must have only one or two elements, received ", n, " elements.");
  d.low = k.int_at(0);
  d.high = k.int_at(n - 1);
  if (d.low > d.high)
    invalid_argument("lower_diag_index must not be larger than upper_diag_index: ", d.low, " > ", d.high);
}

// A range must meet the matrix; 0 may stand for an empty one.
void check_range(const Diagonals& d) {
  auto outside = [&](std::int64_t k) { return k != 0 && (k <= -d.rows || k >= d.columns); };
  if (outside(d.low))
    invalid_argument("lower_diag_index is out of bound: ", d.low, ". It must be between ", -d.rows, " and ", d.columns);
  if (outside(d.high))
    invalid_argument("upper_diag_index is out of bound: ", d.high, " It must be between ", -d.rows, " and ", d.columns);
}

// The size of the matrices that packed diagonals of width `width` produce.
void fit_matrix(Diagonals& d, std::int64_t width, std::int64_t rows, std::int64_t columns) {
  std::int64_t least_rows = width - std::min<std::int64_t>(d.high, 0);
  std::int64_t least_columns = width + std::max<std::int64_t>(d.low, 0);
  if (rows != -1 && rows < least_rows) invalid_argument("The number of rows is too small.");
  if (columns != -1 && columns < least_columns) invalid_argument("The number of columns is too small.");
  if (rows == -1 && columns == -1) {
    d.rows = d.columns = std::max(least_rows, least_columns);
    return;
  }
  d.rows = rows == -1 ? least_rows : rows;
  d.columns = columns == -1 ? least_columns : columns;
  if (d.rows != least_rows && d.columns != least_columns)
    invalid_argument(
        "The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal.");
}

Shape leading(const Shape& s, int without) { return Shape(Dims(s.dims().begin(), s.dims().end() - without)); }
Shape with(Shape s, std::initializer_list<std::int64_t> dims) {
  for (std::int64_t d : dims) s.push_back(d);
  return s;
}

void infer_diag(InferContext& c) {
  const Shape& in = c.shape(0);
  c.require_rank_at_least(0, 1);
  if (!in.has_rank() || (has_range(c, 1) && !c.value(1))) return c.set_output(0, Shape::unknown());
  Diagonals d;
  if (has_range(c, 1)) read_range(*c.value(1), d);
  int packed = d.count() == 1 ? 1 : 2;
  c.require_rank_at_least(0, packed);
  if (packed == 2 && in[in.rank() - 2] >= 0 && in[in.rank() - 2] != d.count())
    invalid_argument(
        "The number of rows of `diagonal` doesn't match the number of diagonals implied from `d_lower` and "
        "`d_upper`.\nnum_diags = ",
        d.count(), ", d_lower = ", d.low, ", d_upper = ", d.high);
  std::optional<std::int64_t> rows = -1, columns = -1;
  if (has_range(c, 1)) {
    rows = c.int_value(2);
    columns = c.int_value(3);
  }
  if (!rows || !columns || in[in.rank() - 1] < 0)
    return c.set_output(0, with(leading(in, packed), {kUnknownDim, kUnknownDim}));
  fit_matrix(d, in[in.rank() - 1], *rows, *columns);
  c.set_output(0, with(leading(in, packed), {d.rows, d.columns}));
}

void check_diag(const KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() < 1) invalid_argument("diagonal must be at least 1-dim, received shape: ", x.shape().text());
  if (!has_range(c, 1)) return;
  Diagonals d;
  read_range(c.input(1), d);
  int packed = d.count() == 1 ? 1 : 2;
  if (packed == 2 && (x.rank() < 2 || x.dim(x.rank() - 2) != d.count()))
    invalid_argument(
        "The number of diagonals provided in the input does not match the lower_diag_index and "
        "upper_diag_index range.");
  for (std::size_t i = 2; i < 5; ++i)
    if (c.input(i).num_elements() != 1)
      invalid_argument(i == 2 ? "num_rows" : i == 3 ? "num_cols" : "padding_value", " must be a scalar");
}

void diag(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor& out = c.output(0);
  Diagonals d;
  if (has_range(c, 1)) read_range(c.input(1), d);
  d.rows = out.dim(out.rank() - 2);
  d.columns = out.dim(out.rank() - 1);
  read_alignment(c, d);
  std::int64_t from = d.count() * x.dim(x.rank() - 1), to = d.rows * d.columns;
  std::int64_t batches = leading(out.shape(), 2).num_elements();
  with_element(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    fill_polled(out.mutable_data<T>(), out.num_elements(), has_range(c, 4) ? *c.input(4).data<T>() : T());
    PolledSteps polled;
    for (std::int64_t b = 0; b < batches; ++b, polled.step())
      d.for_each([&](std::int64_t in_matrix, std::int64_t in_packed) {
        out.mutable_data<T>()[b * to + in_matrix] = x.data<T>()[b * from + in_packed];
      });
  });
}

void infer_diag_part(InferContext& c) {
  const Shape& in = c.shape(0);
  c.require_rank_at_least(0, 2);
  if (!in.has_rank() || (has_range(c, 1) && !c.value(1))) return c.set_output(0, Shape::unknown());
  Diagonals d;
  if (has_range(c, 1)) read_range(*c.value(1), d);
  d.rows = in[in.rank() - 2];
  d.columns = in[in.rank() - 1];
  std::int64_t width = kUnknownDim;
  if (d.rows >= 0 && d.columns >= 0) {
    check_range(d);
    width = d.width();
  }
  Shape batch = leading(in, 2);
  c.set_output(0, d.count() == 1 ? with(batch, {width}) : with(batch, {d.count(), width}));
}

// The diagonals to read from input 0.
Diagonals diagonals_to_read(const KernelContext& c) {
  const Tensor& x = c.input(0);
  Diagonals d;
  if (has_range(c, 1)) read_range(c.input(1), d);
  d.rows = x.dim(x.rank() - 2);
  d.columns = x.dim(x.rank() - 1);
  return d;
}

void check_diag_part(const KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() < 2) invalid_argument("input must be at least 2-dim, received shape: ", x.shape().text());
  check_range(diagonals_to_read(c));
  if (has_range(c, 2) && c.input(2).rank() != 0)
    invalid_argument("padding_value must be a scalar, received shape: ", c.input(2).shape().text());
}

void diag_part(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor& out = c.output(0);
  Diagonals d = diagonals_to_read(c);
  read_alignment(c, d);
  std::int64_t batches = leading(x.shape(), 2).num_elements();
  std::int64_t to = d.count() * d.width(), from = d.rows * d.columns;
  with_element(x.dtype(), [&]<typename T>(std::type_identity<T>) {
    fill_polled(out.mutable_data<T>(), out.num_elements(), has_range(c, 2) ? *c.input(2).data<T>() : T());
    PolledSteps polled;
    for (std::int64_t b = 0; b < batches; ++b, polled.step())
      d.for_each([&](std::int64_t in_matrix, std::int64_t in_packed) {
        out.mutable_data<T>()[b * to + in_packed] = x.data<T>()[b * from + in_matrix];
      });
  });
}

void infer_set_diag(InferContext& c) {
  c.require_rank_at_least(0, 2);
  c.require_rank_at_least(1, 1);
  Shape out = c.shape(0);
  const Shape& diagonal = c.shape(1);
  if (diagonal.has_rank() && (!has_range(c, 2) || c.value(2))) {
    Diagonals d;
    if (has_range(c, 2)) read_range(*c.value(2), d);
    int packed = d.count() == 1 ? 1 : 2;
    c.require_rank_at_least(1, packed);
    if (!out.has_rank()) return c.set_output(0, with(leading(diagonal, packed), {kUnknownDim, kUnknownDim}));
    if (diagonal.rank() != out.rank() - 2 + packed)
      invalid_argument("Shape must be rank ", out.rank() - 2 + packed, " but is rank ", diagonal.rank());
    Shape batch = merge(leading(out, 2), leading(diagonal, packed));
    out = with(std::move(batch), {out[out.rank() - 2], out[out.rank() - 1]});
  }
  c.set_output(0, std::move(out));
}

void set_diag(KernelContext& c) {
  const Tensor& diagonal = c.input(1);
  const Shape shape = c.input(0).shape();
  if (shape.rank() < 2) invalid_argument("input must be at least 2-dim, received shape: ", shape.text());
  if (diagonal.rank() < 1)
    invalid_argument("diagonal must be at least 1-dim, received shape: ", diagonal.shape().text());
  Diagonals d;
  if (has_range(c, 2)) read_range(c.input(2), d);
  d.rows = shape[shape.rank() - 2];
  d.columns = shape[shape.rank() - 1];
  check_range(d);
  read_alignment(c, d);
  Shape batch = leading(shape, 2);
  Shape expected = d.count() == 1 ? with(batch, {d.width()}) : with(batch, {d.count(), d.width()});
  if (!(diagonal.shape() == expected))
    invalid_argument(
        "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not "
        "equal to the longests diagonal in range [lower_diag_index:upper_diag_index].\nInput shape: ",
        shape.text(), "\nDiagonal shape: ", diagonal.shape().text(), "\nExpected diagonal shape: ", expected.text());
  Tensor out = c.take_input(0);
  if (!out.writable()) out = out.copy();
  std::int64_t batches = batch.num_elements(), from = d.count() * d.width(), to = d.rows * d.columns;
  with_element(out.dtype(), [&]<typename T>(std::type_identity<T>) {
    PolledSteps polled;
    for (std::int64_t b = 0; b < batches; ++b, polled.step())
      d.for_each([&](std::int64_t in_matrix, std::int64_t in_packed) {
        out.mutable_data<T>()[b * to + in_matrix] = diagonal.data<T>()[b * from + in_packed];
      });
  });
  c.set_output(0, std::move(out));
}

void infer_band(InferContext& c) {
  c.require_rank(1, 0);
  c.require_rank(2, 0);
  c.set_output(0, c.shape(0));
}

void band_part(KernelContext& c) {
  const Shape shape = c.input(0).shape();
  if (shape.rank() < 2) invalid_argument("input must be at least 2-dim, received shape: ", shape.text());
  for (std::size_t i = 1; i < 3; ++i)
    if (c.input(i).rank() != 0)
      invalid_argument(i == 1 ? "num_lower" : "num_upper", " must be scalar, got shape ", c.input(i).shape().text());
  std::int64_t rows = shape[shape.rank() - 2], columns = shape[shape.rank() - 1];
  std::int64_t lower = c.input(1).int_at(0), upper = c.input(2).int_at(0);
  if (lower > rows)
    invalid_argument("num_lower must be negative or less or equal to number of rows (", rows, ") got: ", lower);
  if (upper > columns)
    invalid_argument("num_upper must be negative or less or equal to number of columns (", columns, ") got: ", upper);
  Tensor in = c.take_input(0);
  const bool in_place = in.writable();
  Tensor out = in_place ? std::move(in) : Tensor(in.dtype(), shape);
  std::int64_t matrices = leading(shape, 2).num_elements();
  with_element(out.dtype(), [&]<typename T>(std::type_identity<T>) {
    T* to = out.mutable_data<T>();
    const T* from = in_place ? to : in.data<T>();
    c.parallel_for(matrices * rows, static_cast<double>(columns), [&](std::int64_t begin, std::int64_t stop) {
      for (std::int64_t r = begin; r < stop; ++r) {
        T* row = to + r * columns;
        std::int64_t i = r % rows;
        std::int64_t first = lower < 0 ? 0 : std::clamp<std::int64_t>(i - lower, 0, columns);
        std::int64_t end = upper < 0 ? columns : std::clamp<std::int64_t>(i + upper + 1, first, columns);
        std::fill_n(row, first, T());
        if (!in_place) std::copy(from + r * columns + first, from + r * columns + end, row + first);
        std::fill(row + end, row + columns, T());
      }
    });
  });
  c.set_output(0, std::move(out));
}

// The gradients of all versions are ops of the last one, with the alignment of tf.linalg's functions for the second
// version, as in TensorFlow.
Attr alignment(const GradContext& c) {
  return c.op().signature.attr_index("align") >= 0 ? c.attr("align") : Attr(std::string("RIGHT_LEFT"));
}
Operand range_of(const GradContext& c, std::size_t i) {
  return c.num_inputs() > i ? c.input(i) : build::scalar(DType::kInt32, 0);
}
Operand part(const GradContext& c, const Operand& x, const Operand& k) {
  return emit1("MatrixDiagPartV3", {x, k, build::scalar(x.dtype(), 0)}, {{"align", alignment(c)}});
}
Operand set(const GradContext& c, const Operand& x, const Operand& diagonal, const Operand& k) {
  return emit1("MatrixSetDiagV3", {x, diagonal, k}, {{"align", alignment(c)}});
}

// None for the padding, as in TensorFlow.
void grad_diag(GradContext& c) { c.to_input(0, part(c, c.dy(0), range_of(c, 1))); }
void grad_diag_part(GradContext& c) { c.to_input(0, set(c, build::zeros_like(c.input(0)), c.dy(0), range_of(c, 1))); }
void grad_set_diag(GradContext& c) {
  const Operand k = range_of(c, 2);
  c.to_input(0, set(c, c.dy(0), build::zeros_like(c.input(1)), k));
  c.to_input(1, part(c, c.dy(0), k));
}

}  // namespace

void register_diagonal(Registry& r) {
  constexpr std::string_view align = "align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'";
  r.add({.name = "MatrixDiagV3",
         .inputs = {"diagonal: T", "k: int32", "num_rows: int32", "num_cols: int32", "padding_value: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type", align},
         .facts = {.moves = "T"},
         .doc = "A batch of matrices with the given diagonals, and padding_value elsewhere.\n\n`k` is one diagonal or "
                "a pair, the lowest and the highest of a band. 0 is the main diagonal; superdiagonals are positive. "
                "`align` says on which side shorter diagonals are packed.",
         .infer = infer_diag,
         .check = check_diag,
         .kernel = diag,
         .grad = grad_diag});
  r.add({.name = "MatrixDiagPartV3",
         .inputs = {"input: T", "k: int32", "padding_value: T"},
         .outputs = {"diagonal: T"},
         .attrs = {"T: type", align},
         .facts = {.moves = "T"},
         .doc = "The diagonals `k` of a batch of matrices. Shorter ones are padded with padding_value.\n\n`k` and "
                "`align` are as in MatrixDiagV3.",
         .infer = infer_diag_part,
         .check = check_diag_part,
         .kernel = diag_part,
         .grad = grad_diag_part});
  r.add({.name = "MatrixSetDiagV3",
         .inputs = {"input: T", "diagonal: T", "k: int32"},
         .outputs = {"output: T"},
         .attrs = {"T: type", align},
         .doc = "A batch of matrices with the diagonals `k` replaced by `diagonal`.\n\n`k` and `align` are as in "
                "MatrixDiagV3.",
         .infer = infer_set_diag,
         .kernel = set_diag,
         .allocation = Allocation::kShared,
         .grad = grad_set_diag});
  r.add({.name = "MatrixBandPart",
         .python = "linalg.band_part(input, num_lower, num_upper)",
         .inputs = {"input: T", "num_lower: Tindex", "num_upper: Tindex"},
         .outputs = {"band: T"},
         .attrs = {"T: type", "Tindex: {int32, int64} = DT_INT64"},
         .facts = {.moves = "T"},
         .doc = "A batch of matrices with zeros outside a band: the main diagonal, num_lower subdiagonals and "
                "num_upper superdiagonals.\n\nA negative number keeps the whole triangle.",
         .infer = infer_band,
         .kernel = band_part,
         .allocation = Allocation::kShared,
         .grad = [](GradContext& c) {
           c.to_input(0, emit1("MatrixBandPart", {c.dy(0), c.input(1), c.input(2)}));
         }});
}

void register_diagonal_versions(Registry& r) {
  r.add({.name = "MatrixDiag",
         .inputs = {"diagonal: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type"},
         .facts = {.moves = "T"},
         .doc = "Square matrices with the given main diagonal, and zeros elsewhere. The first form of MatrixDiagV3.",
         .infer = infer_diag,
         .check = check_diag,
         .kernel = diag,
         .grad = grad_diag});
  r.add({.name = "MatrixDiagV2",
         .inputs = {"diagonal: T", "k: int32", "num_rows: int32", "num_cols: int32", "padding_value: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type"},
         .doc = "MatrixDiagV3 with all diagonals packed on the left.",
         .infer = infer_diag,
         .check = check_diag,
         .kernel = diag,
         .grad = grad_diag});
  r.add({.name = "MatrixDiagPart",
         .inputs = {"input: T"},
         .outputs = {"diagonal: T"},
         .attrs = {"T: type"},
         .doc = "The main diagonals of a batch of matrices. The first form of MatrixDiagPartV3.",
         .infer = infer_diag_part,
         .check = check_diag_part,
         .kernel = diag_part,
         .grad = grad_diag_part});
  r.add({.name = "MatrixDiagPartV2",
         .inputs = {"input: T", "k: int32", "padding_value: T"},
         .outputs = {"diagonal: T"},
         .attrs = {"T: type"},
         .doc = "MatrixDiagPartV3 with all diagonals packed on the left.",
         .infer = infer_diag_part,
         .check = check_diag_part,
         .kernel = diag_part,
         .grad = grad_diag_part});
  r.add({.name = "MatrixSetDiag",
         .inputs = {"input: T", "diagonal: T"},
         .outputs = {"output: T"},
         .attrs = {"T: type"},
         .doc = "A batch of matrices with the main diagonals replaced. The first form of MatrixSetDiagV3.",
         .infer = infer_set_diag,
         .kernel = set_diag,
         .allocation = Allocation::kShared,
         .grad = grad_set_diag});
  r.add({.name = "MatrixSetDiagV2",
         .inputs = {"input: T", "diagonal: T", "k: int32"},
         .outputs = {"output: T"},
         .attrs = {"T: type"},
         .doc = "MatrixSetDiagV3 with all diagonals packed on the left.",
         .infer = infer_set_diag,
         .kernel = set_diag,
         .allocation = Allocation::kShared,
         .grad = grad_set_diag});
}

}  // namespace tracefn
