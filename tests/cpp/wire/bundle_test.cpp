// Checkpoints in TensorFlow's format: what is written is read again, and damaged files end in errors.
#include <unistd.h>

#include <cstdlib>
#include <numeric>

#include "base/crc32c.h"
#include "base/files.h"
#include "check.h"
#include "wire/bundle/bundle_reader.h"
#include "wire/bundle/bundle_writer.h"
#include "wire/bundle/snappy.h"
#include "wire/bundle/sorted_table.h"
#include "wire/wire_writer.h"

namespace tracefn::test {
namespace {

// A directory of its own, which goes with it.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/tracefn_bundle_XXXXXX";
    path_ = ::mkdtemp(name);
  }
  ~Folder() {
    for (const std::string& path : matching_local_files(path_ + "/*")) ::unlink(path.c_str());
    ::rmdir(path_.c_str());
  }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

Tensor numbers(Shape shape) {
  Tensor t(DType::kInt32, std::move(shape));
  std::iota(t.mutable_data<std::int32_t>(), t.mutable_data<std::int32_t>() + t.num_elements(), 1);
  return t;
}

Tensor words() {
  const std::string elements[] = {"one", "", std::string("\0t\xff", 3)};
  return Tensor::vector<std::string>(elements);
}

void write_sample(const std::string& prefix) {
  BundleWriter writer(prefix);
  writer.add("numbers", numbers({2, 3}));
  writer.add("words", words());
  writer.add("flag", Tensor::scalar(true));
  writer.add("nothing", Tensor(DType::kDouble, Shape({0, 4})));
  const Tensor all = numbers({10});
  writer.add_slice("parts", Shape({10}), TensorSlice::parse("0,4"), all.rows(0, 4));
  writer.add_slice("parts", Shape({10}), TensorSlice::parse("4,6"), all.rows(4, 10));
  writer.finish();
}

TEST(bundle_is_read_as_written) {
  const Folder folder;
  write_sample(folder / "a");
  BundleReader reader(folder / "a");
  CHECK(identical(reader.read("numbers"), numbers({2, 3})));
  CHECK(identical(reader.read("words"), words()));
  CHECK(reader.read("flag").item<bool>());
  CHECK_EQ(reader.read("nothing").shape().text(), "[0,4]");
  CHECK(identical(reader.read("parts"), numbers({10})));
  CHECK(identical(reader.read_slice("parts", TensorSlice::parse("2,5")), numbers({10}).rows(2, 7)));
  CHECK(identical(reader.read_slice("numbers", TensorSlice::parse("1,1:-")), numbers({2, 3}).rows(1, 2)));
  const Tensor column = reader.read_slice("numbers", TensorSlice::parse("-:1,1"));
  CHECK_EQ(column.data<std::int32_t>()[0] + 10 * column.data<std::int32_t>()[1], 52);
  CHECK_THROWS(reader.read("other"), kNotFound, "Key other not found in checkpoint");
  CHECK_THROWS(reader.read_slice("numbers", TensorSlice::parse("1,2:-")), kInternal, "out of bounds");
}

TEST(bundle_refuses_what_it_cannot_hold) {
  const Folder folder;
  BundleWriter writer(folder / "a");
  writer.add("x", numbers({1}));
  CHECK_THROWS(writer.add("x", numbers({1})), kInvalidArgument, "Adding duplicate key: x");
  CHECK_THROWS(writer.add("r", Tensor(DType::kResource, Shape())), kUnimplemented, "resource");
  CHECK_THROWS(writer.add("v", Tensor(DType::kVariant, Shape())), kUnimplemented, "Variants");
}

TEST(bundle_that_is_not_finished_leaves_nothing) {
  const Folder folder;
  { BundleWriter(folder / "a").add("x", numbers({1})); }
  CHECK(matching_local_files(folder / "*").empty());
}

TEST(bundles_are_merged) {
  const Folder folder;
  for (int i : {0, 1}) {
    BundleWriter writer(folder / concat("part", i));
    writer.add(concat("own", i), numbers({2 + i}));
    writer.add_slice("common", Shape({4}), TensorSlice::parse(i ? "2,2" : "0,2"), numbers({4}).rows(2 * i, 2 * i + 2));
    writer.finish();
  }
  CHECK_THROWS(merge_bundles({folder / "part0", folder / "other"}, folder / "all", false), kInvalidArgument,
               "did not exist");
  merge_bundles({folder / "part0", folder / "other", folder / "part1"}, folder / "all", true);
  BundleReader reader(folder / "all");
  CHECK_EQ(reader.index().shards, 2);
  CHECK(identical(reader.read("own1"), numbers({3})));
  CHECK(identical(reader.read("common"), numbers({4})));
  CHECK_EQ(matching_local_files(folder / "*").size(), std::size_t{3});
}

// Each tensor is read as it was written, or its reading is an error.
void read_all(const std::string& prefix) {
  try {
    BundleReader reader(prefix);
    for (const auto& [name, whole] : std::vector<std::pair<std::string, Tensor>>{
             {"numbers", numbers({2, 3})}, {"words", words()}, {"parts", numbers({10})}}) {
      try {
        CHECK(identical(reader.read(name), whole));
      } catch (const Error& e) {
        CHECK(is_status(e.kind()));
      }
    }
  } catch (const Error& e) {
    CHECK(is_status(e.kind()));
  }
}

TEST(bundle_that_is_damaged_is_an_error) {
  const Folder folder;
  write_sample(folder / "a");
  for (const std::string& path : {folder / "a.index", bundle_data_path(folder / "a", 0, 1)}) {
    const std::string whole = read_local_file(path);
    for (std::size_t i = 0; i < whole.size(); ++i) {
      for (int bit : {0, 3, 7}) {
        std::string damaged = whole;
        damaged[i] = static_cast<char>(damaged[i] ^ 1 << bit);
        GrowingFile(path).append(damaged);
        read_all(folder / "a");
      }
      GrowingFile(path).append(std::string_view(whole).substr(0, i));
      read_all(folder / "a");
    }
    GrowingFile(path).append(whole);
  }
}

TEST(bundle_with_lies_in_its_index_is_an_error) {
  const Folder folder;
  write_sample(folder / "a");
  const BundleIndex honest = read_bundle_index(folder / "a");
  const auto lie = [&](const std::string& name, auto change) {
    BundleIndex index = honest;
    change(index.entries[name]);
    write_bundle_index(folder / "a", index);
    BundleReader(folder / "a").read(name);
  };
  CHECK_THROWS(lie("numbers", [](BundleEntry& e) { e.shape = Shape({1 << 30, 1 << 30}); }), kDataLoss, "size");
  CHECK_THROWS(lie("numbers", [](BundleEntry& e) { e.offset = ~std::uint64_t{0}; }), kOutOfRange, "Read less");
  CHECK_THROWS(lie("words", [](BundleEntry& e) { e.shape = Shape({1 << 30, 1 << 30}); }), kDataLoss, "elements");
  CHECK_THROWS(lie("words", [](BundleEntry& e) { e.size = ~std::uint64_t{0}; }), kOutOfRange, "Read less");
  CHECK_THROWS(lie("parts", [](BundleEntry& e) { e.shape = Shape({std::int64_t{1} << 40}); }), kInvalidArgument,
               "sufficient slices");
  CHECK_THROWS(lie("parts", [](BundleEntry& e) { e.slices.push_back(e.slices[0]); }), kInternal, "Overlapping slices");
  CHECK_THROWS(lie("parts", [](BundleEntry& e) { e.slices[1].extents[0].start = INT64_MAX - 1; }), kInternal,
               "out of bounds");
  CHECK_THROWS(lie("numbers", [](BundleEntry& e) { e.dtype = 31; }), kInvalidArgument, "DT_INT2");
  CHECK_THROWS(lie("numbers", [](BundleEntry& e) { e.shard = 7; }), kDataLoss, "shard");
}

TEST(sorted_table_whose_keys_would_fill_the_memory) {
  // One long key, which each of the others shares.
  std::string block;
  const auto entry = [&](std::size_t shared, const std::string& own) {
    put_varint(block, shared);
    put_varint(block, own.size());
    put_varint(block, 0);
    block += own;
  };
  constexpr std::size_t kLong = 50'000;
  entry(0, std::string(kLong, 'a'));
  for (int i = 0; i < 30'000; ++i) entry(kLong, {static_cast<char>(i >> 8), static_cast<char>(i & 0xff)});
  put_fixed(block, std::uint32_t{0});
  put_fixed(block, std::uint32_t{1});
  std::string file, index, footer;
  const auto put = [&](std::string bytes) {
    std::string place;
    put_varint(place, file.size());
    put_varint(place, bytes.size());
    bytes += '\0';
    put_fixed(bytes, masked_crc32c(bytes));
    file += bytes;
    return place;
  };
  const std::string place = put(block);
  index = std::string(2, '\0') + static_cast<char>(place.size()) + place;
  index[1] = 0;
  put_fixed(index, std::uint32_t{0});
  put_fixed(index, std::uint32_t{1});
  footer = std::string("\0\0", 2) + put(index);
  footer.resize(40);
  put_fixed(footer, std::uint64_t{0xdb4775248b80fb57});
  CHECK_THROWS(read_sorted_table(file + footer, [](std::string_view, std::string_view) {}), kDataLoss,
               "share too much");
}

TEST(snappy_is_decompressed) {
  // A literal, and copies of each kind; the second one overlaps what it writes.
  const unsigned char bytes[] = {0x13, 0x08, 'a', 'b', 'c', 0x01, 3,   0x12, 1,  0,
                                 0x0f, 12,   0,   0,   0,   0x08, 'x', 'y',  'z'};
  const std::string compressed(reinterpret_cast<const char*>(bytes), sizeof bytes);
  CHECK_EQ(decompress_snappy(compressed), std::string("abcabcaaaaaaabcaxyz"));
}

TEST(snappy_that_is_damaged_is_an_error) {
  for (const std::string& bytes : {std::string(), std::string("\xff\xff\xff\xff\x0f", 5),
                                   std::string("\x05\x10"
                                               "ab",
                                               4),
                                   std::string("\x04\x01\x01", 3),
                                   std::string("\x02\x08"
                                               "abc",
                                               5),
                                   std::string("\x04\x08"
                                               "abc",
                                               5)})
    CHECK_THROWS(decompress_snappy(bytes), kDataLoss, "corrupted compressed block contents");
}

TEST(sorted_table_of_many_keys) {
  SortedTableWriter writer;
  constexpr int kCount = 3000;
  const auto key = [](int i) { return concat("layer/", 100000 + i); };
  const std::string value(300, 'v');
  for (int i = 0; i < kCount; ++i) writer.add(key(i), concat(i, value));
  const std::string file = writer.finish();
  int i = 0;
  read_sorted_table(file, [&](std::string_view found, std::string_view content) {
    CHECK_EQ(std::string(found), key(i));
    CHECK_EQ(std::string(content), concat(i, value));
    ++i;
  });
  CHECK_EQ(i, kCount);
}

}  // namespace
}  // namespace tracefn::test
