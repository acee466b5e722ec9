// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>

#include "gpu/driver.hpp"

namespace ringlet::gpu {

/// Returns the program of `source` with `definitions` for a device: from this process, else from
/// the cache on disk, else compiled and put there. The folder is $RINGLET_CACHE_DIR, else ringlet
/// below $XDG_CACHE_HOME or ~/.cache. The disk is not used if there is no folder that can be
/// written, or if the driver keeps programs itself (DeviceProperties::keeps_programs). The name of
/// a file is the hash of source, definitions, prelude, device, driver and version of Ringlet. The
/// file has a hash of its own contents: a file that is damaged, or that the driver refuses, is
/// compiled again and replaced. Files are written under another name and renamed. Thread-safe.
/// @throws RuntimeError with the compiler's log.
std::shared_ptr<Module> build_module(DriverDevice& device, const std::string& source,
                                     std::span<const std::string> definitions);

}  // namespace ringlet::gpu
