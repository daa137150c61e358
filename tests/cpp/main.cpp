// Runs the C++ tests. An argument picks those whose name contains it; one that begins with '-' leaves them out.
#include <cstring>

#include "check.h"
#include "hooks.h"

namespace tracefn::test {
namespace {

int failures = 0;

bool picked(const char* name, int argc, char** argv) {
  bool chosen = true;
  for (int i = 1; i < argc; ++i) {
    if (argv[i][0] != '-') {
      chosen = std::strstr(name, argv[i]) != nullptr;
    } else if (std::strstr(name, argv[i] + 1)) {
      return false;
    }
  }
  return chosen;
}

}  // namespace

std::vector<Case>& cases() {
  static std::vector<Case> list;
  return list;
}

void failed(const char* file, int line, const std::string& what) {
  ++failures;
  std::cerr << file << ":" << line << ": " << what << "\n";
}

}  // namespace tracefn::test

int main(int argc, char** argv) {
  using namespace tracefn::test;
  const tracefn::Runtime runtime(hooks());
  int passed = 0, failed_cases = 0;
  for (const Case& c : cases()) {
    if (!picked(c.name, argc, argv)) continue;
    int before = failures;
    try {
      c.run();
    } catch (const std::exception& e) {
      failed(c.name, 0, std::string("uncaught: ") + e.what());
    }
    if (failures != before) std::cerr << "FAILED " << c.name << "\n";
    (failures == before ? passed : failed_cases)++;
  }
  std::cout << passed << " passed, " << failed_cases << " failed\n";
  return failed_cases || !passed;
}
