// Rotations of neighbouring columns, as iterations for eigenvalues and singular values make them: kept, and applied
// many sweeps at once to some rows at a time, which stay in registers and in the cache meanwhile.
#pragma once

#include <cstdint>
#include <vector>

namespace tracefn {

// The rotation that turns (x, y) to (length, 0).
struct Turn {
  double cosine, sine, length;
};
Turn turn(double x, double y);

// Of one matrix; used by one thread.
class Rotations {
 public:
  // Columns of `rows` numbers, one after the other. Null: nothing is rotated.
  Rotations(double* columns, std::int64_t rows) : columns_(columns), rows_(rows) {}

  // The next rotations form a sweep from column `first` on, by `step` (1 or -1) columns each.
  void start(std::int64_t first, std::int64_t step);
  // a, the column at hand, and b, the next one, become c a + s b and c b - s a. The next rotation is of that b.
  void add(double c, double s) {
    if (columns_) all_.push_back({c, s});
  }
  // What was added; to be called at the end.
  void apply();

 private:
  struct One {
    double c, s;
  };
  struct Sweep {
    std::int64_t first, step;
    std::size_t begin;  // in all_
  };

  template <int kVectors>
  void rotate(std::int64_t row) const;
  void rotate_rest(std::int64_t row) const;
  // f(column, distance to the next, rotations, number of them) for each sweep.
  template <typename F>
  void for_sweeps(std::int64_t row, const F& f) const;

  double* columns_;
  std::int64_t rows_;
  std::vector<One> all_;
  std::vector<Sweep> sweeps_;
};

// The singular values of a real upper bidiagonal matrix of order n, by the implicit QR method (G. Golub, C. Reinsch,
// 1970), without a shift where that would lose small values (J. Demmel, W. Kahan, "Accurate Singular Values of
// Bidiagonal Matrices", 1990). `d`, the diagonal, becomes the values, in no order and with any sign; `e`, above it, is
// used up. The rotations are of left and right singular vectors. False if it does not converge.
bool bidiagonal_values(double* d, double* e, std::int64_t n, Rotations& left, Rotations& right);

// The eigenvalues of a real symmetric tridiagonal matrix of order n, by the implicit QR method with Wilkinson's shifts
// (G. Golub, C. Van Loan, "Matrix Computations", 8.3). As above.
bool tridiagonal_values(double* d, double* e, std::int64_t n, Rotations& vectors);

}  // namespace tracefn
