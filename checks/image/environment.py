"""The environment of an image: which of its variables tell something, and what they mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

# The names whose values are read. Every other value is nobody's business and is dropped.
READ = frozenset(
    {
        "CUDA_ARCH_LIST",
        "CUDA_DRIVER_VERSION",
        "CUDA_VERSION",
        "CUDNN_VERSION",
        "LD_LIBRARY_PATH",
        "LD_PRELOAD",
        "NCCL_VERSION",
        "NVARCH",
        "NVIDIA_DISABLE_REQUIRE",
        "NVIDIA_PYTORCH_VERSION",
        "NVIDIA_TENSORFLOW_VERSION",
        "NV_CUDA_COMPAT_PACKAGE",
        "NV_CUDA_CUDART_DEV_VERSION",
        "NV_CUDA_CUDART_VERSION",
        "NV_CUDA_LIB_VERSION",
        "NV_CUDNN_PACKAGE",
        "NV_CUDNN_VERSION",
        "NV_LIBCUBLAS_DEV_VERSION",
        "NV_LIBNCCL_PACKAGE_VERSION",
        "NV_NVML_DEV_VERSION",
        "PYTORCH_BUILD_VERSION",
        "PYTORCH_VERSION",
        "ROCM_VERSION",
        "TENSORFLOW_VERSION",
        "TORCH_CUDA_ARCH_LIST",
        "UV_TORCH_BACKEND",
        "_CUDA_COMPAT_PATH",
    }
)

REQUIRE = "NVIDIA_REQUIRE_"
# Mounts of Jetson boards stand under the same prefix and are no requirement.
JETPACK = "NVIDIA_REQUIRE_JETPACK"

_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})


def is_read(name: str) -> bool:
    return name in READ or name.startswith(REQUIRE)


def only_read(lines: Iterable[str]) -> tuple[str, ...]:
    """The lines `NAME=value` whose values are read, in their order."""
    return tuple(line for line in lines if is_read(line.partition("=")[0]))


def requirements(env: Mapping[str, str]) -> dict[str, str]:
    """The NVIDIA_REQUIRE_* variables that ask for something, by name."""
    return {
        name: value.strip()
        for name, value in env.items()
        if name.startswith(REQUIRE) and not name.startswith(JETPACK) and value.strip()
    }


def is_true(text: str) -> bool:
    """What Go's strconv.ParseBool holds to be true; `yes` and ` 1` are not."""
    return text in _TRUE
