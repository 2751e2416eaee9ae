"""Versions as images write them. Whatever is no version becomes "", never a guess."""

from __future__ import annotations

import re

_CUDA = re.compile(r"\d{1,3}\.\d{1,3}(?:\.\d{1,4}){0,2}")
_RELEASE = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,6}){0,4}[\w.!-]{0,40}(?:\+[\w.-]{1,60})?", re.ASCII)
_BACKEND = re.compile(r"cu(\d{2,4})")
_DRIVER = re.compile(r"\d{3}\.\d{1,3}(?:\.\d{1,3})?")


def cuda_version(text: str) -> str:
    """12.8, 12.8.1 or NGC's 13.2.0.046, surrounded by nothing."""
    return text if _CUDA.fullmatch(text) else ""


def driver_version(text: str) -> str:
    return text if _DRIVER.fullmatch(text) else ""


def release(text: str) -> str:
    """A release, its build behind a plus left out: 2.11.0a0 of 2.11.0a0+a6c236b."""
    return text.partition("+")[0] if _RELEASE.fullmatch(text) else ""


def minor(cuda: str) -> str:
    """12.8 of 12.8.1."""
    return ".".join(cuda.split(".")[:2])


def backend_cuda(backend: str) -> str:
    """12.8 of cu128, 12.8.1 of cu1281; "" for cu12, which names no minor, and for what is none."""
    match = _BACKEND.fullmatch(backend)
    if not match:
        return ""
    digits = match[1]
    if len(digits) == 2:
        return "" if digits.startswith("1") else f"{digits[0]}.{digits[1]}"
    return ".".join([digits[:2], *digits[2:]])


def of_package(text: str) -> str:
    """8.9.6.50 of libcudnn8=8.9.6.50-1+cuda11.8, 2.15.5 of 2.15.5-1: what is not Debian's own."""
    return release(text.rpartition("=")[2].partition("-")[0])
