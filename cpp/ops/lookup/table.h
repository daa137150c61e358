// LookupTable: a table from keys to values, the object behind a handle of dtype resource. Owned by its handles. Any
// thread may call every member; a call for many keys may be seen half done.
#pragma once

#include <string>

#include "ops/kernel.h"
#include "tensor/tensor.h"

namespace tracefn {

class LookupTable : public RefCounted {
 public:
  LookupTable(std::string name, DType key, DType value, Shape key_shape, Shape value_shape)
      : name_(std::move(name)),
        key_dtype_(key),
        value_dtype_(value),
        key_shape_(std::move(key_shape)),
        value_shape_(std::move(value_shape)) {}

  const std::string& name() const { return name_; }
  DType key_dtype() const { return key_dtype_; }
  DType value_dtype() const { return value_dtype_; }
  const Shape& key_shape() const { return key_shape_; }
  const Shape& value_shape() const { return value_shape_; }

  // The callers have checked the dtypes of keys and values.
  virtual std::int64_t size() const = 0;
  // The values of keys, from `defaults` where there are none: one value, or one for each key.
  Tensor find(const Tensor& keys, const Tensor& defaults) const;
  void insert(const Tensor& keys, const Tensor& values);
  void remove(const Tensor& keys);
  // Replaces everything.
  void import_all(const Tensor& keys, const Tensor& values);
  virtual void export_all(Tensor& keys, Tensor& values) const = 0;
  // Fills a table that is filled once: again only with as many entries.
  virtual void initialize(const Tensor& keys, const Tensor& values);

 protected:
  virtual void check_readable() const {}
  virtual void find_all(const Tensor& keys, const Tensor& defaults, Tensor& values) const = 0;
  virtual void insert_all(const Tensor& keys, const Tensor& values) = 0;
  virtual void remove_all(const Tensor& keys) = 0;
  virtual void replace_all(const Tensor& keys, const Tensor& values) = 0;

 private:
  // The shape of `keys` without that of a key. Error(kInvalidArgument) if it does not end so.
  Shape batch_shape(const Tensor& keys) const;
  void check_values(const Tensor& keys, const Tensor& values) const;

  const std::string name_;
  const DType key_dtype_, value_dtype_;
  const Shape key_shape_, value_shape_;
};

// A table of string or integer scalars. One that is filled once refuses changes. Error(kInvalidArgument) for other
// keys.
Ref<LookupTable> make_hash_table(std::string name, DType key, DType value, Shape value_shape, bool filled_once);
// A table with open addressing, whose keys may be tensors; `deleted` and `empty` are no keys.
Ref<LookupTable> make_dense_table(std::string name, const Tensor& empty, const Tensor& deleted, DType value,
                                  Shape value_shape, std::int64_t buckets, float max_load);

// How keys and values are found in the lines of a file.
struct TextFileFormat {
  static constexpr std::int64_t kLineNumber = -1, kWholeLine = -2;  // other indices are those of fields
  std::int64_t key_index, value_index;
  std::int64_t size;  // -1: as many as there are lines
  char delimiter;
  std::int64_t offset;  // added to line numbers
};
void initialize_from_file(LookupTable& table, const std::string& path, const TextFileFormat& format);

}  // namespace tracefn
