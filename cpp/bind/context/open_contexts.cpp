// One list per thread. Contexts may end out of order, if generators hold them.
#include "bind/context/open_contexts.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "bind/errors.h"

namespace tracefn::bind {
namespace {

struct Thread {
  std::vector<OpenContext> open;  // by number
  std::uint64_t last = 0;
};

// Not destroyed with the thread, which may not hold the GIL then.
Thread& thread() {
  thread_local auto* state = new Thread();
  return *state;
}

void end_at(std::vector<OpenContext>& open, std::size_t i) {
  OpenContext ended = std::move(open[i]);
  open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
  ended.change->restore(std::span<const OpenContext>(open).subspan(i));
}

// False: this owner has nothing open on this thread.
bool end_last_of(PyObject* owner) {
  std::vector<OpenContext>& list = thread().open;
  for (std::size_t i = list.size(); i-- > 0;)
    if (list[i].owner.get() == owner) {
      end_at(list, i);
      return true;
    }
  return false;
}

}  // namespace

void begin_context(PyObject* owner, OpenCount& open, std::unique_ptr<Change> change) {
  Thread& mine = thread();
  while (!mine.open.empty() && mine.open.back().change->is_restored()) mine.open.pop_back();
  mine.open.push_back({PyRef::borrow(owner), std::move(change), ++mine.last});
  open.thread = std::this_thread::get_id();
  ++open.count;
}

void end_context(PyObject* owner, OpenCount& open, const std::function<std::string()>& text) {
  if (open.count == 0) fail(ErrorKind::kRuntime, "The context of ", text(), " ends without having begun.");
  for (const OpenContext& context : thread().open)
    if (context.owner.get() == owner && !context.change->may_end())
      fail(ErrorKind::kRuntime, "The context of ", text(),
           " ends inside of a host call or gradient function that began within it.");
  if (!end_last_of(owner) && open.thread != std::this_thread::get_id())
    fail(ErrorKind::kRuntime, "The context of ", text(), " ends on another thread than it began on.");
  --open.count;
}

void end_context_anywhere(PyObject* owner, OpenCount& open) {
  if (open.count == 0) return;
  end_last_of(owner);
  --open.count;
}

std::span<const OpenContext> open_contexts() { return thread().open; }

ContextScope::ContextScope() : last_(thread().last) {}

ContextScope::~ContextScope() {
  std::vector<OpenContext>& list = thread().open;
  while (!list.empty() && list.back().number > last_) end_at(list, list.size() - 1);
}

}  // namespace tracefn::bind
