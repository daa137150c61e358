// The shared loop of ops that move blocks of elements.
#include "ops/array/strided_copy.h"

#include <algorithm>

#include "base/poll.h"
#include "ops/array/array_families.h"

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

template <typename T>
void copy(const KernelContext& c, const Loops& loops, const T* from, T* to) {
  std::size_t rank = loops.sizes.size();
  if (rank == 0) {
    *to = *from;
    return;
  }
  std::size_t last = rank - 1;
  std::int64_t n = loops.sizes[last], runs = 1;
  for (std::size_t i = 0; i < last; ++i) runs *= loops.sizes[i];
  const double cost = copy_cost<T>;
  if (runs == 1) {
    c.parallel_for(n, cost, [&](std::int64_t begin, std::int64_t end) {
      copy_run(from + begin * loops.from[last], loops.from[last], to + begin * loops.to[last], loops.to[last],
               end - begin);
    });
    return;
  }
  c.parallel_for(runs, cost * static_cast<double>(n) + 2, [&](std::int64_t begin, std::int64_t end) {
    // The index of run `begin`; incremented per run.
    Dims index(last, 0);
    std::int64_t at_from = 0, at_to = 0, rest = begin;
    for (std::size_t i = last; i-- > 0;) {
      index[i] = rest % loops.sizes[i];
      rest /= loops.sizes[i];
      at_from += index[i] * loops.from[i];
      at_to += index[i] * loops.to[i];
    }
    for (std::int64_t run = begin; run < end; ++run) {
      copy_polled(from + at_from, loops.from[last], to + at_to, loops.to[last], n);
      for (std::size_t i = last; i-- > 0;) {
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
