// SPDX-License-Identifier: Apache-2.0
#include "seal/serialization.h"

#include "frame_streams.hpp"

namespace ringlet::test {
namespace {

using seal::compr_mode_type;
using seal::SEALVersion;
using seal::Serialization;
using SEALHeader = Serialization::SEALHeader;

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// Saves an object whose only member is a text of known length.
std::streamoff save_text(const std::string& text, std::ostream& stream, compr_mode_type mode) {
  return Serialization::Save([&](std::ostream& out) { out << text; },
                             static_cast<std::streamoff>(16 + text.size()), stream, mode, false);
}

std::string text_file(const std::string& text, compr_mode_type mode) {
  std::ostringstream stream(std::ios::binary);
  save_text(text, stream, mode);
  return stream.str();
}

std::function<void(std::istream&, SEALVersion)> reader(std::string& text) {
  return [&text](std::istream& in, SEALVersion) {
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
  };
}

std::string load_text(std::istream& stream, std::size_t size, std::uint64_t limit = kNoLimit) {
  std::string text(size, '?');
  Serialization::Load(reader(text), stream, false, limit);
  return text;
}

std::string load_text(const std::string& file, std::size_t size, std::uint64_t limit = kNoLimit) {
  std::istringstream stream(file, std::ios::binary);
  return load_text(stream, size, limit);
}

std::string load_buffer(const std::string& file, std::size_t size) {
  const Bytes bytes = as_bytes(file);
  std::string text(size, '?');
  Serialization::Load(reader(text), bytes.data(), bytes.size(), true);
  return text;
}

std::string load_pipe(const std::string& file, std::size_t size) {
  Pipe pipe(file);
  std::istream stream(&pipe);
  return load_text(stream, size);
}

// The file with another size in its header.
std::string resized(std::string file, std::uint64_t size) {
  for (int i = 0; i < 8; ++i) file[8 + i] = static_cast<char>(size >> (8 * i));
  return file;
}

TEST(SealSerialization, ConstantsAreThoseOfTheFormat) {
  EXPECT_EQ(Serialization::seal_magic, 0xA15E);
  EXPECT_EQ(Serialization::seal_header_size, 16);
  EXPECT_EQ(Serialization::compr_mode_default, compr_mode_type::zstd);
  EXPECT_TRUE(Serialization::IsSupportedComprMode(compr_mode_type::zlib));
  for (const std::uint8_t mode : {0, 1, 2, 3, 255}) {
    EXPECT_EQ(Serialization::IsSupportedComprMode(mode), mode < 3);
  }
}

TEST(SealSerialization, EstimatesBoundTheSize) {
  const auto estimate = [](std::size_t size, int mode) {
    return Serialization::ComprSizeEstimate(size, static_cast<compr_mode_type>(mode));
  };
  EXPECT_EQ(estimate(0, 0), 0u);
  EXPECT_EQ(estimate(77, 0), 77u);
  for (const int mode : {1, 2}) {
    EXPECT_GT(estimate(77, mode), 77u);
    EXPECT_LOGIC_ERROR(estimate(std::numeric_limits<std::size_t>::max(), mode));
  }
  EXPECT_INVALID_ARGUMENT(estimate(1, 3));
  EXPECT_INVALID_ARGUMENT(estimate(1, 255));
}

TEST(SealSerialization, HeadersHaveTheirLayout) {
  SEALHeader header;
  header.compr_mode = compr_mode_type::zstd;
  header.size = 0x0102030405060708;
  Bytes buffer(17, std::byte{0xEE});
  EXPECT_EQ(Serialization::SaveHeader(header, buffer.data(), buffer.size()), 16);
  EXPECT_EQ(as_text(buffer), std::string("\x5e\xa1\x10\x04\x04\x02\0\0\x08\7\6\5\4\3\2\1\xee", 17));
  std::ostringstream stream;
  EXPECT_EQ(Serialization::SaveHeader(header, stream), 16);
  EXPECT_EQ(stream.str(), as_text(buffer).substr(0, 16));

  SEALHeader loaded;
  std::istringstream input(stream.str() + "x");
  EXPECT_EQ(Serialization::LoadHeader(input, loaded), 16);
  EXPECT_EQ(loaded.size, header.size);
  EXPECT_EQ(loaded.compr_mode, compr_mode_type::zstd);
  EXPECT_TRUE(Serialization::IsValidHeader(loaded));
  EXPECT_EQ(input.get(), 'x');
}

TEST(SealSerialization, HeadersOfSeal34AreTranslated) {
  const Bytes old_form =
      as_bytes(std::string("\x5e\xa1\x00\x02\x64\x00\x00\x01\0\0\0\0\0\0\0\0", 16));
  SEALHeader header;
  EXPECT_EQ(Serialization::LoadHeader(old_form.data(), 16, header), 16);
  EXPECT_TRUE(Serialization::IsValidHeader(header));
  EXPECT_EQ(header.header_size, 16);
  EXPECT_EQ(header.version_major, 3);
  EXPECT_EQ(header.version_minor, 4);
  EXPECT_EQ(header.compr_mode, compr_mode_type::zstd);
  EXPECT_EQ(header.size, 0x01000064u);
  Serialization::LoadHeader(old_form.data(), 16, header, false);
  EXPECT_FALSE(Serialization::IsValidHeader(header));
  // Bytes in neither form are loaded unchanged, as an invalid header.
  for (const std::size_t byte : {0, 2, 3, 8, 15}) {
    Bytes damaged = old_form;
    damaged[byte] ^= std::byte{1};
    Serialization::LoadHeader(damaged.data(), 16, header);
    EXPECT_FALSE(Serialization::IsValidHeader(header)) << byte;
  }
}

TEST(SealSerialization, VersionsReachFrom34ToItsOwn) {
  const auto compatible = [](int major, int minor) {
    SEALHeader header;
    header.version_major = static_cast<std::uint8_t>(major);
    header.version_minor = static_cast<std::uint8_t>(minor);
    EXPECT_EQ(Serialization::IsValidHeader(header), Serialization::IsCompatibleVersion(header));
    return Serialization::IsCompatibleVersion(header);
  };
  EXPECT_FALSE(compatible(2, 4) || compatible(3, 3));
  EXPECT_TRUE(compatible(3, 4) && compatible(3, 255));
  EXPECT_TRUE(compatible(4, 0) && compatible(4, SEAL_VERSION_MINOR));
  EXPECT_FALSE(compatible(4, SEAL_VERSION_MINOR + 1) || compatible(5, 0));
}

TEST(SealSerialization, SavedVersionsAreThoseOfOneLayout) {
  for (const int minor : {0, SEAL_VERSION_MINOR + 1, 255}) {
    EXPECT_INVALID_ARGUMENT(Serialization::SetSavedVersion(static_cast<std::uint8_t>(minor)));
  }
}

TEST(SealSerialization, HeaderErrorsHaveTheirTypes) {
  SEALHeader header;
  std::byte buffer[16] = {};
  EXPECT_INVALID_ARGUMENT(Serialization::SaveHeader(header, nullptr, 16));
  EXPECT_INVALID_ARGUMENT(Serialization::SaveHeader(header, buffer, 15));
  EXPECT_INVALID_ARGUMENT(Serialization::LoadHeader(nullptr, 16, header));
  EXPECT_INVALID_ARGUMENT(Serialization::LoadHeader(buffer, 15, header));
  std::istringstream short_input("fifteen bytes..");
  EXPECT_RUNTIME_ERROR(Serialization::LoadHeader(short_input, header));
  EXPECT_TRUE(short_input.fail());
  std::ofstream closed;
  closed.setstate(std::ios::badbit);
  EXPECT_RUNTIME_ERROR(Serialization::SaveHeader(header, closed));
}

TEST(SealSerialization, FramesComeBackInStreamsAndBuffers) {
  const std::string zeros(1 << 20, '\0');
  for (const std::string& text : {std::string(), std::string("a"), zeros, zeros + "end"}) {
    for (const compr_mode_type mode : kModes) {
      const std::string file = text_file(text, mode);
      SEALHeader header;
      Serialization::LoadHeader(as_bytes(file).data(), file.size(), header);
      EXPECT_EQ(header.size, file.size());
      EXPECT_EQ(header.compr_mode, mode);
      EXPECT_LE(file.size(), 16 + Serialization::ComprSizeEstimate(text.size(), mode));
      EXPECT_EQ(load_text(file, text.size()), text);

      EXPECT_EQ(load_buffer(file + "tail", text.size()), text);

      Bytes buffer(file.size());
      const auto save = [&](std::size_t size) {
        return Serialization::Save([&](std::ostream& out) { out << text; }, 16 + std::ssize(text),
                                   buffer.data(), size, mode, true);
      };
      EXPECT_EQ(save(buffer.size()), std::ssize(file));
      EXPECT_EQ(as_text(buffer), file);
      if (buffer.size() > 16) {
        EXPECT_RUNTIME_ERROR(save(buffer.size() - 1));
      }
    }
  }
}

TEST(SealSerialization, StreamsAreLeftExactlyBehindTheObject) {
  std::string both;
  for (const compr_mode_type mode : kModes) both += text_file("first text", mode);
  both += "tail";
  Pipe pipe(both);
  std::istream unseekable(&pipe);
  std::istringstream seekable(both, std::ios::binary);
  for (std::istream* stream : {&unseekable, static_cast<std::istream*>(&seekable)}) {
    for (std::size_t i = 0; i < std::size(kModes); ++i) {
      EXPECT_EQ(load_text(*stream, 10), "first text");
    }
    std::string tail(4, '?');
    stream->read(tail.data(), 4);
    EXPECT_EQ(tail, "tail");
    EXPECT_TRUE(stream->good());
  }
  // This stream has other bytes in front, and cannot seek.
  Pipe sink;
  std::ostream out(&sink);
  out << "head";
  for (const compr_mode_type mode : kModes) save_text("first text", out, mode);
  EXPECT_EQ(sink.content() + "tail", "head" + both);
}

TEST(SealSerialization, MembersSeeTheVersionAndNestedObjects) {
  for (const compr_mode_type mode : kModes) {
    std::ostringstream stream(std::ios::binary);
    const auto save = [](std::ostream& out) {
      out << "ab";
      save_text("nested", out, compr_mode_type::none);
      out << 'c';
    };
    Serialization::Save(save, 16 + 2 + 22 + 1, stream, mode, false);
    std::string seen;
    const auto load = [&](std::istream& in, SEALVersion version) {
      EXPECT_EQ(version.major, 4);
      EXPECT_EQ(version.minor, SEAL_VERSION_MINOR);
      seen += static_cast<char>(in.peek());
      seen += static_cast<char>(in.get());
      seen += static_cast<char>(in.peek());
      seen += static_cast<char>(in.get());
      seen += load_text(in, 6);
      seen += static_cast<char>(in.get());
    };
    std::istringstream input(stream.str(), std::ios::binary);
    Serialization::Load(load, input, false);
    EXPECT_EQ(seen, "aabbnestedc");
  }
}

TEST(SealSerialization, SaveRefusesWhatDoesNotFitTheAnnouncement) {
  const auto save = [](std::streamoff raw_size, compr_mode_type mode) {
    std::ostringstream stream;
    Serialization::Save([](std::ostream& out) { out << "four"; }, raw_size, stream, mode, false);
  };
  for (const compr_mode_type mode : kModes) {
    save(20, mode);
    for (const std::streamoff size : {19, 21, 15, 0, -1}) EXPECT_LOGIC_ERROR(save(size, mode));
  }
  EXPECT_INVALID_ARGUMENT(save(20, static_cast<compr_mode_type>(3)));
  std::byte buffer[16];
  const auto save_nothing = [](std::byte* out, std::size_t size) {
    return Serialization::Save([](std::ostream&) {}, 16, out, size, compr_mode_type::none, false);
  };
  EXPECT_INVALID_ARGUMENT(save_nothing(nullptr, 16));
  EXPECT_INVALID_ARGUMENT(save_nothing(buffer, 15));
  EXPECT_EQ(save_nothing(buffer, 16), 16);
}

TEST(SealSerialization, FailuresOfStreamsAreRuntimeErrors) {
  for (const compr_mode_type mode : kModes) {
    std::ofstream full("/dev/full", std::ios::binary);
    EXPECT_RUNTIME_ERROR(save_text(std::string(100000, 'x'), full, mode));
    EXPECT_TRUE(full.fail());
  }
  // First a stream that throws by itself, then one that has ended.
  std::ofstream throwing("/dev/full", std::ios::binary);
  throwing.exceptions(std::ios::badbit | std::ios::failbit);
  EXPECT_RUNTIME_ERROR(save_text("text", throwing, compr_mode_type::none));
  std::istringstream ended;
  ended.get();
  EXPECT_RUNTIME_ERROR(load_text(ended, 1));
}

TEST(SealSerialization, DeclaredSizesAreNotTrusted) {
  for (const compr_mode_type mode : kModes) {
    const std::string file = text_file("some text", mode);
    const std::uint64_t size = file.size();
    for (const std::uint64_t wrong : {size + 1, kNoLimit >> 1}) {
      EXPECT_INVALID_ARGUMENT(load_text(resized(file, wrong), 9));
      EXPECT_INVALID_ARGUMENT(load_buffer(resized(file, wrong), 9));
      // Without seeking, the wrong size shows only at the end.
      const std::string thrown = thrown_by([&] { load_pipe(resized(file, wrong), 9); });
      EXPECT_TRUE(thrown == "logic_error" || thrown == "runtime_error") << thrown;
    }
    for (const std::uint64_t wrong : {std::uint64_t{0}, std::uint64_t{15}, size - 1, kNoLimit}) {
      EXPECT_LOGIC_ERROR(load_text(resized(file, wrong), 9)) << wrong;
    }
    // The header claims a tail for the object.
    EXPECT_LOGIC_ERROR(load_text(resized(file + "x", size + 1), 9));
    // The loader reads more or fewer members than the file has.
    EXPECT_LOGIC_ERROR(load_text(file, 10));
    EXPECT_LOGIC_ERROR(load_text(file, 8));
    // The file is cut, and the end of the input is not known before.
    EXPECT_RUNTIME_ERROR(load_pipe(file.substr(0, file.size() - 1), 9));
  }
}

TEST(SealSerialization, NestedObjectsStayInsideTheirContainer) {
  for (const compr_mode_type mode : kModes) {
    const std::string nested = resized(text_file("nested", compr_mode_type::none), 23);
    const std::string file = text_file(nested, mode) + "x";
    std::istringstream input(file, std::ios::binary);
    const auto load = [](std::istream& in, SEALVersion) { load_text(in, 7); };
    EXPECT_LOGIC_ERROR(Serialization::Load(load, input, false));
  }
}

TEST(SealSerialization, BadHeadersAreLogicErrors) {
  const std::string file = text_file("some text", compr_mode_type::none);
  for (const std::size_t byte : {0, 1, 2, 3, 5}) {
    std::string damaged = file;
    damaged[byte] = static_cast<char>(damaged[byte] ^ 1);
    EXPECT_LOGIC_ERROR(load_text(damaged, 9)) << byte;
    EXPECT_LOGIC_ERROR(load_buffer(damaged, 9)) << byte;
  }
  std::string newer = file;
  newer[4] = SEAL_VERSION_MINOR + 1;
  EXPECT_LOGIC_ERROR(load_text(newer, 9));
}

TEST(SealSerialization, UncompressedSizesAreBounded) {
  for (const compr_mode_type mode : kModes) {
    const std::string text(100000, 'z');
    const std::string file = text_file(text, mode);
    EXPECT_EQ(load_text(file, text.size(), 100016), text);
    EXPECT_LOGIC_ERROR(load_text(file, text.size(), 100015));
    EXPECT_LOGIC_ERROR(load_text(file, text.size(), 0));
  }
}

TEST(SealSerialization, DecompressionBombsAreErrors) {
  // Blocks of four bytes give 128 KiB each: 100 KiB expand to 3 GiB.
  std::string frame("\x28\xb5\x2f\xfd\x00\x68", 6);  // a window of 2^(10 + 13) = 8 MiB
  for (int block = 0; block < 25000; ++block) frame += std::string("\x02\x00\x10\x00", 4);
  frame += std::string("\x01\x00\x00", 3);
  std::string file = text_file("", compr_mode_type::zstd).substr(0, 16) + frame;
  file = resized(file, file.size());
  std::size_t taken = 0;
  const auto drain = [&](std::istream& in, SEALVersion) {
    std::string chunk(1 << 20, '?');
    for (;; taken += chunk.size()) in.read(chunk.data(), 1 << 20);
  };
  for (const std::string& bomb :
       {file, text_file(std::string(16 << 20, 'z'), compr_mode_type::zlib)}) {
    taken = 0;
    std::istringstream input(bomb, std::ios::binary);
    EXPECT_LOGIC_ERROR(Serialization::Load(drain, input, false));
    EXPECT_LE(taken, (std::size_t{1} << 20) + 64 * bomb.size());
  }
  // A caller that names a bound expects a large object.
  taken = 0;
  std::istringstream again(file, std::ios::binary);
  EXPECT_LOGIC_ERROR(Serialization::Load(drain, again, false, std::uint64_t{1} << 40));
  EXPECT_GE(taken, std::size_t{128} << 20);
  EXPECT_LE(taken, (std::size_t{128} << 20) + 64 * file.size());
}

TEST(SealSerialization, LargeWindowsAndForeignFramesAreErrors) {
  const std::string header = text_file("", compr_mode_type::zstd).substr(0, 16);
  const auto load = [&](const std::string& frame) {
    return load_text(resized(header + frame, 16 + frame.size()), 4);
  };
  const std::string block("\x21\x00\x00text", 7);
  const auto with_window = [&](char exponent) {
    return std::string("\x28\xb5\x2f\xfd\x00", 5) + static_cast<char>(exponent << 3) + block;
  };
  EXPECT_EQ(load(with_window(13)), "text");
  EXPECT_LOGIC_ERROR(load(with_window(14)));  // 16 MiB
  EXPECT_LOGIC_ERROR(load(with_window(31)));
  EXPECT_LOGIC_ERROR(load(with_window(13) + with_window(13)));  // a second frame
  EXPECT_LOGIC_ERROR(load(with_window(13) + "x"));
  EXPECT_LOGIC_ERROR(load(with_window(13).substr(0, 12)));
  EXPECT_LOGIC_ERROR(load(""));
  EXPECT_LOGIC_ERROR(load("not a frame of Zstandard"));
}

TEST(SealSerialization, ForeignStreamsOfZlibAreErrors) {
  const std::string file = text_file("text", compr_mode_type::zlib);
  const auto load = [&](const std::string& stream) {
    return load_text(resized(file.substr(0, 16) + stream, 16 + stream.size()), 4);
  };
  const std::string good = file.substr(16);
  EXPECT_EQ(load(good), "text");
  EXPECT_LOGIC_ERROR(load(good + good));
  EXPECT_LOGIC_ERROR(load(good + "x"));
  EXPECT_LOGIC_ERROR(load(good.substr(0, good.size() - 1)));  // without its whole checksum
  EXPECT_LOGIC_ERROR(load(good.substr(0, good.size() - 1) + '\xff'));
  EXPECT_LOGIC_ERROR(load(""));
  EXPECT_LOGIC_ERROR(load(good.substr(2)));               // without a header
  EXPECT_LOGIC_ERROR(load("\x88\x1c" + good.substr(2)));  // a window of 64 KiB
  EXPECT_LOGIC_ERROR(load("\x78\xbb" + good.substr(2)));  // with a dictionary
}

}  // namespace
}  // namespace ringlet::test
