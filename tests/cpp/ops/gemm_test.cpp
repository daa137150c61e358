// Blocked matrix products: panels, operands from packers, finished blocks, sums added to C, equal bits for any number
// of threads.
#include "ops/linalg/gemm/gemm.h"

#include <atomic>
#include <cmath>
#include <cstring>

#include "exec/thread_pool.h"
#include "ops/array_test.h"
#include "ops/kernel_table.h"

namespace tracefn::test {
namespace {

const GemmKernel& kernel_of(DType dtype) { return kernel_table().gemm.of[slot(dtype)]; }

// Numbers of different magnitudes and signs.
template <typename T>
std::vector<T> numbers(std::int64_t n, int seed) {
  std::vector<T> out(static_cast<std::size_t>(n));
  std::uint32_t state = static_cast<std::uint32_t>(seed) * 2654435761u + 12345;
  for (T& x : out) {
    state = state * 1664525u + 1013904223u;
    x = static_cast<T>(static_cast<std::int32_t>(state)) / T(1 << 30);
  }
  return out;
}

template <typename T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

// A row-major m x k and B row-major k x n, or stored transposed.
template <typename T>
struct Product {
  std::int64_t m, n, k;
  bool ta = false, tb = false;
  std::vector<T> a = numbers<T>(m * k, 1), b = numbers<T>(k * n, 2);

  T at_a(std::int64_t i, std::int64_t p) const { return a[static_cast<std::size_t>(ta ? p * m + i : i * k + p)]; }
  T at_b(std::int64_t p, std::int64_t j) const { return b[static_cast<std::size_t>(tb ? j * k + p : p * n + j)]; }
  Gemm gemm(std::vector<T>& c) const {
    return {.dtype = DTypeOf<T>::value,
            .m = m,
            .n = n,
            .k = k,
            .a = {.matrix = {a.data(), ta ? 1 : k, ta ? m : 1}},
            .b = {.matrix = {b.data(), tb ? k : 1, tb ? 1 : n}},
            .c = c.data(),
            .ldc = n};
  }
  std::vector<T> run(ShardRunner* shards = nullptr) const {
    std::vector<T> c(static_cast<std::size_t>(m * n), T(7));
    tracefn::gemm(gemm(c), shards);
    return c;
  }
  // The largest error, in units of the bound for a sum of k products.
  double error(const std::vector<T>& c) const {
    double worst = 0;
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        long double sum = 0, magnitude = 0;
        for (std::int64_t p = 0; p < k; ++p) {
          const long double term = static_cast<long double>(at_a(i, p)) * at_b(p, j);
          sum += term;
          magnitude += std::fabs(term);
        }
        const long double bound = magnitude * static_cast<long double>(k + 1) * std::numeric_limits<T>::epsilon() / 2;
        worst = std::max(worst, static_cast<double>(std::fabs(c[static_cast<std::size_t>(i * n + j)] - sum) / bound));
      }
    return worst;
  }
};

// An operand that a packer reads from a matrix.
template <typename T>
struct Generated {
  GemmMatrix matrix;
  GemmPack pack;

  GemmPacker packer() const {
    return {
        this, [](const void* context, std::int64_t row, std::int64_t rows, std::int64_t step, std::int64_t depth,
                 void* panels) noexcept {
          auto* self = static_cast<const Generated*>(context);
          const GemmMatrix& x = self->matrix;
          self->pack({static_cast<const T*>(x.data) + row * x.row + step * x.step, x.row, x.step}, rows, depth, panels);
        }};
  }
};

template <typename T>
std::vector<T> from_packers(const Product<T>& p, ShardRunner* shards) {
  std::vector<T> c(static_cast<std::size_t>(p.m * p.n));
  Gemm g = p.gemm(c);
  const GemmKernel& kernel = kernel_of(g.dtype);
  const Generated<T> a{g.a.matrix, kernel.pack_a}, b{g.b.matrix, kernel.pack_b};
  g.a = {.packer = a.packer()};
  g.b = {.packer = b.packer()};
  tracefn::gemm(g, shards);
  return c;
}

struct Threads {
  explicit Threads(int n) : before(ThreadPool::get().num_threads()) { ThreadPool::get().set_num_threads(n); }
  ~Threads() { ThreadPool::get().set_num_threads(before); }
  int before;
};

template <typename T>
void check_panels(GemmPack pack, std::int64_t width) {
  for (std::int64_t rows : {std::int64_t{1}, width - 1, width, width + 1, 2 * width + 3})
    for (std::int64_t depth : {1, 3, 17, 130})
      for (bool adjacent : {false, true}) {
        // A part of a larger matrix.
        const std::int64_t stride = (adjacent ? rows : depth) + 5;
        const std::vector<T> x = numbers<T>(stride * (adjacent ? depth : rows), 3);
        const GemmMatrix matrix{x.data(), adjacent ? 1 : stride, adjacent ? stride : 1};
        const std::int64_t panels = (rows + width - 1) / width;
        std::vector<T> packed(static_cast<std::size_t>(panels * width * depth), T(-9));
        pack(matrix, rows, depth, packed.data());
        for (std::int64_t i = 0; i < panels * width; ++i)
          for (std::int64_t p = 0; p < depth; ++p) {
            const T given = i < rows ? x[static_cast<std::size_t>(i * matrix.row + p * matrix.step)] : T(0);
            CHECK_EQ(packed[static_cast<std::size_t>((i / width * depth + p) * width + i % width)], given);
          }
      }
}

}  // namespace

TEST(gemm_panels) {
  check_panels<float>(kernel_of(DType::kFloat).pack_a, kernel_of(DType::kFloat).tile_rows);
  check_panels<float>(kernel_of(DType::kFloat).pack_b, kernel_of(DType::kFloat).tile_columns);
  check_panels<double>(kernel_of(DType::kDouble).pack_a, kernel_of(DType::kDouble).tile_rows);
  check_panels<double>(kernel_of(DType::kDouble).pack_b, kernel_of(DType::kDouble).tile_columns);
}

TEST(gemm_edges_in_place_and_packed) {
  const std::int64_t sizes[][3] = {{1, 1, 1}, {2, 3, 5}, {7, 49, 33}, {13, 17, 390}, {65, 97, 31}, {61, 2, 770}};
  for (auto [m, n, k] : sizes)
    for (bool ta : {false, true})
      for (bool tb : {false, true}) {
        const Product<float> f{m, n, k, ta, tb};
        std::vector<float> c = f.run();
        CHECK(f.error(c) <= 1);
        CHECK(f.error(from_packers(f, nullptr)) <= 1);
        const Product<double> d{m, n, k, ta, tb};
        CHECK(d.error(d.run()) <= 1);
        CHECK(d.error(from_packers(d, nullptr)) <= 1);
        // In place or packed, elements are summed alike; vectors, and rows by rows, are summed in another order.
        const Gemm g = f.gemm(c);
        if (m > 1 && n > 1 && !is_rows_by_rows(g.a.matrix, g.b.matrix, m, n, k)) {
          CHECK(same_bits(c, from_packers(f, nullptr)));
          CHECK(same_bits(d.run(), from_packers(d, nullptr)));
        }
      }
}

// Rows of A in runs, here those of a matrix: the same sums as from packers.
TEST(gemm_rows_in_runs) {
  struct Finder {
    const Product<float>& p;
    std::int64_t length;

    static void find(const void* context, std::int64_t row, std::int64_t rows, const void** to,
                     std::int64_t stride) noexcept {
      auto* self = static_cast<const Finder*>(context);
      for (std::int64_t t = 0; t < self->p.k / self->length; ++t)
        for (std::int64_t i = 0; i < rows; ++i)
          to[t * stride + i] = self->p.a.data() + (row + i) * self->p.k + t * self->length;
    }
  };
  const std::int64_t sizes[][4] = {
      {1, 1, 16, 16}, {5, 49, 120, 20}, {60, 130, 720, 16}, {300, 64, 576, 64}, {301, 7, 1100, 1100}};
  for (auto [m, n, k, length] : sizes) {
    const Product<float> p{m, n, k};
    const Finder finder{p, length};
    const std::vector<float> expected = from_packers(p, nullptr);
    for (int threads : {1, 2}) {
      Threads with(threads);
      std::vector<float> c(expected.size());
      Gemm g = p.gemm(c);
      g.a = {.runs = {&finder, length, Finder::find}};
      tracefn::gemm(g, &ThreadPool::get());
      CHECK(same_bits(c, expected));
    }
  }
}

// Groups of adjacent rows whose steps are in pieces, here of a matrix stored transposed: the same sums as from packers
// that see zeros where there is no piece.
TEST(gemm_steps_in_pieces) {
  struct Finder {
    const Product<float>& p;
    std::int64_t length;

    // Every seventh step is missing, and all of group 1.
    static std::int64_t find(const void* context, std::int64_t group, std::int64_t step, std::int64_t depth,
                             GemmPiece* to) noexcept {
      auto* self = static_cast<const Finder*>(context);
      std::int64_t count = 0;
      for (std::int64_t i = 0; i < depth && group != 1; ++i) {
        if ((step + i) % 7 == 0) continue;
        if (count > 0 && to[count - 1].step + to[count - 1].count == i) {
          ++to[count - 1].count;
        } else {
          to[count++] = {self->p.a.data() + (step + i) * self->p.m + group * self->length, i, 1};
        }
      }
      return count;
    }
  };
  const std::int64_t sizes[][4] = {
      {16, 1, 20, 16}, {40, 49, 120, 20}, {60, 130, 720, 10}, {576, 64, 400, 64}, {330, 9, 1100, 110}};
  for (auto [m, n, k, length] : sizes) {
    Product<float> p{m, n, k, true};
    const Finder finder{p, length};
    const std::vector<float> given = p.a;
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t step = 0; step < k; ++step)
        if (step % 7 == 0 || i / length == 1) p.a[static_cast<std::size_t>(step * m + i)] = 0;
    const std::vector<float> expected = from_packers(p, nullptr);
    p.a = given;
    for (int threads : {1, 2}) {
      Threads with(threads);
      std::vector<float> c(expected.size());
      Gemm g = p.gemm(c);
      g.a = {.pieces = {&finder, length, m, Finder::find}};
      tracefn::gemm(g, &ThreadPool::get());
      CHECK(same_bits(c, expected));
    }
  }
}

// Rows by rows: one operand has few rows, and both are adjacent along the depth.
TEST(gemm_rows_by_rows) {
  const std::int64_t sizes[][3] = {{1, 9, 1},    {13, 1, 2},    {2, 3, 256},   {9, 16, 300},  {16, 16, 2049},
                                   {5, 40, 513}, {33, 7, 4100}, {1, 2, 70000}, {3, 5, 140001}};
  for (auto [m, n, k] : sizes) {
    const Product<float> f{m, n, k, false, true};
    CHECK(is_rows_by_rows({f.a.data(), k, 1}, {f.b.data(), k, 1}, m, n, k));
    CHECK(f.error(f.run()) <= 1);
    const Product<double> d{m, n, k, false, true};
    CHECK(d.error(d.run()) <= 1);
    // The same product, seen from the other side.
    const Product<float> mirrored{.m = n, .n = m, .k = k, .ta = false, .tb = true, .a = f.b, .b = f.a};
    const std::vector<float> c = f.run(), other = mirrored.run();
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        CHECK_EQ(c[static_cast<std::size_t>(i * n + j)], other[static_cast<std::size_t>(j * m + i)]);
  }
}

TEST(gemm_has_the_same_bits_for_any_number_of_threads) {
  // The last one has more tasks than a job of the thread pool has pieces.
  const std::int64_t sizes[][3] = {{300, 410, 500}, {3000, 20, 100}, {20, 3000, 100}, {1, 3000, 700},
                                   {3000, 1, 700},  {3000, 9, 700},  {150, 16, 70000}};
  for (auto [m, n, k] : sizes)
    for (bool tb : {false, true}) {
      const Product<float> p{m, n, k, false, tb};
      const std::vector<float> alone = p.run(), packed = from_packers(p, nullptr);
      for (int threads : {1, 2, 3, 8}) {
        Threads with(threads);
        CHECK(same_bits(p.run(&ThreadPool::get()), alone));
        CHECK(same_bits(from_packers(p, &ThreadPool::get()), packed));
      }
    }
}

TEST(gemm_adds_to_c) {
  for (auto [m, n, k] :
       {std::array<std::int64_t, 3>{9, 20, 30}, {1, 50, 20}, {300, 400, 500}, {9, 70, 260}, {100, 64, 3000}}) {
    const Product<double> p{m, n, k, false, m == 9};
    std::vector<double> c(static_cast<std::size_t>(m * n), 0.5);
    Gemm g = p.gemm(c);
    g.add = true;
    tracefn::gemm(g, nullptr);
    const std::vector<double> product = p.run();
    for (std::size_t i = 0; i < c.size(); ++i) CHECK(std::fabs(c[i] - (product[i] + 0.5)) < 1e-12);
  }
}

TEST(gemm_finishes_every_element_once) {
  // Rows, columns, in place, packed.
  for (auto [m, n, k] : {std::array<std::int64_t, 3>{1, 700, 300},
                         {700, 1, 300},
                         {70, 80, 90},
                         {300, 900, 1100},
                         {9, 700, 300},
                         {700, 9, 300},
                         {100, 64, 5000}}) {
    const Product<float> p{m, n, k, false, m == 9 || n == 9};
    std::vector<float> c(static_cast<std::size_t>(m * n));
    std::vector<float> bias = numbers<float>(n, 4);
    Gemm g = p.gemm(c);
    g.finish = {bias.data(), [](const void* context, std::int64_t, std::int64_t column, std::int64_t rows,
                                std::int64_t columns, void* block, std::int64_t ldc) {
                  auto* values = static_cast<const float*>(context) + column;
                  for (std::int64_t i = 0; i < rows; ++i)
                    for (std::int64_t j = 0; j < columns; ++j) static_cast<float*>(block)[i * ldc + j] += values[j];
                }};
    tracefn::gemm(g, &ThreadPool::get());
    std::vector<float> expected = p.run();
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += bias[i % static_cast<std::size_t>(n)];
    CHECK(same_bits(c, expected));
  }
}

TEST(gemm_stops_at_an_error_of_finish) {
  for (auto [m, n, k] : {std::array<std::int64_t, 3>{300, 400, 500}, {100, 64, 5000}}) {
    const Product<float> p{m, n, k};
    std::vector<float> c(static_cast<std::size_t>(m * n));
    Gemm g = p.gemm(c);
    g.finish.finish = [](const void*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, void*, std::int64_t) {
      invalid_argument("no");
    };
    CHECK_THROWS(tracefn::gemm(g, &ThreadPool::get()), kInvalidArgument, "no");
  }
}

}  // namespace tracefn::test
