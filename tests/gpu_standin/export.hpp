// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Before a definition: an entry point of the library, by this very name.
#define STANDIN_EXPORT extern "C" __attribute__((visibility("default")))
