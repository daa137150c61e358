// FetchAhead: a thread that reads an iterator ahead of its consumer. Owned by the consumer; dropping it stops the
// thread at its next poll, without waiting for it.
#pragma once

#include <memory>

#include "data/dataset.h"
#include "data/workers.h"

namespace tracefn::data {

class FetchAhead {
 public:
  // At most `depth` elements are kept; kTuned: as many as it takes that the consumer seldom waits, within bounds.
  static constexpr std::int64_t kTuned = -1;
  FetchAhead(std::unique_ptr<Iterator> input, std::int64_t depth);
  ~FetchAhead();

  // Lets the thread begin; next() does, too.
  void start();
  // Whether next() need not wait.
  bool ready() const;
  // As Iterator::next.
  bool next(Element& out);
  void save(StateWriter& state);
  // Before the first next().
  void restore(StateReader& state);

  struct Shared;

 private:
  std::shared_ptr<Shared> shared_;
  SameProcess process_;
  bool started_ = false;
};

}  // namespace tracefn::data
