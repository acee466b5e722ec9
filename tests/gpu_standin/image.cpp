// SPDX-License-Identifier: Apache-2.0
#include "gpu_standin/image.hpp"

#include <cstdint>
#include <cstring>

namespace standin {
namespace {

struct ElfHeader {
  unsigned char magic[16];
  std::uint16_t type, machine;
  std::uint32_t version;
  std::uint64_t entry, program_table, section_table;
  std::uint32_t flags;
  std::uint16_t header_bytes, program_bytes, program_count;
  std::uint16_t section_bytes, section_count, name_section;
};
static_assert(sizeof(ElfHeader) == 64);

struct ElfSection {
  std::uint32_t name, type;
  std::uint64_t flags, address, offset, bytes;
  std::uint32_t link, info;
  std::uint64_t alignment, entry_bytes;
};
static_assert(sizeof(ElfSection) == 64);

constexpr std::string_view kElfMagic =
    "\x7f"
    "ELF";
constexpr std::string_view kPtxMark = "// stand-in\n";
constexpr std::uint16_t kMachineCuda = 190;
constexpr std::uint32_t kProgramBits = 1;

}  // namespace

std::string make_elf(std::string_view text, unsigned generation) {
  ElfHeader header{};
  std::memcpy(header.magic, kElfMagic.data(), kElfMagic.size());
  header.machine = kMachineCuda;
  header.flags = generation;
  header.header_bytes = sizeof(ElfHeader);
  header.section_table = sizeof(ElfHeader);
  header.section_bytes = sizeof(ElfSection);
  header.section_count = 2;
  ElfSection sections[2]{};
  sections[1].type = kProgramBits;
  sections[1].offset = sizeof(ElfHeader) + sizeof sections;
  sections[1].bytes = text.size();
  std::string image(sizeof header + sizeof sections, '\0');
  std::memcpy(image.data(), &header, sizeof header);
  std::memcpy(image.data() + sizeof header, sections, sizeof sections);
  return image.append(text);
}

std::string make_ptx(std::string_view text) {
  return std::string(kPtxMark).append(text).append(1, '\0');
}

std::optional<Image> read_image(const void* image) {
  const auto* bytes = static_cast<const char*>(image);
  if (std::strncmp(bytes, kPtxMark.data(), kPtxMark.size()) == 0) {
    return Image{bytes + kPtxMark.size()};
  }
  if (std::strncmp(bytes, kElfMagic.data(), kElfMagic.size()) != 0) return std::nullopt;
  ElfHeader header{};
  std::memcpy(&header, bytes, sizeof header);
  if (header.machine != kMachineCuda || header.section_count != 2) return std::nullopt;
  ElfSection section{};
  std::memcpy(&section, bytes + header.section_table + sizeof section, sizeof section);
  return Image{std::string(bytes + section.offset, section.bytes), header.flags};
}

}  // namespace standin
