// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Marks what the shared library exports; everything else is hidden.
#define RINGLET_API __attribute__((visibility("default")))

/// A function that never becomes a symbol of its own. Kernel units are compiled with flags of their
/// instruction set; a weak symbol from such a unit could replace the portable one at link time.
#define RINGLET_INLINE inline __attribute__((always_inline))
