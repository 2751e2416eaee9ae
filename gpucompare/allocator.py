"""What a process has let go goes back to the system, where its C library can be told so (glibc).

Arrays are cut out of heaps, of which there is one for nearly every thread. Freed they stay with
their heap, for the next array of that thread; and whatever large one is freed makes the library
take larger ones from heaps, too. (https://man7.org/linux/man-pages/man3/mallopt.3.html)
"""

from __future__ import annotations

import ctypes
import time
from typing import Final

_LIBRARY: Final = ctypes.CDLL(None)
_MB: Final = 1024 * 1024
# Options of malloc.h, and what is told of each.
_TOLD: Final = {
    -8: 2,  # M_ARENA_MAX: hardly two threads allocate at once, for want of the interpreter's lock
    -3: 2 * _MB,  # M_MMAP_THRESHOLD: a larger array is no part of a heap
    -1: 8 * _MB,  # M_TRIM_THRESHOLD: so much a heap keeps for whoever comes next
}
# Giving back takes milliseconds, and so does asking for it again.
_EVERY_S: Final = 5.0


def few_heaps() -> None:
    """From now on."""
    if tell := getattr(_LIBRARY, "mallopt", None):
        for option, value in _TOLD.items():
            tell(option, value)


def give_back() -> None:
    """All whole pages that are free in any heap."""
    if trim := getattr(_LIBRARY, "malloc_trim", None):
        trim(0)


def give_back_regularly() -> None:
    """For as long as the process lives."""
    while True:
        time.sleep(_EVERY_S)
        give_back()
