"""Under what all contenders run: the instruction set and the number of cores."""

from __future__ import annotations

import os
from dataclasses import dataclass

# Libraries look at the cores that a process may run on, and at these.
_THREADS = (
    "TRACEFN_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
)
# What keeps each library to AVX2 with multiply-add: tracefn, OpenBLAS, oneDNN (in torch and TensorFlow), torch, MKL, XLA,
# numba. TensorFlow's other kernels have no AVX-512 in its packages; numpy's are listed where the machine has them.
_V3 = {
    "TRACEFN_ISA": "v3",
    "OPENBLAS_CORETYPE": "Haswell",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "DNNL_MAX_CPU_ISA": "AVX2",
    "ATEN_CPU_CAPABILITY": "avx2",
    "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    "XLA_FLAGS": "--xla_cpu_max_isa=AVX2",
    "NUMBA_CPU_NAME": "haswell",
}
_CORES = sorted(os.sched_getaffinity(0))
_BEFORE = {name: os.environ.get(name) for name in (*_THREADS, *_V3, "NPY_DISABLE_CPU_FEATURES")}


@dataclass(frozen=True)
class Setting:
    """An instruction set, or None for the best one, and a number of cores."""

    isa: str | None = None
    threads: int = len(_CORES)

    def __str__(self) -> str:
        return f"{self.isa or 'best'} kernels, {self.threads} thread{'s' if self.threads > 1 else ''}"

    def march(self) -> str:
        """The compiler's name of the instruction set."""
        return f"x86-64-{self.isa}" if self.isa else "native"

    def apply(self) -> None:
        """Makes processes that start from now on run under it."""
        os.sched_setaffinity(0, _CORES[: self.threads])
        wanted = dict.fromkeys(_BEFORE, None) | {name: value for name, value in _BEFORE.items() if value is not None}
        if self.threads < len(_CORES):
            wanted |= dict.fromkeys(_THREADS, str(self.threads))
        if self.isa == "v3":
            wanted |= _V3 | {"NPY_DISABLE_CPU_FEATURES": _wide_features()}
        elif self.isa:
            wanted["TRACEFN_ISA"] = self.isa
        for name, value in wanted.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _wide_features() -> str:
    """numpy's names of the AVX-512 features that it would use here."""
    with open("/proc/cpuinfo") as info:
        flags = next((line.split() for line in info if line.startswith("flags")), [])
    if "avx512f" not in flags:
        return ""
    levels = {"AVX512_SKX": "avx512vl", "AVX512_ICL": "avx512_vbmi2", "AVX512_SPR": "avx512_fp16"}
    return ",".join(["AVX512F", "AVX512CD"] + [name for name, flag in levels.items() if flag in flags])


def setting(text: str) -> Setting:
    """From "v3 1": the instruction set, then the number of threads."""
    isa, threads = text.split()
    if isa not in ("v3", "v4") or not 1 <= int(threads) <= len(_CORES):
        raise ValueError(f"expected v3 or v4, and 1 to {len(_CORES)} threads, not {text!r}")
    return Setting(isa, int(threads))
