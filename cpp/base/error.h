// The core's only exception type. Every error a user can cause is an Error with a kind; cpp/bind maps the kind to a
// Python class. Thread-safe: values only.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

#include "base/concat.h"

namespace tracefn {

// 1..16 are the status codes of tf.errors, with TensorFlow's numbers; the rest are Python's own classes.
enum class ErrorKind : std::uint8_t {
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
  kType = 32,
  kValue,
  kIndex,
  kKey,
  kLookup,
  kAttribute,
  kOverflow,
  kRuntime,
  kNotImplemented,
  kImport,
  kOperatorNotAllowedInGraph,
  kInaccessibleTensor,
  kKeyboardInterrupt,
};

// True for the kinds that are tf.errors classes.
constexpr bool is_status(ErrorKind kind) { return static_cast<int>(kind) <= 16; }
static_assert(is_status(ErrorKind::kUnauthenticated) && !is_status(ErrorKind::kType));

class Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}

  ErrorKind kind() const { return kind_; }
  const std::string& message() const { return message_; }
  const char* what() const noexcept override { return message_.c_str(); }

  // The name of the failed graph node, once an executor has added the location to the message.
  const std::string& node_name() const { return node_name_; }
  void set_node_name(std::string name) { node_name_ = std::move(name); }

  // An exception of the host language that caused this one (set by host calls, read by cpp/bind).
  const std::shared_ptr<void>& cause() const { return cause_; }
  void set_cause(std::shared_ptr<void> cause) { cause_ = std::move(cause); }
  // True if `cause` itself must be raised, unchanged (a user's exception while tracing).
  bool reraise() const { return reraise_; }
  void set_reraise(bool reraise) { reraise_ = reraise; }

 private:
  ErrorKind kind_;
  bool reraise_ = false;
  std::string message_;
  std::string node_name_;
  std::shared_ptr<void> cause_;
};

[[noreturn]] void fail_parts(ErrorKind kind, std::initializer_list<TextPart> parts);

// fail(ErrorKind::kValue, "axis ", axis, " is out of range")
template <typename... Args>
[[noreturn]] void fail(ErrorKind kind, const Args&... args) {
  fail_parts(kind, {TextPart(args)...});
}

template <typename... Args>
[[noreturn]] void invalid_argument(const Args&... args) {
  fail_parts(ErrorKind::kInvalidArgument, {TextPart(args)...});
}

}  // namespace tracefn
