// SPDX-License-Identifier: Apache-2.0
/// Compiler-facing definitions: the macros of the mathematics.
#pragma once
#include "tandem/requires_cxx20.hpp"

/// Functions that run on the host and, under nvcc, on the device as well. Always inlined: an algorithm is one
/// page of small operators, and a call left among them costs a sixth of its time (clang 19, inverse dynamics
/// and mass matrix). TANDEM_INLINE asks the same of a lambda. Not so in Debug and sanitizer builds, which would take
/// minutes and gigabytes a file. TANDEM_PASS marks a loop over all links that an algorithm runs more than once: on the
/// processor it stands once, as a function; a source of CUDA may say otherwise before. TANDEM_STEP marks a function of
/// one link that is called, compiled once for a number type; TANDEM_PURE_STEP one that does nothing but return a value.
/// TANDEM_UNROLLED stands before a loop over rows or columns of a small matrix that compilers would go through in
/// memory.
#if defined(__CUDACC__)
#define TANDEM_HD __host__ __device__ __forceinline__
#define TANDEM_INLINE
#ifndef TANDEM_PASS
#define TANDEM_PASS TANDEM_HD
#endif
#define TANDEM_STEP __host__ __device__ __noinline__
#define TANDEM_PURE_STEP TANDEM_STEP
#define TANDEM_UNROLLED _Pragma("unroll")
#elif defined(NDEBUG)
#define TANDEM_HD __attribute__((always_inline)) inline
#define TANDEM_INLINE __attribute__((always_inline))
#define TANDEM_PASS __attribute__((noinline))
#define TANDEM_STEP __attribute__((noinline))
#define TANDEM_PURE_STEP __attribute__((noinline, pure))
#define TANDEM_UNROLLED _Pragma("GCC unroll 8")
#else
#define TANDEM_HD inline
#define TANDEM_INLINE
#define TANDEM_PASS inline
#define TANDEM_STEP inline
#define TANDEM_PURE_STEP inline
#define TANDEM_UNROLLED
#endif

/// Name of the inline namespace that holds the mathematics: one for each instruction set that the library has kernels
/// for, one for the rest of the library, and `user` for code of others, whatever flags it is compiled with. So the
/// linker never mixes two copies of one inline function.
#ifndef TANDEM_ISA
#define TANDEM_ISA user
#endif
