// Tables with open addressing in two arrays, probed as TensorFlow's are, so that exported tables are equal.
#include <algorithm>
#include <cstring>
#include <mutex>
#include <shared_mutex>

#include "base/error.h"
#include "base/poll.h"
#include "ops/lookup/table.h"
#include "ops/strings/hashes.h"

namespace tracefn {
namespace {

void check_buckets(std::int64_t buckets) {
  if (buckets < 4 || (buckets & (buckets - 1)) != 0)
    invalid_argument("Number of buckets must be at least 4 and a power of 2, got: ", buckets);
}

class DenseTable final : public LookupTable {
 public:
  DenseTable(std::string name, const Tensor& empty, const Tensor& deleted, DType value, Shape value_shape,
             std::int64_t buckets, float max_load)
      : LookupTable(std::move(name), empty.dtype(), value, empty.shape(), std::move(value_shape)),
        empty_(empty),
        deleted_(deleted),
        empty_hash_(hash(empty.raw())),
        deleted_hash_(hash(deleted.raw())),
        max_load_(max_load) {
    clear(buckets);
  }

  std::int64_t size() const override {
    std::shared_lock lock(mutex_);
    return count_;
  }

  void export_all(Tensor& keys, Tensor& values) const override {
    std::shared_lock lock(mutex_);
    keys = keys_.copy();
    values = values_.copy();
  }

 protected:
  void find_all(const Tensor& keys, const Tensor& defaults, Tensor& values) const override {
    const bool each = !(defaults.shape() == value_shape());
    in_slices(batch(keys), kNanoseconds, [&](std::int64_t begin, std::int64_t end) {
      std::shared_lock lock(mutex_);
      for (std::int64_t i = begin; i < end; ++i) {
        const void* key = row(keys, key_width(), i);
        const std::uint64_t key_hash = usable_hash(key);
        const std::int64_t bucket = probe(key, key_hash).found;
        copy_elements(value_dtype(),
                      bucket >= 0 ? row(values_, value_width(), bucket) : row(defaults, value_width(), each ? i : 0),
                      mutable_row(values, value_width(), i), value_width());
      }
    });
  }

  void insert_all(const Tensor& keys, const Tensor& values) override {
    check_keys(keys);
    std::unique_lock lock(mutex_);
    grow_for(count_ + batch(keys));
    put(keys, values);
  }

  void remove_all(const Tensor& keys) override {
    check_keys(keys);
    std::unique_lock lock(mutex_);
    for (std::int64_t i = 0; i < batch(keys); ++i) {
      const void* key = row(keys, key_width(), i);
      const std::int64_t bucket = probe(key, hash(key)).found;
      if (bucket < 0) continue;
      copy_elements(key_dtype(), deleted_.raw(), mutable_row(keys_, key_width(), bucket), key_width());
      --count_;
    }
  }

  // Takes the buckets of an exported table as they are; those that are empty or deleted hold nothing.
  void replace_all(const Tensor& keys, const Tensor& values) override {
    check_buckets(batch(keys));
    std::unique_lock lock(mutex_);
    clear(batch(keys));
    put(keys, values);
  }

 private:
  static constexpr double kNanoseconds = 100;
  struct Probed {
    std::int64_t found;  // -1: none
    std::int64_t free;   // where it would go
  };

  std::int64_t key_width() const { return empty_.num_elements(); }
  std::int64_t value_width() const { return value_shape().num_elements(); }
  std::int64_t batch(const Tensor& keys) const { return key_width() ? keys.num_elements() / key_width() : 0; }
  static const void* row(const Tensor& t, std::int64_t width, std::int64_t i) {
    return static_cast<const char*>(t.raw()) + static_cast<std::size_t>(i * width) * size_of(t.dtype());
  }
  static void* mutable_row(Tensor& t, std::int64_t width, std::int64_t i) {
    return const_cast<void*>(row(t, width, i));
  }

  std::uint64_t hash_of_element(const void* key, std::int64_t i) const {
    if (key_dtype() == DType::kString) return hash64(static_cast<const std::string*>(key)[i]);
    return static_cast<std::uint64_t>(key_dtype() == DType::kInt32 ? static_cast<const std::int32_t*>(key)[i]
                                                                   : static_cast<const std::int64_t*>(key)[i]);
  }
  std::uint64_t hash(const void* key) const {
    if (key_width() == 1) return hash_of_element(key, 0);
    std::uint64_t all = 0;
    for (std::int64_t i = 0; i < key_width(); ++i)
      all ^= hash_of_element(key, i) + 0x9e3779b97f4a7800 + (all << 10) + (all >> 4);
    return all;
  }
  bool equal(const void* a, const void* b) const {
    if (key_dtype() != DType::kString)
      return std::memcmp(a, b, static_cast<std::size_t>(key_width()) * size_of(key_dtype())) == 0;
    auto *x = static_cast<const std::string*>(a), *y = static_cast<const std::string*>(b);
    return std::equal(x, x + key_width(), y);
  }
  bool is_empty(const void* key, std::uint64_t key_hash) const {
    return key_hash == empty_hash_ && equal(key, empty_.raw());
  }
  bool is_deleted(const void* key, std::uint64_t key_hash) const {
    return key_hash == deleted_hash_ && equal(key, deleted_.raw());
  }
  std::uint64_t usable_hash(const void* key) const {
    const std::uint64_t key_hash = hash(key);
    if (is_empty(key, key_hash)) invalid_argument("Using the empty_key as a table key is not allowed");
    if (is_deleted(key, key_hash)) invalid_argument("Using the deleted_key as a table key is not allowed");
    return key_hash;
  }
  void check_keys(const Tensor& keys) const {
    for (std::int64_t i = 0; i < batch(keys); ++i) usable_hash(row(keys, key_width(), i));
  }

  // There is always an empty bucket.
  Probed probe(const void* key, std::uint64_t key_hash) const {
    const std::uint64_t mask = static_cast<std::uint64_t>(buckets_) - 1;
    Probed at{-1, -1};
    std::uint64_t bucket = key_hash & mask;
    for (std::uint64_t step = 1; step <= mask + 1; bucket = (bucket + step++) & mask) {
      const void* there = row(keys_, key_width(), static_cast<std::int64_t>(bucket));
      if (equal(there, key)) {
        at.found = static_cast<std::int64_t>(bucket);
        return at;
      }
      const bool empty = equal(there, empty_.raw());
      if (at.free < 0 && (empty || equal(there, deleted_.raw()))) at.free = static_cast<std::int64_t>(bucket);
      if (empty) break;
    }
    return at;
  }

  // The functions below need the lock.
  void clear(std::int64_t buckets) {
    buckets_ = buckets;
    count_ = 0;
    keys_ = Tensor(key_dtype(), Shape({buckets, key_width()}));
    for (std::int64_t i = 0; i < buckets; ++i)
      copy_elements(key_dtype(), empty_.raw(), mutable_row(keys_, key_width(), i), key_width());
    Shape shape({buckets});
    if (value_shape().rank() == 0) shape.push_back(1);
    for (std::int64_t size : value_shape().dims()) shape.push_back(size);
    values_ = Tensor::zeros(value_dtype(), std::move(shape));
  }
  // Skips what stands for no key.
  void put(const Tensor& keys, const Tensor& values) {
    for (std::int64_t i = 0; i < batch(keys); ++i) {
      const void* key = row(keys, key_width(), i);
      const std::uint64_t key_hash = hash(key);
      if (is_empty(key, key_hash) || is_deleted(key, key_hash)) continue;
      const Probed at = probe(key, key_hash);
      if (at.found < 0) {
        copy_elements(key_dtype(), key, mutable_row(keys_, key_width(), at.free), key_width());
        ++count_;
      }
      copy_elements(value_dtype(), row(values, value_width(), i),
                    mutable_row(values_, value_width(), at.found < 0 ? at.free : at.found), value_width());
    }
  }
  void grow_for(std::int64_t entries) {
    auto fits = [&](std::int64_t buckets) {
      return static_cast<float>(entries) <= static_cast<float>(buckets) * max_load_;
    };
    if (fits(buckets_)) return;
    std::int64_t more = buckets_;
    while (!fits(more)) more *= 2;
    const Tensor keys = std::move(keys_), values = std::move(values_);
    clear(more);
    put(keys, values);
  }

  const Tensor empty_, deleted_;
  const std::uint64_t empty_hash_, deleted_hash_;
  const float max_load_;
  mutable std::shared_mutex mutex_;
  std::int64_t buckets_ = 0, count_ = 0;
  Tensor keys_, values_;
};

}  // namespace

Ref<LookupTable> make_dense_table(std::string name, const Tensor& empty, const Tensor& deleted, DType value,
                                  Shape value_shape, std::int64_t buckets, float max_load) {
  const bool known =
      empty.dtype() == DType::kString || empty.dtype() == DType::kInt32 || empty.dtype() == DType::kInt64;
  if (!known) return nullptr;
  if (!(empty.shape() == deleted.shape()))
    invalid_argument("Empty and deleted keys must have same shape, got shapes: ", empty.shape().text(), " and ",
                     deleted.shape().text());
  if (!(max_load > 0 && max_load < 1)) invalid_argument("max_load_factor must be between 0 and 1, got: ", max_load);
  if (identical(empty, deleted)) invalid_argument("Empty and deleted keys cannot be equal");
  check_buckets(buckets);
  // Copies: what the keys came in may change in place.
  return make_ref<DenseTable>(std::move(name), empty.copy(), deleted.copy(), value, std::move(value_shape), buckets,
                              max_load);
}

}  // namespace tracefn
