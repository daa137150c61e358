// Vector code against an interpreter, bit for bit, on memory that ends where what is not mapped begins.
#include "jit/x64/vector_code.h"

#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>

#include "check.h"
#include "jit/vector/interpreter.h"
#include "jit/vector/random_bools.h"
#include "jit/vector/random_program.h"

namespace tracefn::test {
namespace {

using vector_code::Id;
using vector_code::Isa;
using vector_code::LaneOp;
using vector_code::LaneProgram;
using vector_code::LaneWidth;
using vector_code::VectorCode;

// Calls check(isa, vector_bytes) for each instruction set that this processor has.
template <typename Check>
void on_each_isa(const char* test, Check check) {
  for (const vector_code::VectorTarget& target : {vector_code::kAvx2, vector_code::kAvx512}) {
    if (VectorCode::is_possible(target.isa)) {
      check(target.isa, static_cast<std::size_t>(target.vector_bytes));
    } else {
      std::cout << test << ": skipped, this processor has no " << (target.isa == Isa::kAvx2 ? "AVX2" : "AVX-512")
                << "\n";
    }
  }
}

// Some bytes right before a page, or right after one, that nothing may touch.
class GuardedBytes {
 public:
  GuardedBytes(std::size_t bytes, bool at_end) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t inner = (bytes + page - 1) / page * page;
    all_ = inner + 2 * page;
    start_ = static_cast<unsigned char*>(mmap(nullptr, all_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    CHECK(start_ != MAP_FAILED);
    CHECK_EQ(mprotect(start_ + page, inner == 0 ? page : inner, PROT_READ | PROT_WRITE), 0);
    data_ = start_ + page + (at_end ? inner - bytes : 0);
  }
  GuardedBytes(const GuardedBytes&) = delete;
  GuardedBytes& operator=(const GuardedBytes&) = delete;
  ~GuardedBytes() { munmap(start_, all_); }
  unsigned char* data() const { return data_; }

 private:
  std::size_t all_ = 0;
  unsigned char *start_ = nullptr, *data_ = nullptr;
};

// Numbers that hold what guards want, but for one at most.
void fill_bools(auto& made, std::vector<unsigned char>& bytes, std::size_t count) {
  bytes.assign(count, 0);
  for (unsigned char& byte : bytes) byte = static_cast<unsigned char>(made.below(3) == 0 ? 0 : 1 << made.below(8));
}
void fill(RandomBools& made, const RandomBools::Place&, std::vector<unsigned char>& bytes, std::size_t count) {
  fill_bools(made, bytes, count);
}
template <typename T>
void fill(RandomProgram<T>& made, const typename RandomProgram<T>::Place& place, std::vector<unsigned char>& bytes,
          std::size_t count) {
  if (place.is_mask) return fill_bools(made, bytes, count);
  bytes.assign(count * sizeof(T), 0);
  const std::size_t breaking = made.below(2 * count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    T x = made.number();
    if (!(x < RandomProgram<T>::kGuarded)) x = T(1);
    if (i == breaking) x = made_nan<T>();
    std::memcpy(bytes.data() + i * sizeof(T), &x, sizeof x);
  }
}

// Runs the program on random data of rows of n elements, both ways.
template <typename T, typename Made>
void check_run(Made& made, const VectorCode& code, std::size_t vector_bytes, std::int64_t n, std::int64_t rows,
               const std::string& what) {
  const std::size_t num_places = made.places.size();
  std::vector<std::vector<unsigned char>> wanted(num_places);
  std::vector<std::unique_ptr<GuardedBytes>> given;
  std::vector<void*> wanted_places, given_places;
  std::vector<std::int64_t> steps;
  for (std::size_t k = 0; k < num_places; ++k) {
    const auto& place = made.places[k];
    // What all rows read stays where it is; sometimes it is one element for each.
    const bool moves = !place.is_scalar || made.below(2) == 0;
    const std::int64_t size = place.is_mask ? 1 : sizeof(T), length = place.is_scalar ? 1 : n;
    steps.push_back(moves ? size * length : 0);
    fill(made, place, wanted[k], static_cast<std::size_t>(moves ? length * rows : length));
    given.push_back(std::make_unique<GuardedBytes>(wanted[k].size(), made.below(2) == 0));
    if (!wanted[k].empty()) std::memcpy(given[k]->data(), wanted[k].data(), wanted[k].size());
    wanted_places.push_back(wanted[k].data());
    given_places.push_back(given[k]->data());
  }
  std::int64_t wanted_count = 0, wanted_left = rows, left = rows;
  while (wanted_left > 0) {
    wanted_count = Interpreter<T>(made.program, made.scalars).run(wanted_places.data(), n, vector_bytes);
    if (wanted_count < n) break;
    --wanted_left;
    for (std::size_t k = 0; k < num_places; ++k)
      wanted_places[k] = static_cast<unsigned char*>(wanted_places[k]) + steps[k];
  }
  const std::int64_t count = code.run(given_places.data(), n, steps.data(), left);
  CHECK_EQ(what + std::to_string(count), what + std::to_string(wanted_count));
  CHECK_EQ(what + std::to_string(left), what + std::to_string(wanted_left));
  for (std::size_t k = 0; k < num_places; ++k) {
    if (wanted[k].empty() || std::memcmp(given[k]->data(), wanted[k].data(), wanted[k].size()) == 0) continue;
    failed(__FILE__, __LINE__, what + "place " + std::to_string(k) + " differs");
  }
}

template <typename T>
void check_random_programs(std::uint64_t seeds, Isa isa, std::size_t vector_bytes) {
  constexpr std::size_t kLengths[] = {1, 5, 20, 60, 200, 500};
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const std::size_t length = kLengths[seed % std::size(kLengths)];
    // Every other one a chain in which nearly each instruction waits for the one before.
    const std::size_t num_sources = 1 + seed * 7 % 40, far = seed % 4 < 2 ? 1 + seed % 5 : 1 + seed * 13 % 90;
    const bool overlaps = seed / 3 % 2 == 1;
    RandomProgram<T> made(seed, num_sources, length, far, seed % 3 == 0, overlaps);
    const std::unique_ptr<const VectorCode> code = VectorCode::translate(made.program, made.scalars, isa, overlaps);
    const std::string what = "seed " + std::to_string(seed) + ": ";
    CHECK(code != nullptr);
    if (!code) continue;
    for (int k = 0; k < 6; ++k) {
      const auto n = static_cast<std::int64_t>(made.below(71));
      const auto rows = static_cast<std::int64_t>(1 + made.below(5));
      const std::string size = std::to_string(rows) + " rows of " + std::to_string(n) + ": ";
      check_run<T>(made, *code, vector_bytes, n, rows, what + size);
    }
    check_run<T>(made, *code, vector_bytes, 1000, 1, what + "n 1000: ");
  }
}

TEST(vector_code_random_programs_of_floats) {
  on_each_isa("vector_code_random_programs_of_floats",
              [](Isa isa, std::size_t vector_bytes) { check_random_programs<float>(240, isa, vector_bytes); });
}
TEST(vector_code_random_programs_of_doubles) {
  on_each_isa("vector_code_random_programs_of_doubles",
              [](Isa isa, std::size_t vector_bytes) { check_random_programs<double>(240, isa, vector_bytes); });
}

// The interpreter runs the program of masks, which bytes must agree with.
TEST(vector_code_random_programs_of_bools) {
  on_each_isa("vector_code_random_programs_of_bools", [](Isa isa, std::size_t vector_bytes) {
    constexpr std::size_t kLengths[] = {1, 3, 10, 40, 200};
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      RandomBools made(seed, 1 + seed * 7 % 30, kLengths[seed % std::size(kLengths)]);
      const std::unique_ptr<const VectorCode> code =
          VectorCode::translate(made.bytes, made.scalars, isa, seed % 2 == 1);
      const std::string what = "seed " + std::to_string(seed) + ": ";
      CHECK(code != nullptr);
      if (!code) continue;
      for (int k = 0; k < 8; ++k) {
        const auto n = static_cast<std::int64_t>(made.below(k < 6 ? 71 : 500));
        const auto rows = static_cast<std::int64_t>(1 + made.below(5));
        check_run<float>(made, *code, vector_bytes, n, rows,
                         what + std::to_string(rows) + " rows of " + std::to_string(n) + ": ");
      }
    }
  });
}

// Swaps two arrays in place, with others that come in between.
TEST(vector_code_stores_to_what_it_reads) {
  on_each_isa("vector_code_stores_to_what_it_reads", [](Isa isa, std::size_t) {
    LaneProgram program(LaneWidth::k32);
    std::vector<LaneProgram::Store> stores;
    constexpr std::uint64_t kPlaces = 40;
    for (std::uint64_t k = 0; k < kPlaces; ++k)
      stores.push_back({program.add(LaneOp::kSource, 0, 0, 0, k), kPlaces - 1 - k});
    program.finish(stores);
    const auto code = VectorCode::translate(program, 0, isa);
    CHECK(code != nullptr);
    if (!code) return;
    std::vector<std::vector<float>> arrays;
    std::vector<void*> places(kPlaces);
    for (std::uint64_t k = 0; k < kPlaces; ++k) arrays.emplace_back(37, static_cast<float>(k));
    for (std::uint64_t k = 0; k < kPlaces; ++k) places[k] = arrays[k].data();
    CHECK_EQ(code->run(places.data(), 37), 37);
    for (std::uint64_t k = 0; k < kPlaces; ++k)
      CHECK(arrays[k] == std::vector<float>(37, static_cast<float>(kPlaces - 1 - k)));
  });
}

// A sum of `terms` numbers of which each waits for the one before.
LaneProgram chain(std::size_t terms) {
  LaneProgram program(LaneWidth::k32);
  Id sum = program.add(LaneOp::kSource);
  for (std::size_t k = 0; k < terms; ++k)
    sum = program.add(LaneOp::kAdd, sum,
                      program.add(LaneOp::kConstant, 0, 0, 0, std::bit_cast<std::uint32_t>(float(k % 5))));
  program.finish({{sum, 1}});
  return program;
}

// Adds up products in the order in which the last one made comes first, so that all are alive at once.
LaneProgram pile(std::uint32_t products) {
  LaneProgram program(LaneWidth::k32);
  const Id source = program.add(LaneOp::kSource);
  std::vector<Id> made;
  for (std::uint32_t k = 0; k < products; ++k)
    made.push_back(program.add(LaneOp::kMul, source,
                               program.add(LaneOp::kConstant, 0, 0, 0, std::bit_cast<std::uint32_t>(float(k)))));
  Id sum = made.back();
  for (std::size_t k = made.size() - 1; k-- > 0;) sum = program.add(LaneOp::kAdd, sum, made[k]);
  program.finish({{sum, 1}});
  return program;
}

TEST(vector_code_of_many_values) {
  on_each_isa("vector_code_of_many_values", [](Isa isa, std::size_t) {
    CHECK(VectorCode::translate(pile(600), 0, isa) == nullptr);
    const LaneProgram program = pile(300);
    const auto code = VectorCode::translate(program, 0, isa);
    CHECK(code != nullptr);
    if (!code) return;
    std::vector<float> in(50, 2.0f), out(50, 0.0f);
    void* const places[] = {in.data(), out.data()};
    CHECK_EQ(code->run(places, 50), 50);
    CHECK(out == std::vector<float>(50, 300.0f * 299.0f));
  });
}

TEST(vector_code_of_long_programs) {
  on_each_isa("vector_code_of_long_programs", [](Isa isa, std::size_t) {
    CHECK(VectorCode::translate(chain(5000), 0, isa) == nullptr);
    const LaneProgram program = chain(1900);
    const auto code = VectorCode::translate(program, 0, isa);
    CHECK(code != nullptr);
    if (!code) return;
    std::vector<float> in(100, 0.5f), out(100, 0.0f);
    void* const places[] = {in.data(), out.data()};
    CHECK_EQ(code->run(places, 100), 100);
    CHECK(out == std::vector<float>(100, 0.5f + 2 * 1900));
  });
}

}  // namespace
}  // namespace tracefn::test
