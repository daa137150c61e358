// Event files: records with checksums, as those that tf.io.TFRecordWriter writes.
#include "ops/summary/event_writer.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <utility>

#include "base/crc32c.h"
#include "base/error.h"
#include "wire/message.h"

namespace tracefn {
namespace {

template <typename T>
void append_number(std::string& out, T value) {
  for (std::size_t i = 0; i < sizeof value; ++i) out += static_cast<char>(value >> 8 * i & 0xff);
}

void append_record(std::string& out, std::string_view record) {
  const std::size_t start = out.size();
  append_number(out, std::uint64_t{record.size()});
  append_number(out, masked_crc32c(std::string_view(out).substr(start)));
  out += record;
  append_number(out, masked_crc32c(record));
}

double wall_time() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<double>(std::chrono::duration_cast<std::chrono::microseconds>(now).count()) / 1e6;
}

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof name - 1) != 0) return "localhost";
  return name;
}

// What every file starts with.
std::string first_event(std::int64_t seconds) {
  Message event;
  event.add_double(1, "wall_time", static_cast<double>(seconds));
  event.add_text(3, "file_version", "brain.Event:2");
  event.add_message(10, "source_metadata").add_text(1, "writer", "tensorflow.core.util.events_writer");
  return event.binary();
}

}  // namespace

void EventWriter::open(const std::string& directory, EventQueue queue, const std::string& suffix) {
  std::lock_guard lock(mutex_);
  if (open_) return;
  make_local_directories(directory);
  // Process and number tell apart the files of one second.
  static std::atomic<std::int64_t> number{0};
  directory_ = directory;
  suffix_ = concat(".", ::getpid(), ".", number++, suffix.starts_with('.') ? "" : ".", suffix);
  queue_ = queue;
  start_file();
  flushed_ = std::chrono::steady_clock::now();
  open_ = true;
}

void EventWriter::start_file() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const std::int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now).count();
  char digits[32];
  std::snprintf(digits, sizeof digits, "%010lld", static_cast<long long>(seconds));
  const std::string_view slash = directory_.empty() || directory_.ends_with('/') ? "" : "/";
  file_.reset();
  file_.emplace(concat(directory_, slash, "events.out.tfevents.", digits, ".", host_name(), suffix_));
  std::string record;
  append_record(record, first_event(seconds));
  file_->append(record);
}

void EventWriter::check_open() const {
  if (!open_)
    fail(ErrorKind::kNotFound, "Resource localhost/", name_, "/N10tensorflow22SummaryWriterInterfaceE does not exist.");
}

void EventWriter::write(std::string_view event) {
  std::lock_guard lock(mutex_);
  check_open();
  append_record(waiting_, event);
  ++num_waiting_;
  const auto since = std::chrono::steady_clock::now() - flushed_;
  if (num_waiting_ > queue_.most_events || since > std::chrono::milliseconds(queue_.most_millis)) write_waiting();
}

// If the file was deleted, a new one takes what follows.
void EventWriter::write_waiting() {
  if (num_waiting_ > 0) {
    if (!file_->exists()) start_file();
    const std::string records = std::exchange(waiting_, {});
    num_waiting_ = 0;
    file_->append(records);
  }
  flushed_ = std::chrono::steady_clock::now();
}

void EventWriter::flush() {
  std::lock_guard lock(mutex_);
  check_open();
  write_waiting();
}

void EventWriter::close() {
  std::lock_guard lock(mutex_);
  check_open();
  open_ = false;
  write_waiting();
  file_.reset();
}

EventWriter::~EventWriter() {
  if (!open_) return;
  try {
    write_waiting();
  } catch (const std::exception& e) {  // nobody is left who could be told otherwise
    std::fprintf(stderr, "tracefn: the last events of a summary writer are lost: %s\n", e.what());
  }
}

std::string event_of(std::int64_t step, int field, std::string message) {
  Message event;
  event.add_double(1, "wall_time", wall_time());
  if (step != 0) event.add_int(2, "step", step);
  event.add_bytes(field, "what", std::move(message));
  return event.binary();
}

}  // namespace tracefn
