// Selects and loads the kernel library: the best instruction set of the machine, or TRACEFN_ISA.
#include "ops/kernel_table.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "ops/elementwise/functions.h"

namespace tracefn {
namespace {

std::string default_directory() {
  if (const char* given = std::getenv("TRACEFN_KERNEL_DIR")) return given;
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&default_directory), &info) && info.dli_fname) {
    std::string path = info.dli_fname;
    return path.substr(0, path.rfind('/'));
  }
  return ".";
}

// The instruction sets that this machine supports, best first.
std::vector<std::string> candidates() {
#if defined(__x86_64__)
  std::vector<std::string> names;
  if (__builtin_cpu_supports("x86-64-v4")) names.push_back("v4");
  if (__builtin_cpu_supports("x86-64-v3")) names.push_back("v3");
  if (__builtin_cpu_supports("x86-64-v2")) names.push_back("v2");
  return names;
#else
  return {"neon"};
#endif
}

struct Loaded {
  KernelTable table{};
  std::string isa;

  // Each function has kernels for the dtypes that its row names.
  bool is_complete() const {
    const ElementwiseKernels& elementwise = table.elementwise;
    if (elementwise.fingerprint != functions::fingerprint()) return false;
    for (int f = 0; f < kFunctions; ++f)
      for (int d = 1; d < kDTypeSlots; ++d)
        if ((elementwise.functions[f][d].unary != nullptr) !=
            functions::kFacts[static_cast<std::size_t>(f)].dtypes.has(static_cast<DType>(d)))
          return false;
    return true;
  }

  Loaded() {
    std::string dir = default_directory();
    std::vector<std::string> names = candidates();
    if (const char* wanted = std::getenv("TRACEFN_ISA"); wanted && *wanted) {
      bool runs = false;
      for (const std::string& n : names) runs = runs || n == wanted;
      if (!runs) fail(ErrorKind::kImport, "TRACEFN_ISA=", wanted, ": this machine does not run that instruction set.");
      names = {wanted};
    }
    std::string reasons;
    for (const std::string& n : names) {
      std::string path = dir + "/_kernels_" + n + ".so";
      void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!library) {
        reasons += std::string("\n  ") + dlerror();
        continue;
      }
      auto fill = reinterpret_cast<FillKernels>(dlsym(library, "tracefn_fill_kernels"));
      if (!fill || !fill(&table, sizeof(KernelTable)) || !is_complete())
        fail(ErrorKind::kImport, path, " belongs to another build of tracefn.");
      isa = n;
      return;
    }
    fail(ErrorKind::kImport, "tracefn: this build has no kernels for ", names.empty() ? "this machine" : names.front(),
         ". An install from source has those of the machine that it was built on; "
         "--config-settings=cmake.define.TRACEFN_ISAS=all builds them for every machine.",
         reasons);
  }
};

const Loaded& loaded() {
  static const Loaded instance;
  return instance;
}

}  // namespace

const KernelTable& kernel_table() { return loaded().table; }
const char* kernel_isa() { return loaded().isa.c_str(); }
bool kernels_multiply_add() { return loaded().isa != "v2"; }

}  // namespace tracefn
