"""Every key that a verdict may give. Pages translate them; nothing else of a verdict is text."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Why the answer is what it is, caveats included."""

    # start
    REQUIRE_GATE = "require_gate"
    REQUIRE_GATE_BRANCH_TERM = "require_gate_branch_term"  # let in by its branch, not its CUDA
    REQUIRE_DISABLED = "require_disabled"
    REQUIRE_INVALID = "require_invalid"
    REQUIRE_NOT_READ = "require_not_read"
    MODE_DOES_NOT_CHECK = "mode_does_not_check"  # CDI
    REFUSED_IN_LEGACY_MODE = "refused_in_legacy_mode"  # the mode itself is not known
    # software and hardware of another kind
    AMD_HOST = "amd_host"
    OTHER_ACCELERATOR_HOST = "other_accelerator_host"
    ROCM_IMAGE = "rocm_image"
    ROCM_NOT_JUDGED = "rocm_not_judged"
    NEEDS_NO_GPU = "needs_no_gpu"
    PLATFORM_MISMATCH = "platform_mismatch"
    # kernels
    ARCH_DROPPED_BY_CUDA = "arch_dropped_by_cuda"
    FRAMEWORK_ARCH_LIST = "framework_arch_list"
    EXTENSION_ARCH_LIST = "extension_arch_list"
    OWN_KERNELS = "own_kernels"
    CUBIN_SAME_MAJOR = "cubin_same_major"
    CUBIN_MAJOR_DIFFERS = "cubin_major_differs"
    COMPILED_FROM_PTX = "compiled_from_ptx"
    GPU_NEWER_THAN_TOOLKIT = "gpu_newer_than_toolkit"
    BUILD_DEFAULT_ARCH = "build_default_arch"
    BUILD_NOT_IN_TABLE = "build_not_in_table"
    EXTENSION_CUDA_NOT_COVERED = "extension_cuda_not_covered"
    GPU_NOT_IN_TABLE = "gpu_not_in_table"
    # driver
    BACKWARD_COMPATIBLE = "backward"
    MINOR_COMPAT = "minor_compat"
    PTX_NEWER_THAN_DRIVER = "ptx_newer_than_driver"
    BELOW_MINOR_FLOOR = "below_minor_floor"
    NO_MINOR_COMPAT_BEFORE_11 = "no_minor_compat_before_11"
    FRAMEWORK_CUDA_NEWER_THAN_BASE = "framework_cuda_newer_than_base"
    FRAMEWORK_CUDA_OLDER_THAN_BASE = "framework_cuda_older_than_base"
    DRIVER_NOT_KNOWN = "driver_not_known"
    DRIVER_FLOOR_NOT_CONFIRMED = "driver_floor_not_confirmed"
    DRIVER_PATCH_NOT_KNOWN = "driver_patch_not_known"
    CUDA_AS_REPORTED = "cuda_as_reported"  # by the host, which may quote a foreign libcuda
    CUDA_NOT_EXACT = "cuda_not_exact"
    CUDA_NOT_IN_TABLE = "cuda_not_in_table"
    # the compat library
    COMPAT_PACKAGE = "compat_package"
    COMPAT_NOT_USED = "compat_not_used"
    COMPAT_NOT_KNOWN = "compat_not_known"
    COMPAT_NOT_ELIGIBLE = "compat_not_eligible"
    COMPAT_BRANCH_NOT_LISTED = "compat_branch_not_listed"
    COMPAT_BRANCH_DISPUTED = "compat_branch_disputed"
    COMPAT_ON_GEFORCE_804 = "compat_lib_on_geforce_804"
    COMPAT_FORCED_ON_NEWER_DRIVER_803 = "compat_lib_forced_on_newer_driver_803"
    # several hosts
    DEPENDS_ON_HOST = "depends_on_host"


class Fix(StrEnum):
    """What would help, most promising first."""

    NEWER_DRIVER = "newer_driver"
    INSTALL_DRIVER = "install_driver"  # the renter may
    OLDER_IMAGE = "older_image"
    DISABLE_REQUIRE = "disable_require"
    CORRECT_REQUIREMENT = "correct_requirement"
    NEWER_BUILD = "newer_build"
    OLDER_BUILD = "older_build"
    USE_CU126_BUILD = "use_cu126_build"
    OTHER_GPU = "other_gpu"
    SHIP_SASS = "ship_sass"  # machine code instead of PTX
    ARM64_IMAGE = "arm64_image"
    AMD64_IMAGE = "amd64_image"
    ROCM_IMAGE = "rocm_image"
    CUDA_IMAGE = "cuda_image"
    COMPAT_PACKAGE = "compat_package"
    NO_COMPAT_LIBRARY = "no_compat_library"
    UNFORCE_COMPAT_LIBRARY = "unforce_compat_library"


class Missing(StrEnum):
    """Facts that would settle it."""

    IMAGE_SOFTWARE = "image.software"
    IMAGE_CUDA = "image.cuda"
    IMAGE_KERNELS = "image.kernels"
    IMAGE_REQUIREMENTS = "image.requirements"
    IMAGE_COMPAT_DRIVER = "image.compat_driver"
    IMAGE_PLATFORMS = "image.platforms"
    HOST_GPU = "host.platform"
    HOST_DRIVER = "host.driver"
    HOST_CAPABILITY = "host.compute_capability"
    HOST_BRAND = "host.brand"
    HOST_CPU = "host.cpu"
    HOST_MODE = "host.mode"
    TOOLKIT_FACTS = "toolkit.driver"  # no table says what this CUDA needs


REASONS = frozenset(Reason)
FIXES = frozenset(Fix)
MISSING = frozenset(Missing)
