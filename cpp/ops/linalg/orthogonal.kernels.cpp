// The QR decomposition by Householder reflections, by Eigen.
#include <Eigen/QR>

#include "ops/linalg/decompositions.kernels.h"
#include "ops/linalg/matrix_blocks.kernels.h"

namespace tracefn {
namespace {

// Reflections that are applied together; as in Eigen.
constexpr Index kTogether = 48;
template <typename T>
using Factors = Eigen::Matrix<T, Eigen::Dynamic, 1>;

// c = alpha a b
template <typename T>
Matrix<T> product(const Matrix<T>& a, View<T> b, T alpha) {
  Matrix<T> c = Matrix<T>::Zero(a.rows(), b.cols());
  add_product<T, Eigen::ColMajor, Eigen::ColMajor, Eigen::ColMajor>(a.data(), a.outerStride(), b.data(),
                                                                    b.outerStride(), c.data(), c.outerStride(),
                                                                    a.rows(), a.cols(), b.cols(), alpha);
  return c;
}

// Some reflections as one: Q = I - V T V^H. R. Schreiber, C. Van Loan, "A storage-efficient WY representation for
// products of Householder transformations" (1989).
template <typename T>
struct Reflections {
  // Of the panel whose part below the diagonal has the vectors, all but their leading ones.
  Reflections(View<T> panel, const T* factors) : v(panel) {
    const Index w = panel.cols();
    for (Index j = 0; j < w; ++j) {
      v.col(j).head(j).setZero();
      v(j, j) = T(1);
    }
    v_adjoint = v.adjoint();
    const Matrix<T> products = product<T>(v_adjoint, whole(v), T(1));
    t = Matrix<T>::Zero(w, w);
    for (Index i = 0; i < w; ++i) {
      const T factor = Eigen::numext::conj(factors[i]);
      t(i, i) = factor;
      for (Index j = 0; j < i; ++j) {
        T sum(0);
        for (Index k = j; k < i; ++k) sum += t(j, k) * products(k, i);
        t(j, i) = -factor * sum;
      }
    }
  }

  // c = Q c, or Q^H c.
  void apply(View<T> c, bool adjoint) const {
    const Matrix<T> middle = adjoint ? Matrix<T>(t.adjoint()) : t;
    Matrix<T> along = product<T>(v_adjoint, c, T(1));
    along = product<T>(middle, whole(along), T(1));
    subtract_product_at_once<T>(c, whole(v), whole(along));
  }

  Matrix<T> v, v_adjoint, t;
};

// The reflections that make m triangular: their vectors go below its diagonal, their factors to `factors`.
template <typename T>
void reflect(Matrix<T>& m, Factors<T>& factors, const Pause& pause) {
  const Index size = std::min(m.rows(), m.cols());
  Factors<T> scratch(m.cols());
  for (Index k = 0; k < size; k += kTogether) {
    const Index w = std::min(kTogether, size - k), rows = m.rows() - k, right = m.cols() - k - w;
    View<T> panel = part(m, k, k, rows, w);
    Eigen::Map<Factors<T>> some(factors.data() + k, w);
    Eigen::internal::householder_qr_inplace_unblocked(panel, some, scratch.data());
    pause();
    if (right == 0) continue;
    const Reflections<T> all(panel, some.data());
    for_strips<T>(right, rows * w, pause,
                  [&](Index from, Index count) { all.apply(part(m, k, k + w + from, rows, count), true); });
  }
}

// The product of the reflections, its first q.cols() columns.
template <typename T>
void unreflect(Matrix<T>& m, Factors<T>& factors, Matrix<T>& q, const Pause& pause) {
  q.setIdentity();
  const Index size = std::min(m.rows(), m.cols());
  for (Index k = (size - 1) / kTogether * kTogether; k >= 0; k -= kTogether) {
    const Index w = std::min(kTogether, size - k), rows = m.rows() - k;
    const Reflections<T> all(part(m, k, k, rows, w), factors.data() + k);
    // The columns before k are still those of the identity, and stay so.
    for_strips<T>(q.cols() - k, rows * w, pause,
                  [&](Index from, Index count) { all.apply(part(q, k, k + from, rows, count), false); });
  }
}

template <typename T>
KernelEnd qr(const void* a, void* q, void* r, std::int64_t m, std::int64_t n, bool full, StopCheck stop) {
  return stoppable(stop, [&](const Pause& pause) {
    const Index size = std::min(m, n);
    Matrix<T> x = load<T>(a, m, n, pause);
    Factors<T> factors(size);
    reflect(x, factors, pause);
    Matrix<T> left(m, full ? m : size);
    unreflect(x, factors, left, pause);
    store<T>(left, q, pause);
    Matrix<T> right = part(x, 0, 0, full ? m : size, n);
    for (Index j = 0; j < std::min<Index>(n, right.rows()); ++j) right.col(j).tail(right.rows() - j - 1).setZero();
    store<T>(right, r, pause);
    return true;
  });
}

}  // namespace

void fill_orthogonal(DecompositionTable& table) {
  table.of[slot(DType::kFloat)].qr = qr<float>;
  table.of[slot(DType::kDouble)].qr = qr<double>;
  table.of[slot(DType::kComplex64)].qr = qr<std::complex<float>>;
  table.of[slot(DType::kComplex128)].qr = qr<std::complex<double>>;
}

}  // namespace tracefn
