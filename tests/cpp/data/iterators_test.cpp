// Rows and elements are the same; positions; threads that stop.
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "../check.h"
#include "data/iterator_resource.h"
#include "pipelines.h"

namespace tracefn::test {
namespace {

const std::pair<DType, Shape> kLong{DType::kInt64, Shape()};

FuncRef doubled() {
  return function("doubled", {kLong}, [](Args& a) { return Args{emit1("Mul", {a[0], build::constant(i64(2))})}; });
}
// Not elementwise: it is called for each element.
FuncRef summed() {
  return function("summed", {kLong}, [](Args& a) {
    const Operand range = emit1("Range", {build::constant(i64(0)), a[0], build::constant(i64(1))});
    return Args{emit1("Sum", {range, build::constant(i32(0))})};
  });
}

std::vector<std::int64_t> all(const Tensor& variant) {
  Pass pass(variant);
  std::vector<std::int64_t> out;
  for (std::int64_t n; (n = pass.next()) >= 0;) out.push_back(n);
  return out;
}

}  // namespace

TEST(an_elementwise_function_keeps_rows) {
  Pass pass(mapped(numbers(10), doubled()));
  CHECK(pass->rows() != nullptr);
  std::int64_t at[4];
  CHECK_EQ(pass->next_rows(4, at), std::int64_t{4});
  data::Element block;
  pass->rows()->gather(at, block);
  CHECK_EQ(block[0].shape().text(), std::string("[4]"));
  CHECK_EQ(block[0].data<std::int64_t>()[3], std::int64_t{6});
  CHECK_EQ(pass.next(), std::int64_t{8});
  CHECK(Pass(mapped(numbers(10), summed()))->rows() == nullptr);
}

TEST(a_batch_of_rows_is_a_batch_of_elements) {
  for (const FuncRef& f : {doubled(), summed()}) {
    const std::vector<std::int64_t> one_by_one = all(mapped(numbers(11), f));
    Pass pass(batched(mapped(numbers(11), f), 4));
    std::vector<std::int64_t> stacked;
    for (data::Element batch; pass->next(batch);)
      stacked.insert(stacked.end(), batch[0].span<std::int64_t>().begin(), batch[0].span<std::int64_t>().end());
    CHECK(stacked == one_by_one);
  }
}

TEST(a_huge_batch_size_takes_no_memory) {
  Pass pass(batched(numbers(5), std::int64_t{1} << 60));
  data::Element batch;
  CHECK(pass->next(batch));
  CHECK_EQ(batch[0].dim(0), std::int64_t{5});
  CHECK(!pass->next(batch));
}

TEST(parallel_calls_come_in_order) {
  const std::vector<std::int64_t> expected = all(mapped(numbers(500), summed()));
  for (std::int64_t calls : {1, 3, -1}) CHECK(all(parallel(numbers(500), summed(), calls)) == expected);
  std::vector<std::int64_t> any_order = all(parallel(numbers(500), summed(), 3, "false"));
  std::sort(any_order.begin(), any_order.end());
  CHECK(any_order == expected);  // the sums ascend
}

TEST(a_position_is_restored) {
  const Tensor pipelines[] = {mapped(numbers(40), doubled()),
                              mapped(numbers(40), summed()),
                              prefetched(mapped(numbers(40), summed()), 3),
                              parallel(numbers(40), summed(), 2),
                              dataset("RepeatDataset", {mapped(numbers(7), summed()), i64(5)}),
                              dataset("ShuffleDatasetV3", {mapped(numbers(40), summed()), i64(8), i64(3), i64(5),
                                                           emit1("DummySeedGenerator", {}).tensor})};
  for (const Tensor& pipeline : pipelines) {
    Pass pass(pipeline), other(pipeline);
    for (int i = 0; i < 10; ++i) pass.next();
    data::StateWriter writer;
    pass->save(writer);
    data::StateReader reader(writer.take());
    other->restore(reader);
    CHECK(reader.at_end());
    for (int i = 0; i < 31; ++i) CHECK_EQ(other.next(), pass.next());
  }
}

TEST(the_state_of_another_dataset_is_refused) {
  Pass pass(numbers(5)), other(numbers(3));
  for (int i = 0; i < 5; ++i) pass.next();
  data::StateWriter writer;
  pass->save(writer);
  data::StateReader reader(writer.take());
  CHECK_THROWS(other->restore(reader), kFailedPrecondition, "does not belong to this dataset");
}

TEST(dropped_iterators_stop_their_threads) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 200; ++i) {
    Pass pass(prefetched(parallel(dataset("RepeatDataset", {numbers(100), i64(-1)}), summed(), 2), 4));
    CHECK(pass.next() >= 0);
  }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

TEST(threads_share_an_iterator) {
  auto resource = make_ref<data::IteratorResource>(data::ElementSpec{kNumberTypes, kNumberShapes});
  resource->set(data::dataset_in(parallel(numbers(2000), summed(), 2)));
  std::atomic<std::int64_t> count{0}, total{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (data::Element element; resource->next(element, {DType::kInt64}, {Shape()}); ++count)
        total += element[0].item<std::int64_t>();
    });
  for (std::thread& t : threads) t.join();
  const std::vector<std::int64_t> expected = all(mapped(numbers(2000), summed()));
  CHECK_EQ(count.load(), std::int64_t{2000});
  CHECK_EQ(total.load(), std::accumulate(expected.begin(), expected.end(), std::int64_t{0}));
}

TEST(errors_name_the_element_and_the_next_one_comes) {
  const FuncRef divided = function("divided", {kLong}, [](Args& a) {
    return Args{emit1("FloorDiv", {build::constant(i64(12)), emit1("Sub", {a[0], build::constant(i64(2))})})};
  });
  for (const Tensor& d : {mapped(numbers(4), divided), parallel(numbers(4), divided, 2)}) {
    Pass pass(d);
    CHECK_EQ(pass.next(), std::int64_t{-6});
    CHECK_EQ(pass.next(), std::int64_t{-12});
    CHECK_THROWS(pass.next(), kInvalidArgument, "at element 2");
    CHECK_EQ(pass.next(), std::int64_t{12});
    CHECK_EQ(pass.next(-7), std::int64_t{-7});
  }
}

}  // namespace tracefn::test
