// Creates and recycles frames.
#include "exec/frame.h"

#include "exec/program.h"

namespace tracefn {
namespace {
// Frames beyond this many are freed: they served a burst of threads.
constexpr std::size_t kMostFramesKept = 32;
}  // namespace

Frame::Frame(const Program& program)
    : registers(program.num_registers_), program_(program), bodies_(program.bodies_.size()) {
  operands.reserve(program.operands_.size());
  for (const Program::Place& place : program.operands_) {
    // Constants are never written in place.
    Tensor* at = place.kind == Program::Place::kRegister ? &registers[place.index]
                                                         : const_cast<Tensor*>(&program.constants_[place.index]);
    operands.push_back({at, place.last_use});
  }
}

void Frame::clear() {
  for (Tensor& t : registers) t = Tensor();
  for (const auto& body : bodies_)
    if (body) body->clear();
}

Frame& Frame::body(std::size_t i) {
  if (!bodies_[i]) bodies_[i] = std::make_unique<Frame>(*program_.bodies_[i].program);
  return *bodies_[i];
}

std::unique_ptr<Frame> FrameList::take(const Program& program) {
  if (Frame* frame = first_.exchange(nullptr, std::memory_order_acquire)) return std::unique_ptr<Frame>(frame);
  {
    std::lock_guard lock(mutex_);
    if (!more_.empty()) {
      std::unique_ptr<Frame> frame = std::move(more_.back());
      more_.pop_back();
      return frame;
    }
  }
  auto made = std::make_unique<Frame>(program);
  made->first_ = !made_first_.exchange(true, std::memory_order_relaxed);
  return made;
}

void FrameList::give_back(std::unique_ptr<Frame> frame) {
  if (frame->first_) {
    first_.store(frame.release(), std::memory_order_release);
    return;
  }
  std::lock_guard lock(mutex_);
  if (more_.size() < kMostFramesKept) more_.push_back(std::move(frame));
}

}  // namespace tracefn
