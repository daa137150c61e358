// EventWriter: writes Event messages to a file that TensorBoard reads, the object behind a handle of dtype resource.
// Owned by its handles. Any thread may call every member. In TensorFlow it is SummaryWriterInterface.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/files.h"
#include "base/ref.h"

namespace tracefn {

// How events are collected before they are written.
struct EventQueue {
  std::int64_t most_events;  // more than this many are written at once
  std::int64_t most_millis;  // after this time, the next event makes all of them be written
};

class EventWriter : public RefCounted {
 public:
  // It is closed at first. `name` is for messages.
  explicit EventWriter(std::string name) : name_(std::move(name)) {}

  // Makes the directory, and a file in it: events.out.tfevents.SECONDS.HOST.PROCESS.NUMBER and the suffix. Does nothing
  // if it is open.
  void open(const std::string& directory, EventQueue queue, const std::string& suffix);
  // All of these are Error(kNotFound) if it is closed. `event` is a serialized Event.
  void write(std::string_view event);
  void flush();
  void close();

 protected:
  // Writes what is left.
  ~EventWriter() override;

 private:
  void check_open() const;
  void start_file();
  void write_waiting();

  const std::string name_;
  std::mutex mutex_;
  bool open_ = false;
  std::string directory_, suffix_;
  EventQueue queue_{};
  std::optional<GrowingFile> file_;
  std::string waiting_;  // records
  std::int64_t num_waiting_ = 0;
  std::chrono::steady_clock::time_point flushed_{};
};

// An Event of this moment with one more field, a serialized Summary or GraphDef.
inline constexpr int kGraphDefField = 4, kSummaryField = 5;
std::string event_of(std::int64_t step, int field, std::string message);

}  // namespace tracefn
