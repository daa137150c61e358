// Sorted tables of keys and values, in the file format of LevelDB: blocks of entries whose keys share prefixes, an
// index of the blocks, a footer. The index file of a checkpoint is one. Used by one thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace tracefn {

// Calls `entry` for each key and value of the table in `file`, in order of the keys, which strictly increase. Bytes are
// not trusted: damage is Error(kDataLoss).
void read_sorted_table(std::string_view file,
                       const std::function<void(std::string_view key, std::string_view value)>& entry);

// The bytes of a table, which are those that TensorFlow writes.
class SortedTableWriter {
 public:
  // Precondition: the key is after the last one.
  void add(std::string_view key, std::string_view value);
  std::string finish();

 private:
  // Entries of which each stores what its key does not share with the one before, but for every `interval`th.
  class Block {
   public:
    explicit Block(int interval) : interval_(interval) {}
    void add(std::string_view key, std::string_view value);
    bool empty() const { return bytes_.empty(); }
    std::size_t size() const { return bytes_.size() + restarts_.size() + 4; }
    // The bytes of the block, which is empty then.
    std::string take();

   private:
    int interval_;
    int since_restart_ = 0;
    std::string bytes_, last_key_;
    std::string restarts_ = std::string(4, '\0');
  };

  // Appends a block to the file; returns where it is.
  std::string put(Block& block);

  static constexpr std::size_t kBlockSize = std::size_t{1} << 18;
  std::string file_, last_key_;
  // The place of a block that is not in the index yet, since the next key decides how its entry is spelled.
  std::string waiting_;
  Block data_{16}, index_{1};
};

}  // namespace tracefn
