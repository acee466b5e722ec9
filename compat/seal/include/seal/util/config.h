// SPDX-License-Identifier: Apache-2.0
#pragma once

// The version of SEAL whose interface and files this library has, and the options of SEAL that are
// built in. The build reads the version from these lines.

#define SEAL_VERSION "4.4.3"
#define SEAL_VERSION_MAJOR 4
#define SEAL_VERSION_MINOR 4
#define SEAL_VERSION_PATCH 3

// Tell that files may be compressed by zlib and by Zstandard.
#define SEAL_USE_ZLIB
#define SEAL_USE_ZSTD

/// Tells that there are overloads for gsl::span: a program has them if it finds Microsoft's GSL.
#if __has_include(<gsl/span>)
#define SEAL_USE_MSGSL
#endif

/// Marks a name that SEAL 4 no longer has: the compiler refuses its use and names the replacement.
#define RINGLET_SEAL_GONE(replacement) __attribute__((unavailable(replacement)))

/// Tells that an Evaluator refuses transparent results. Programs that want these, as from a SEAL
/// that was configured with SEAL_THROW_ON_TRANSPARENT_CIPHERTEXT=OFF, define
/// RINGLET_SEAL_ALLOW_TRANSPARENT.
#ifdef RINGLET_SEAL_ALLOW_TRANSPARENT
#define RINGLET_SEAL_THROWS_ON_TRANSPARENT false
#else
#define RINGLET_SEAL_THROWS_ON_TRANSPARENT true
#define SEAL_THROW_ON_TRANSPARENT_CIPHERTEXT
#endif
