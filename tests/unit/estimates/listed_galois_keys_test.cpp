// SPDX-License-Identifier: Apache-2.0
// Galois keys of the elements that a circuit lists: these alone are made, saved with seeds in the
// bytes that are foretold, and read one by one when they are used.
#include <istream>
#include <streambuf>

#include "ringlet/object_sizes.hpp"
#include "ringlet/ringlet.hpp"
#include "rlwe/serialization/layout.hpp"
#include "support/test.hpp"
#include "unit/rlwe/serialization_support.hpp"

namespace ringlet::test {
namespace {

constexpr std::size_t kDegree = 64;

/// A file in memory that counts the bytes that are read from it.
class CountingBuffer : public std::streambuf {
 public:
  explicit CountingBuffer(std::string bytes) : bytes_(std::move(bytes)) {}
  std::size_t read_bytes() const { return read_; }

 protected:
  std::streamsize xsgetn(char* target, std::streamsize count) override {
    const auto size = std::min(static_cast<std::size_t>(count), bytes_.size() - position_);
    bytes_.copy(target, size, position_);
    position_ += size;
    read_ += size;
    return static_cast<std::streamsize>(size);
  }
  int_type underflow() override {
    return position_ < bytes_.size() ? traits_type::to_int_type(bytes_[position_])
                                     : traits_type::eof();
  }
  int_type uflow() override {
    const int_type next = underflow();
    if (next != traits_type::eof()) {
      ++position_;
      ++read_;
    }
    return next;
  }
  pos_type seekoff(off_type offset, std::ios::seekdir from, std::ios::openmode) override {
    const off_type base = from == std::ios::beg   ? 0
                          : from == std::ios::cur ? static_cast<off_type>(position_)
                                                  : static_cast<off_type>(bytes_.size());
    return seekpos(base + offset, std::ios::in);
  }
  pos_type seekpos(pos_type position, std::ios::openmode) override {
    position_ = static_cast<std::size_t>(static_cast<off_type>(position));
    return position;
  }

 private:
  std::string bytes_;
  std::size_t position_ = 0;
  std::size_t read_ = 0;
};

/// A stream on such a file.
class CountingStream : public std::istream {
 public:
  explicit CountingStream(std::string bytes) : std::istream(nullptr), buffer_(std::move(bytes)) {
    rdbuf(&buffer_);
  }
  std::size_t read_bytes() const { return buffer_.read_bytes(); }

 private:
  CountingBuffer buffer_;
};

class ListedGaloisKeys : public ::testing::TestWithParam<SchemeType> {};

INSTANTIATE_TEST_SUITE_P(Schemes, ListedGaloisKeys, ::testing::ValuesIn(kSchemes),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST_P(ListedGaloisKeys, AreMadeSavedAndReadOneByOne) {
  const Objects objects(GetParam(), kDegree);
  const Context& context = objects.context;
  const EncryptionParameters& parms = context.parms();
  const RingSpec& ring = context.ring();
  // In no order, and one of them twice.
  const std::vector<std::uint64_t> listed{
      ring.conjugation_element(), ring.galois_element_from_step(7),
      ring.galois_element_from_step(-3), ring.galois_element_from_step(7)};
  const GaloisKeys made = objects.keygen.create_galois_keys_for_elements(listed);
  ASSERT_EQ(made.size(), 3u);
  for (const std::uint64_t element : listed) EXPECT_TRUE(made.has_key(element));
  const FileBytes bytes = save(made);
  const ObjectSizes sizes = galois_keys_size(parms, made.size());
  EXPECT_EQ(bytes.size(), sizes.saved_seeded);
  EXPECT_LT(sizes.saved_seeded, sizes.saved * 6 / 10);

  const auto stream = std::make_shared<CountingStream>(as_text(bytes));
  const GaloisKeys opened = open_galois_keys(context, stream);
  EXPECT_EQ(opened.galois_elements(), made.galois_elements());
  const std::size_t directory = rlwe::frame_bytes(rlwe::directory_bytes(3));
  const std::size_t each = (bytes.size() - directory) / 3;
  EXPECT_EQ(each, rlwe::frame_bytes(rlwe::key_bytes(parms.digit_count(),
                                                    parms.coeff_modulus().size(), kDegree, true)));
  EXPECT_EQ(stream->read_bytes(), directory) << "keys that nobody asked for";
  std::size_t used = 0;
  for (const std::uint64_t element : {listed[2], listed[2], listed[0]}) {
    Ciphertext expected;
    Ciphertext found;
    objects.evaluator.apply_galois(objects.encrypted, element, made, expected);
    objects.evaluator.apply_galois(objects.encrypted, element, opened, found);
    EXPECT_TRUE(same(found, expected));
    used = element == listed[0] ? 2 : 1;
    EXPECT_EQ(stream->read_bytes(), directory + used * each) << "each key is read once";
  }
  // A rotation that is not listed needs keys that are not there, and reads none.
  Ciphertext rotated;
  EXPECT_THROW(objects.evaluator.apply_galois(objects.encrypted, ring.galois_element_from_step(1),
                                              opened, rotated),
               InvalidArgument);
  EXPECT_EQ(stream->read_bytes(), directory + used * each);
}

// No element, no key: the set is there and empty.
TEST_P(ListedGaloisKeys, AnEmptyListGivesAnEmptySet) {
  const Objects objects(GetParam(), kDegree);
  const GaloisKeys made = objects.keygen.create_galois_keys_for_elements({});
  const FileBytes bytes = save(made);
  EXPECT_EQ(bytes.size(), galois_keys_size(objects.context.parms(), 0).saved_seeded);
  const GaloisKeys opened =
      open_galois_keys(objects.context, std::make_shared<CountingStream>(as_text(bytes)));
  EXPECT_EQ(opened.size(), 0u);
  EXPECT_EQ(opened.parms_id(), made.parms_id());
}

}  // namespace
}  // namespace ringlet::test
