// A small test harness: TEST(name) { CHECK(x); CHECK_EQ(a, b); CHECK_THROWS(expression, kind, "words"); }
#pragma once

#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/concat.h"
#include "base/error.h"

namespace tracefn::test {

struct Case {
  const char* name;
  void (*run)();
};
std::vector<Case>& cases();
void failed(const char* file, int line, const std::string& what);

struct Register {
  Register(const char* name, void (*run)()) { cases().push_back({name, run}); }
};

template <typename T>
void show(std::ostream& out, const T& value) {
  if constexpr (HasText<T>) {
    out << printed(value);
  } else {
    out << value;
  }
}

template <typename A, typename B>
void check_equal(const A& a, const B& b, const char* text, const char* file, int line) {
  if (a == b) return;
  std::ostringstream out;
  out << text << ": ";
  show(out, a);
  out << " != ";
  show(out, b);
  failed(file, line, out.str());
}

inline void check_throws(const std::function<void()>& run, ErrorKind kind, const std::string& words, const char* file,
                         int line) {
  try {
    run();
  } catch (const Error& e) {
    if (e.kind() != kind) failed(file, line, "another kind of error: " + e.message());
    if (e.message().find(words) == std::string::npos) failed(file, line, "'" + words + "' not in: " + e.message());
    return;
  }
  failed(file, line, "no error was thrown");
}

}  // namespace tracefn::test

#define TEST(name)                                                            \
  static void test_##name();                                                  \
  static const ::tracefn::test::Register register_##name(#name, test_##name); \
  static void test_##name()
#define CHECK(condition)                                                       \
  do {                                                                         \
    if (!(condition)) ::tracefn::test::failed(__FILE__, __LINE__, #condition); \
  } while (false)
#define CHECK_EQ(a, b) ::tracefn::test::check_equal((a), (b), #a " == " #b, __FILE__, __LINE__)
#define CHECK_THROWS(expression, kind, words) \
  ::tracefn::test::check_throws([&] { (void)(expression); }, ::tracefn::ErrorKind::kind, words, __FILE__, __LINE__)
