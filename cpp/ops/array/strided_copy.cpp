// The shared loop of ops that move blocks of elements.
#include "ops/array/strided_copy.h"

#include <algorithm>

#include "base/poll.h"
#include "ops/array/array_families.h"
#include "ops/kernel_table.h"

namespace tracefn {
namespace {

// The dimensions of a copy, without those of size 1; adjacent ones that are contiguous in both views are merged.
struct Loops {
  Dims sizes, from, to;

  Loops(const Dims& n, const Dims& from_strides, const Dims& to_strides) {
    for (std::size_t i = 0; i < n.size(); ++i) {
      if (n[i] == 1) continue;
      if (!sizes.empty() && from.back() == from_strides[i] * n[i] && to.back() == to_strides[i] * n[i]) {
        sizes.back() *= n[i];
        from.back() = from_strides[i];
        to.back() = to_strides[i];
      } else {
        sizes.push_back(n[i]);
        from.push_back(from_strides[i]);
        to.push_back(to_strides[i]);
      }
    }
  }
};

template <typename T>
void copy_run(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride, std::int64_t n) {
  if (from_stride == 1 && to_stride == 1) {
    std::copy_n(from, n, to);
  } else if (from_stride == 0 && to_stride == 1) {
    std::fill_n(to, n, *from);
  } else if constexpr (std::is_trivially_copyable_v<T>) {
    kernel_table().copies.strided[copy_slot(sizeof(T))](from, &from_stride, to, &to_stride, &n, 1);
  } else {
    for (std::int64_t i = 0; i < n; ++i) to[i * to_stride] = from[i * from_stride];
  }
}

// Long runs in slices.
template <typename T>
void copy_polled(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride, std::int64_t n) {
  constexpr std::int64_t kShort = 1 << 14;
  if (n <= kShort) return copy_run(from, from_stride, to, to_stride, n);
  in_slices(n, copy_cost<T>, [&](std::int64_t begin, std::int64_t end) {
    copy_run(from + begin * from_stride, from_stride, to + begin * to_stride, to_stride, end - begin);
  });
}

// A plane: `rows` runs of n elements.
struct Plane {
  std::int64_t rows, from_row, to_row, n, from_stride, to_stride;
};

// Short runs, as columns if they are strided.
template <typename T>
void copy_short_runs(const T* from, T* to, const Plane& p) {
  if (p.from_stride == 1 && p.to_stride == 1) return copy_rows(from, p.from_row, to, p.to_row, p.rows, p.n);
  for (std::int64_t i = 0; i < p.rows; ++i) {
    const T* x = from + i * p.from_row;
    T* y = to + i * p.to_row;
    for (std::int64_t j = 0; j < p.n; ++j) y[j * p.to_stride] = x[j * p.from_stride];
  }
}

template <typename T>
void copy_plane(const T* from, T* to, const Plane& p) {
  constexpr std::int64_t kShort = 16;
  if (p.n > kShort) {
    for (std::int64_t i = 0; i < p.rows; ++i)
      copy_polled(from + i * p.from_row, p.from_stride, to + i * p.to_row, p.to_stride, p.n);
    return;
  }
  in_slices(p.rows, copy_cost<T> * static_cast<double>(p.n) + 1, [&](std::int64_t begin, std::int64_t end) {
    Plane part = p;
    part.rows = end - begin;
    copy_short_runs(from + begin * p.from_row, to + begin * p.to_row, part);
  });
}

template <typename T>
void copy(const KernelContext& c, const Loops& loops, const T* from, T* to) {
  std::size_t rank = loops.sizes.size();
  if (rank == 0) {
    *to = *from;
    return;
  }
  std::size_t last = rank - 1;
  const std::int64_t n = loops.sizes[last], from_stride = loops.from[last], to_stride = loops.to[last];
  const double cost = copy_cost<T>;
  if (rank == 1) {
    c.parallel_for(n, cost, [&](std::int64_t begin, std::int64_t end) {
      copy_run(from + begin * from_stride, from_stride, to + begin * to_stride, to_stride, end - begin);
    });
    return;
  }
  const std::size_t row = last - 1;
  const std::int64_t rows = loops.sizes[row];
  std::int64_t planes = 1;
  for (std::size_t i = 0; i < row; ++i) planes *= loops.sizes[i];
  auto plane_of = [&](std::int64_t count) {
    return Plane{count, loops.from[row], loops.to[row], n, from_stride, to_stride};
  };
  if (planes == 1) {
    c.parallel_for(rows, cost * static_cast<double>(n) + 1, [&](std::int64_t begin, std::int64_t end) {
      copy_plane(from + begin * loops.from[row], to + begin * loops.to[row], plane_of(end - begin));
    });
    return;
  }
  c.parallel_for(planes, cost * static_cast<double>(n * rows) + 5, [&](std::int64_t begin, std::int64_t end) {
    // The index of plane `begin`; incremented per plane.
    Dims index(row, 0);
    std::int64_t at_from = 0, at_to = 0, rest = begin;
    for (std::size_t i = row; i-- > 0;) {
      index[i] = rest % loops.sizes[i];
      rest /= loops.sizes[i];
      at_from += index[i] * loops.from[i];
      at_to += index[i] * loops.to[i];
    }
    for (std::int64_t plane = begin; plane < end; ++plane) {
      copy_plane(from + at_from, to + at_to, plane_of(rows));
      for (std::size_t i = row; i-- > 0;) {
        at_from += loops.from[i];
        at_to += loops.to[i];
        if (++index[i] < loops.sizes[i]) break;
        at_from -= loops.sizes[i] * loops.from[i];
        at_to -= loops.sizes[i] * loops.to[i];
        index[i] = 0;
      }
    }
  });
}

}  // namespace

View View::whole(const Shape& shape) {
  View v;
  v.strides.resize(static_cast<std::size_t>(shape.rank()));
  std::int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    v.strides[static_cast<std::size_t>(i)] = stride;
    stride *= shape[i];
  }
  return v;
}

void copy_strided(const KernelContext& c, DType dtype, const Dims& sizes, const void* from, const View& from_view,
                  void* to, const View& to_view) {
  for (std::int64_t n : sizes)
    if (n == 0) return;
  Loops loops(sizes, from_view.strides, to_view.strides);
  with_element(dtype, [&]<typename T>(std::type_identity<T>) {
    copy(c, loops, static_cast<const T*>(from) + from_view.offset, static_cast<T*>(to) + to_view.offset);
  });
}

Tensor leading_rows(const Tensor& x, std::int64_t begin, std::int64_t end) {
  Tensor rows = x.rows(begin, end);
  return rows.bytes() * 8 >= x.buffer()->bytes() ? rows : rows.copy();
}

}  // namespace tracefn
