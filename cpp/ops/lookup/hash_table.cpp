// Tables of scalar keys: a map from keys to rows, and the rows of keys and values side by side.
#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "base/error.h"
#include "base/poll.h"
#include "ops/lookup/table.h"
#include "ops/strings/value_format.h"

namespace tracefn {
namespace {

// Elements of any dtype in rows of one width.
class Rows {
 public:
  Rows(DType dtype, std::int64_t width) : dtype_(dtype), width_(width), data_(Tensor::zeros(dtype, Shape({0}))) {}

  std::int64_t width() const { return width_; }
  const void* at(std::int64_t row) const { return static_cast<const char*>(data_.raw()) + offset(row); }
  void set(std::int64_t row, const void* from) {
    if ((row + 1) * width_ > data_.num_elements()) grow(row + 1);
    copy_elements(dtype_, from, static_cast<char*>(data_.mutable_raw()) + offset(row), width_);
  }
  // Makes the row hold nothing: zeros, empty strings.
  void clear(std::int64_t row) { set(row, Tensor::zeros(dtype_, Shape({width_})).raw()); }
  Tensor first(std::int64_t rows, Shape shape) const {
    Tensor out(dtype_, std::move(shape));
    copy_elements(dtype_, data_.raw(), out.mutable_raw(), rows * width_);
    return out;
  }

 private:
  std::size_t offset(std::int64_t row) const { return static_cast<std::size_t>(row * width_) * size_of(dtype_); }
  void grow(std::int64_t rows) {
    Tensor more = Tensor::zeros(dtype_, Shape({std::max(2 * data_.num_elements(), rows * width_)}));
    copy_elements(dtype_, data_.raw(), more.mutable_raw(), data_.num_elements());
    data_ = std::move(more);
  }

  DType dtype_;
  std::int64_t width_;
  Tensor data_;
};

// Key is std::string or std::int64_t.
template <typename Key>
class HashTable final : public LookupTable {
 public:
  HashTable(std::string name, DType key, DType value, Shape value_shape, bool filled_once)
      : LookupTable(std::move(name), key, value, Shape(), std::move(value_shape)),
        filled_once_(filled_once),
        rows_(key, value) {
    reset();
  }

  std::int64_t size() const override {
    std::shared_lock lock(mutex_);
    return count();
  }

  void export_all(Tensor& keys, Tensor& values) const override {
    std::shared_lock lock(mutex_);
    if (filled_once_ && !filled_) fail(ErrorKind::kAborted, "HashTable is not initialized.");
    keys = rows_.keys.first(count(), Shape({count()}));
    Shape shape({count()});
    for (std::int64_t size : value_shape().dims()) shape.push_back(size);
    values = rows_.values.first(count(), std::move(shape));
  }

  void initialize(const Tensor& keys, const Tensor& values) override {
    if (!filled_once_) return LookupTable::initialize(keys, values);
    std::unique_lock lock(mutex_);
    if (filled_) {
      if (keys.num_elements() == count()) return;
      fail(ErrorKind::kFailedPrecondition, "Table was already initialized with different data.");
    }
    for (std::int64_t i = 0; i < keys.num_elements(); ++i) {
      const void* value = element(values, i);
      auto [at, added] = places_.try_emplace(key_at(keys, i), count());
      if (added) {
        rows_.set(at->second, element(keys, i), value);
      } else if (!same_value(at->second, values, i)) {
        const std::string message =
            concat("HashTable has different value for same key. Key ", text(keys, i), " has ",
                   summarize_value(
                       rows_.values.first(at->second + 1, Shape({at->second + 1})).rows(at->second, at->second + 1), 1),
                   " and trying to add value ",
                   summarize_value(values.reshaped(Shape({values.num_elements()})).rows(i, i + 1), 1));
        reset();
        throw Error(ErrorKind::kFailedPrecondition, message);
      }
    }
    filled_ = true;
  }

 protected:
  void check_readable() const override {
    std::shared_lock lock(mutex_);
    if (filled_once_ && !filled_) fail(ErrorKind::kFailedPrecondition, "Table not initialized.");
  }

  void find_all(const Tensor& keys, const Tensor& defaults, Tensor& values) const override {
    const std::int64_t width = rows_.values.width();
    const bool each = !(defaults.shape() == value_shape());
    auto* out = static_cast<char*>(values.mutable_raw());
    const std::size_t bytes = static_cast<std::size_t>(width) * size_of(value_dtype());
    in_slices(keys.num_elements(), kNanoseconds, [&](std::int64_t begin, std::int64_t end) {
      std::shared_lock lock(mutex_);
      for (std::int64_t i = begin; i < end; ++i) {
        auto found = places_.find(key_at(keys, i));
        const void* from = found != places_.end() ? rows_.values.at(found->second)
                                                  : static_cast<const char*>(defaults.raw()) +
                                                        (each ? static_cast<std::size_t>(i) * bytes : 0);
        copy_elements(value_dtype(), from, out + static_cast<std::size_t>(i) * bytes, width);
      }
    });
  }

  void insert_all(const Tensor& keys, const Tensor& values) override {
    if (filled_once_)
      fail(ErrorKind::kUnimplemented, "Insert not supported by InitializableLookupTable implementations");
    in_slices(keys.num_elements(), kNanoseconds, [&](std::int64_t begin, std::int64_t end) {
      std::unique_lock lock(mutex_);
      put(keys, values, begin, end);
    });
  }

  void remove_all(const Tensor& keys) override {
    if (filled_once_)
      fail(ErrorKind::kUnimplemented, "Remove not supported by InitializableLookupTable implementations");
    in_slices(keys.num_elements(), kNanoseconds, [&](std::int64_t begin, std::int64_t end) {
      std::unique_lock lock(mutex_);
      for (std::int64_t i = begin; i < end; ++i) erase(key_at(keys, i));
    });
  }

  void replace_all(const Tensor& keys, const Tensor& values) override {
    if (filled_once_) return initialize(keys, values);
    std::unique_lock lock(mutex_);
    reset();
    put(keys, values, 0, keys.num_elements());
  }

 private:
  static constexpr double kNanoseconds = 100;
  struct Contents {
    Contents(DType key, DType value) : keys(key, 1), values(value, 1) {}
    void set(std::int64_t row, const void* key, const void* value) {
      keys.set(row, key);
      values.set(row, value);
    }
    Rows keys, values;
  };

  std::int64_t count() const { return static_cast<std::int64_t>(places_.size()); }

  void reset() {
    places_.clear();
    rows_.keys = Rows(key_dtype(), 1);
    rows_.values = Rows(value_dtype(), value_shape().num_elements());
  }

  static Key key_at(const Tensor& keys, std::int64_t i) {
    if constexpr (std::is_same_v<Key, std::string>) {
      return keys.data<std::string>()[i];
    } else {
      return keys.int_at(i);
    }
  }
  static std::string text(const Tensor& keys, std::int64_t i) {
    if constexpr (std::is_same_v<Key, std::string>) {
      return keys.data<std::string>()[i];
    } else {
      return std::to_string(keys.int_at(i));
    }
  }
  static const void* element(const Tensor& t, std::int64_t i) {
    return static_cast<const char*>(t.raw()) + static_cast<std::size_t>(i) * size_of(t.dtype());
  }

  bool same_value(std::int64_t row, const Tensor& values, std::int64_t i) const {
    Tensor ours(value_dtype(), Shape()), theirs(value_dtype(), Shape());
    copy_elements(value_dtype(), rows_.values.at(row), ours.mutable_raw(), 1);
    copy_elements(value_dtype(), element(values, i), theirs.mutable_raw(), 1);
    return identical(ours, theirs);
  }

  // Precondition of both: locked.
  void put(const Tensor& keys, const Tensor& values, std::int64_t begin, std::int64_t end) {
    const std::int64_t width = rows_.values.width();
    for (std::int64_t i = begin; i < end; ++i)
      rows_.set(places_.try_emplace(key_at(keys, i), count()).first->second, element(keys, i),
                element(values, i * width));
  }
  // The last row takes the place of the removed one.
  void erase(const Key& key) {
    auto found = places_.find(key);
    if (found == places_.end()) return;
    const std::int64_t row = found->second, last = count() - 1;
    places_.erase(found);
    if (row != last) {
      Tensor moved(key_dtype(), Shape());
      copy_elements(key_dtype(), rows_.keys.at(last), moved.mutable_raw(), 1);
      places_[key_at(moved, 0)] = row;
      rows_.set(row, rows_.keys.at(last), rows_.values.at(last));
    }
    rows_.keys.clear(last);
    rows_.values.clear(last);
  }

  const bool filled_once_;
  mutable std::shared_mutex mutex_;
  bool filled_ = false;
  std::unordered_map<Key, std::int64_t> places_;
  Contents rows_;
};

}  // namespace

Ref<LookupTable> make_hash_table(std::string name, DType key, DType value, Shape value_shape, bool filled_once) {
  if (key == DType::kString)
    return make_ref<HashTable<std::string>>(std::move(name), key, value, std::move(value_shape), filled_once);
  if (key == DType::kInt32 || key == DType::kInt64)
    return make_ref<HashTable<std::int64_t>>(std::move(name), key, value, std::move(value_shape), filled_once);
  return nullptr;
}

}  // namespace tracefn
