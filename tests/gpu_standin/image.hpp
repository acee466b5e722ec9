// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace standin {

/// The text of kernels as an ELF file of one section, for GPUs of `generation`, such as 90, in
/// which the stand-in of NVRTC hands it to the stand-in of the driver.
std::string make_elf(std::string_view text, unsigned generation);
/// The same as PTX would come: text, with a zero byte at its end.
std::string make_ptx(std::string_view text);

struct Image {
  std::string text;         ///< Of kernels.
  unsigned generation = 0;  ///< That it is for; 0 for PTX.
};
/// What is in an image of either kind; nothing if it is none.
std::optional<Image> read_image(const void* image);

}  // namespace standin
