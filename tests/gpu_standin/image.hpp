// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

// Text of kernels in the form in which the stand-in of NVRTC gives it to that of the driver.

namespace standin {

/// An ELF file of one section: its header, an empty section, and the one with the text.
struct Elf {
  unsigned char magic[16] = {0x7f, 'E', 'L', 'F'};
  std::uint16_t type = 0, machine = 190;
  std::uint32_t version = 0;
  std::uint64_t entry = 0, program_table = 0, section_table = 64;
  std::uint32_t generation = 0;
  std::uint16_t header_bytes = 64, program_bytes = 0, program_count = 0;
  std::uint16_t section_bytes = 64, section_count = 2, name_section = 0;
  struct Section {
    std::uint32_t name, type;
    std::uint64_t flags, address, offset, bytes;
    std::uint32_t link, info;
    std::uint64_t alignment, entry_bytes;
  } sections[2] = {};
};
static_assert(sizeof(Elf) == 3 * 64);

/// Makes an image for GPUs of `generation`, such as 90.
inline std::string make_elf(std::string_view text, unsigned generation) {
  Elf elf;
  elf.generation = generation;
  elf.sections[1].type = 1;
  elf.sections[1].offset = sizeof elf;
  elf.sections[1].bytes = text.size();
  return std::string(reinterpret_cast<const char*>(&elf), sizeof elf).append(text);
}

inline constexpr std::string_view kPtxMark = "// stand-in\n";

/// Makes an image as PTX would come: text, with a zero byte at its end.
inline std::string make_ptx(std::string_view text) {
  return std::string(kPtxMark).append(text).append(1, '\0');
}

struct Image {
  std::string text;         ///< The text of kernels.
  unsigned generation = 0;  ///< That of its GPUs; 0 for PTX.
};

/// Reads an image of either kind; nothing if it is none.
inline std::optional<Image> read_image(const void* image) {
  const auto* bytes = static_cast<const char*>(image);
  if (std::strncmp(bytes, kPtxMark.data(), kPtxMark.size()) == 0) {
    return Image{bytes + kPtxMark.size()};
  }
  Elf elf;
  if (std::strncmp(bytes, reinterpret_cast<const char*>(elf.magic), 4) != 0) return std::nullopt;
  const std::uint16_t machine = elf.machine;
  std::memcpy(&elf, bytes, sizeof elf);
  if (elf.machine != machine || elf.section_count != 2) return std::nullopt;
  return Image{std::string(bytes + elf.sections[1].offset, elf.sections[1].bytes), elf.generation};
}

}  // namespace standin
