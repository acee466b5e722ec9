// SPDX-License-Identifier: Apache-2.0
#include "hw/karatsuba/bus/job_file.hpp"

#include <bit>
#include <cstddef>
#include <fstream>

#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/ring/cyclotomic.hpp"

namespace ringlet::hw::bus {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie");

constexpr std::uint64_t kMagic = 0x31626f6a73756272;  // "rbusjob1"
constexpr std::uint64_t kMostEncryptions = 1024;

[[noreturn]] void refuse(const std::string& path) {
  throw_runtime_error({"file of encryptions", path, "a whole file as write_job makes it",
                       "write it anew with hw_bus_job, where there is room"});
}

class Writer {
 public:
  explicit Writer(const std::string& path) : file_(path, std::ios::binary) {}
  template <class Number>
  void number(Number value) {
    file_.write(reinterpret_cast<const char*>(&value), sizeof(value));
  }
  template <class Numbers>
  void numbers(const Numbers& values) {
    for (const auto value : values) number(value);
  }
  void poly(const WidePoly& poly) {
    for (std::size_t w = 0; w < poly.word_count(); ++w) numbers(poly.plane(w));
  }
  bool is_good() { return file_.flush().good(); }

 private:
  std::ofstream file_;
};

class Reader {
 public:
  explicit Reader(const std::string& path) : file_(path, std::ios::binary) {}
  template <class Number>
  void number(Number& value) {
    file_.read(reinterpret_cast<char*>(&value), sizeof(value));
  }
  template <class Numbers>
  void numbers(Numbers& values, std::size_t count) {
    values.resize(count);
    for (auto& value : values) number(value);
  }
  void poly(WidePoly& poly, std::size_t degree, std::size_t words) {
    poly = WidePoly(degree, words);
    for (std::size_t w = 0; w < words; ++w) {
      for (std::uint64_t& word : poly.plane(w)) number(word);
    }
  }
  bool is_good() const { return file_.good(); }
  bool is_at_end() { return is_good() && file_.peek() == std::ifstream::traits_type::eof(); }

 private:
  std::ifstream file_;
};

}  // namespace

void write_job(const std::string& path, const Job& job) {
  Writer out(path);
  out.number(kMagic);
  out.number(job.index);
  out.number(std::uint64_t{job.encryptions.size()});
  out.numbers(job.key.modulus);
  out.numbers(job.key.message_bit);
  out.number(job.key.name);
  for (const WidePoly& poly : job.key.polys) out.poly(poly);
  out.numbers(job.secret_key);
  for (std::size_t i = 0; i < job.encryptions.size(); ++i) {
    const resident::Encryption& one = job.encryptions[i];
    out.number(one.key_name);
    out.numbers(one.u);
    out.numbers(one.message);
    for (const auto& noise : one.noise) out.numbers(noise);
    for (const WidePoly& poly : job.ciphertexts[i]) out.poly(poly);
  }
  if (!out.is_good()) refuse(path);
}

Job read_job(const std::string& path) {
  Reader in(path);
  Job job;
  std::uint64_t magic = 0, count = 0;
  in.number(magic);
  in.number(job.index);
  in.number(count);
  for (std::uint64_t& word : job.key.modulus) in.number(word);
  for (std::uint64_t& word : job.key.message_bit) in.number(word);
  in.number(job.key.name);
  if (!in.is_good() || magic != kMagic || count > kMostEncryptions) refuse(path);
  const std::size_t degree = CyclotomicPolynomial(job.index).degree();
  const std::size_t words = WideModulus(job.key.modulus).word_count();
  for (WidePoly& poly : job.key.polys) in.poly(poly, degree, words);
  in.numbers(job.secret_key, degree);
  job.encryptions.resize(count);
  job.ciphertexts.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    resident::Encryption& one = job.encryptions[i];
    in.number(one.key_name);
    in.numbers(one.u, degree);
    in.numbers(one.message, degree);
    for (auto& noise : one.noise) in.numbers(noise, degree);
    for (WidePoly& poly : job.ciphertexts[i]) in.poly(poly, degree, words);
  }
  if (!in.is_at_end()) refuse(path);
  return job;
}

}  // namespace ringlet::hw::bus
