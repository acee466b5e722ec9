// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <vector>

#include "rows.hpp"

namespace ringlet::bench {

/// The rows of one interface. `Api` names its classes and hides where their calls differ. Both
/// interfaces run the same source, so objects are reused in the same way.
template <typename Api>
class RowsOf final : public SealRows {
  using Ciphertext = typename Api::Ciphertext;
  using Plaintext = typename Api::Plaintext;

 public:
  RowsOf(SealScheme scheme, std::size_t degree)
      : degree_(degree),
        is_ckks_(scheme == SealScheme::ckks),
        context_(Api::context(scheme, degree, degree < kLeastForKeys ? 14 : 20)),
        keygen_(context_),
        public_key_(created_public_key()),
        encryptor_(context_, public_key_, keygen_.secret_key()),
        decryptor_(context_, keygen_.secret_key()),
        evaluator_(context_),
        transform_(context_, degree) {
    if (is_ckks_) {
      ckks_.emplace(context_);
    } else {
      batch_.emplace(context_);
    }
    make_operands();
    for (const Row& row : all_rows()) {
      const bool is_of_scheme = (row.schemes & (1U << static_cast<unsigned>(scheme))) != 0;
      if (is_of_scheme && degree >= row.least_degree) rows_.push_back(&row);
    }
  }

  std::size_t size() const override { return rows_.size(); }
  const char* name(std::size_t row) const override { return rows_[row]->name; }

  bool is_right(std::size_t index) override {
    const Row& row = *rows_[index];
    // Otherwise an earlier result could pass for this one.
    result_ = long_ = Ciphertext();
    plain_ = Plaintext();
    std::fill(reals_.begin(), reals_.end(), 0.0);
    std::fill(integers_.begin(), integers_.end(), 0);
    if (row.source != nullptr) work_ = this->*row.source;
    row.run(*this);
    return row.is_right(*this);
  }

  double time(std::size_t index, std::int64_t calls) override {
    using Clock = std::chrono::steady_clock;
    const Row& row = *rows_[index];
    std::chrono::duration<double, std::micro> total{};
    const std::int64_t at_once = row.source == nullptr ? calls : 1;
    // Other rows and interfaces have filled the caches: the first call is not timed.
    if (row.source != nullptr) work_ = this->*row.source;
    row.run(*this);
    for (std::int64_t done = 0; done < calls; done += at_once) {
      if (row.source != nullptr) work_ = this->*row.source;
      const auto start = Clock::now();
      for (std::int64_t i = 0; i < at_once; ++i) row.run(*this);
      total += Clock::now() - start;
    }
    return total.count() / static_cast<double>(calls);
  }

 private:
  /// One prime of 27 bits has no room for a product, and key switching needs a second prime.
  static constexpr std::size_t kLeastForProducts = 2048;
  static constexpr std::size_t kLeastForKeys = 4096;
  static constexpr unsigned kBfv = 1, kIntegers = 3, kCkks = 4, kAll = 7;
  static constexpr double kTolerance = 1.0 / 32;

  /// `run` works on `work_`, a copy of `source`, or has no source and writes another object.
  struct Row {
    const char* name;
    unsigned schemes;
    std::size_t least_degree;
    const Ciphertext RowsOf::* source;
    void (*run)(RowsOf&);
    bool (*is_right)(RowsOf&);
  };

  enum class Slots { x, minus_x, sum, difference, product, square, rotated, conjugate };

  static const std::vector<Row>& all_rows() {
    static const std::vector<Row> kRows = [] {
      std::vector<Row> rows = key_rows();
      for (const auto& more :
           {coding_rows(), linear_rows(), product_rows(), switching_rows(), transform_rows()}) {
        rows.insert(rows.end(), more.begin(), more.end());
      }
      return rows;
    }();
    return kRows;
  }

  static std::vector<Row> key_rows() {
    return {
        {"KeyGenSecret", kAll, 0, nullptr, [](RowsOf& m) { m.made_.emplace(m.context_); },
         [](RowsOf& m) {
           typename Api::Encryptor(m.context_, m.made_->secret_key())
               .encrypt_symmetric(m.plain_x_, m.result_);
           typename Api::Decryptor(m.context_, m.made_->secret_key()).decrypt(m.result_, m.plain_);
           return m.shows(Slots::x);
         }},
        {"KeyGenPublic", kAll, 0, nullptr,
         [](RowsOf& m) { m.keygen_.create_public_key(m.public_key_); },
         [](RowsOf& m) {
           typename Api::Encryptor(m.context_, m.public_key_).encrypt(m.plain_x_, m.result_);
           return result_shows<Slots::x>(m);
         }},
        {"KeyGenRelin", kAll, kLeastForKeys, nullptr,
         [](RowsOf& m) { m.keygen_.create_relin_keys(m.relin_keys_); },
         [](RowsOf& m) {
           m.evaluator_.relinearize(m.product_, m.relin_keys_, m.result_);
           return result_shows<Slots::product>(m);
         }},
        {"KeyGenGalois", kAll, kLeastForKeys, nullptr,
         [](RowsOf& m) { m.keygen_.create_galois_keys(std::vector<int>{1}, m.rotation_keys_); },
         [](RowsOf& m) {
           m.rotate(m.x_, m.result_);
           return result_shows<Slots::rotated>(m);
         }},
    };
  }

  static std::vector<Row> coding_rows() {
    const auto encode = [](RowsOf& m) { m.encode(m.reals_x_, m.integers_x_, m.plain_); };
    const auto decode = [](RowsOf& m) { m.decode(m.plain_x_); };
    const auto plain_is_x = [](RowsOf& m) { return m.shows(Slots::x); };
    const auto slots_are_x = [](RowsOf& m) { return m.has_slots(Slots::x); };
    return {
        {"EncryptSecret", kAll, 0, nullptr,
         [](RowsOf& m) { m.encryptor_.encrypt_symmetric(m.plain_x_, m.result_); },
         &result_shows<Slots::x>},
        {"EncryptPublic", kAll, 0, nullptr,
         [](RowsOf& m) { m.encryptor_.encrypt(m.plain_x_, m.result_); }, &result_shows<Slots::x>},
        {"Decrypt", kAll, 0, nullptr, [](RowsOf& m) { m.decryptor_.decrypt(m.x_, m.plain_); },
         plain_is_x},
        {"EncodeBatch", kIntegers, 0, nullptr, encode, plain_is_x},
        {"DecodeBatch", kIntegers, 0, nullptr, decode, slots_are_x},
        {"EncodeDouble", kCkks, 0, nullptr, encode, plain_is_x},
        {"DecodeDouble", kCkks, 0, nullptr, decode, slots_are_x},
    };
  }

  static std::vector<Row> linear_rows() {
    return {
        into<Slots::minus_x>("EvaluateNegate",
                             [](RowsOf& m) { m.evaluator_.negate(m.x_, m.result_); }),
        in_place<Slots::minus_x>("EvaluateNegateInplace",
                                 [](RowsOf& m) { m.evaluator_.negate_inplace(m.work_); }),
        into<Slots::sum>("EvaluateAddCt",
                         [](RowsOf& m) { m.evaluator_.add(m.x_, m.y_, m.result_); }),
        in_place<Slots::sum>("EvaluateAddCtInplace",
                             [](RowsOf& m) { m.evaluator_.add_inplace(m.work_, m.y_); }),
        into<Slots::sum>("EvaluateAddPt",
                         [](RowsOf& m) { m.evaluator_.add_plain(m.x_, m.plain_y_, m.result_); }),
        in_place<Slots::sum>(
            "EvaluateAddPtInplace",
            [](RowsOf& m) { m.evaluator_.add_plain_inplace(m.work_, m.plain_y_); }),
        into<Slots::difference>("EvaluateSubCt",
                                [](RowsOf& m) { m.evaluator_.sub(m.x_, m.y_, m.result_); }),
        in_place<Slots::difference>("EvaluateSubCtInplace",
                                    [](RowsOf& m) { m.evaluator_.sub_inplace(m.work_, m.y_); }),
        into<Slots::difference>(
            "EvaluateSubPt",
            [](RowsOf& m) { m.evaluator_.sub_plain(m.x_, m.plain_y_, m.result_); }),
        in_place<Slots::difference>(
            "EvaluateSubPtInplace",
            [](RowsOf& m) { m.evaluator_.sub_plain_inplace(m.work_, m.plain_y_); }),
    };
  }

  static std::vector<Row> product_rows() {
    constexpr std::size_t kLeast = kLeastForProducts;
    return {
        {"EvaluateMulCt", kAll, kLeast, nullptr,
         [](RowsOf& m) { m.evaluator_.multiply(m.x_, m.y_, m.long_); },
         &shows_object<&RowsOf::long_, Slots::product>},
        in_place<Slots::product>(
            "EvaluateMulCtInplace", [](RowsOf& m) { m.evaluator_.multiply_inplace(m.work_, m.y_); },
            kLeast),
        into<Slots::product>(
            "EvaluateMulPt",
            [](RowsOf& m) { m.evaluator_.multiply_plain(m.x_, m.plain_y_, m.result_); }, kLeast),
        in_place<Slots::product>(
            "EvaluateMulPtInplace",
            [](RowsOf& m) { m.evaluator_.multiply_plain_inplace(m.work_, m.plain_y_); }, kLeast),
        {"EvaluateSquare", kAll, kLeast, nullptr,
         [](RowsOf& m) { m.evaluator_.square(m.x_, m.long_); },
         &shows_object<&RowsOf::long_, Slots::square>},
        in_place<Slots::square>(
            "EvaluateSquareInplace", [](RowsOf& m) { m.evaluator_.square_inplace(m.work_); },
            kLeast),
    };
  }

  static std::vector<Row> switching_rows() {
    constexpr std::size_t kLeast = kLeastForKeys;
    const auto rotate = [](RowsOf& m) { m.rotate(m.x_, m.result_); };
    const auto rotate_inplace = [](RowsOf& m) { m.rotate(m.work_, m.work_); };
    const auto conjugate = [](RowsOf& m) { m.conjugate(m.x_, m.result_); };
    const auto conjugate_inplace = [](RowsOf& m) { m.conjugate(m.work_, m.work_); };
    return {
        in_place<Slots::x>(
            "EvaluateModSwitchInplace",
            [](RowsOf& m) { m.evaluator_.mod_switch_to_next_inplace(m.work_); }, kLeast),
        in_place<Slots::product>(
            "EvaluateRescaleInplace",
            [](RowsOf& m) { m.evaluator_.rescale_to_next_inplace(m.work_); }, kLeast, kCkks,
            &RowsOf::scaled_),
        in_place<Slots::product>(
            "EvaluateRelinInplace",
            [](RowsOf& m) { m.evaluator_.relinearize_inplace(m.work_, m.relin_keys_); }, kLeast,
            kAll, &RowsOf::product_),
        into<Slots::rotated>("EvaluateRotateRows", rotate, kLeast, kIntegers),
        in_place<Slots::rotated>("EvaluateRotateRowsInplace", rotate_inplace, kLeast, kIntegers),
        into<Slots::conjugate>("EvaluateRotateCols", conjugate, kLeast, kIntegers),
        in_place<Slots::conjugate>("EvaluateRotateColsInplace", conjugate_inplace, kLeast,
                                   kIntegers),
        into<Slots::rotated>("EvaluateRotateVector", rotate, kLeast, kCkks),
        in_place<Slots::rotated>("EvaluateRotateVectorInplace", rotate_inplace, kLeast, kCkks),
        into<Slots::conjugate>("EvaluateConjugate", conjugate, kLeast, kCkks),
        in_place<Slots::conjugate>("EvaluateConjugateInplace", conjugate_inplace, kLeast, kCkks),
    };
  }

  // Transforms of ciphertexts, and of one polynomial modulo the first prime.
  static std::vector<Row> transform_rows() {
    return {
        {"NTTForward", kBfv, kLeastForProducts, &RowsOf::x_,
         [](RowsOf& m) { m.evaluator_.transform_to_ntt_inplace(m.work_); },
         // A product in the NTT form is one only of true transforms.
         [](RowsOf& m) {
           m.evaluator_.transform_to_ntt(m.plain_y_, m.work_.parms_id(), m.plain_);
           m.evaluator_.multiply_plain_inplace(m.work_, m.plain_);
           m.evaluator_.transform_from_ntt(m.work_, m.result_);
           return result_shows<Slots::product>(m);
         }},
        in_place<Slots::x>(
            "NTTInverse", [](RowsOf& m) { m.evaluator_.transform_from_ntt_inplace(m.work_); },
            kLeastForProducts, kBfv, &RowsOf::transformed_),
        {"NTTForwardLowLevel", kBfv, 0, nullptr,
         [](RowsOf& m) { m.transform_.forward(m.words_.data()); },
         [](RowsOf& m) { return m.transforms_products(); }},
        {"NTTInverseLowLevel", kBfv, 0, nullptr,
         [](RowsOf& m) { m.transform_.inverse(m.words_.data()); },
         [](RowsOf& m) { return m.transforms_products(); }},
    };
  }

  using Run = void (*)(RowsOf&);

  template <Slots kSlots>
  static Row into(const char* name, Run run, std::size_t least = 0, unsigned schemes = kAll) {
    return {name, schemes, least, nullptr, run, &result_shows<kSlots>};
  }
  template <Slots kSlots>
  static Row in_place(const char* name, Run run, std::size_t least = 0, unsigned schemes = kAll,
                      const Ciphertext RowsOf::* source = &RowsOf::x_) {
    return {name, schemes, least, source, run, &shows_object<&RowsOf::work_, kSlots>};
  }

  template <Ciphertext RowsOf::* kObject, Slots kSlots>
  static bool shows_object(RowsOf& m) {
    m.decryptor_.decrypt(m.*kObject, m.plain_);
    return m.shows(kSlots);
  }
  template <Slots kSlots>
  static bool result_shows(RowsOf& m) {
    return shows_object<&RowsOf::result_, kSlots>(m);
  }

  typename Api::PublicKey created_public_key() {
    typename Api::PublicKey key;
    keygen_.create_public_key(key);
    return key;
  }

  void make_operands() {
    const std::uint64_t t = is_ckks_ ? 0 : Api::plain_modulus(context_);
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < 2 * degree_; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      auto& reals = i < degree_ ? reals_x_ : reals_y_;
      auto& integers = i < degree_ ? integers_x_ : integers_y_;
      if (i % degree_ < degree_ / 2) {
        reals.push_back(std::ldexp(static_cast<double>(state >> 33U), -30) - 1);
      }
      if (!is_ckks_) integers.push_back((state >> 33U) % t);
    }
    for (std::uint64_t i = 0; i < degree_; ++i) words_.push_back((i * i + 1) % 1009);
    reals_.resize(degree_ / 2);
    encode(reals_x_, integers_x_, plain_x_);
    encode(reals_y_, integers_y_, plain_y_);
    encryptor_.encrypt(plain_x_, x_);
    encryptor_.encrypt(plain_y_, y_);
    if (degree_ >= kLeastForProducts) {
      evaluator_.multiply(x_, y_, product_);
      if (!x_.is_ntt_form()) evaluator_.transform_to_ntt(x_, transformed_);
    }
    if (degree_ < kLeastForKeys) return;
    keygen_.create_relin_keys(relin_keys_);
    keygen_.create_galois_keys(std::vector<int>{1}, rotation_keys_);
    keygen_.create_galois_keys(std::vector<int>{0}, conjugation_keys_);
    evaluator_.relinearize(product_, relin_keys_, scaled_);
  }

  double scale() const {
    return std::ldexp(1.0, degree_ == 1024 ? 20 : degree_ == 2048 ? 25 : degree_ == 4096 ? 30 : 40);
  }

  void encode(const std::vector<double>& reals, const std::vector<std::uint64_t>& integers,
              Plaintext& plain) {
    is_ckks_ ? ckks_->encode(reals, scale(), plain) : batch_->encode(integers, plain);
  }
  void decode(const Plaintext& plain) {
    is_ckks_ ? ckks_->decode(plain, reals_) : batch_->decode(plain, integers_);
  }
  void rotate(const Ciphertext& a, Ciphertext& destination) {
    is_ckks_ ? evaluator_.rotate_vector(a, 1, rotation_keys_, destination)
             : evaluator_.rotate_rows(a, 1, rotation_keys_, destination);
  }
  void conjugate(const Ciphertext& a, Ciphertext& destination) {
    is_ckks_ ? evaluator_.complex_conjugate(a, conjugation_keys_, destination)
             : evaluator_.rotate_columns(a, conjugation_keys_, destination);
  }

  bool shows(Slots slots) {
    decode(plain_);
    return has_slots(slots);
  }

  /// Slot i of the expected result. `t` makes differences of integers positive.
  template <typename T>
  T expected(Slots slots, const std::vector<T>& x, const std::vector<T>& y, T t,
             std::size_t i) const {
    const std::size_t row = is_ckks_ ? x.size() : x.size() / 2;
    switch (slots) {
      case Slots::x:
        return x[i];
      case Slots::minus_x:
        return t - x[i];
      case Slots::sum:
        return x[i] + y[i];
      case Slots::difference:
        return t + x[i] - y[i];
      case Slots::product:
        return x[i] * y[i];
      case Slots::square:
        return x[i] * x[i];
      case Slots::rotated:
        return x[i / row * row + (i + 1) % row];
      default:
        return x[is_ckks_ ? i : (i + row) % x.size()];
    }
  }

  bool has_slots(Slots slots) const {
    if (!is_ckks_) {
      const std::uint64_t t = Api::plain_modulus(context_);
      if (integers_.size() != degree_) return false;
      for (std::size_t i = 0; i < degree_; ++i) {
        if (integers_[i] != expected(slots, integers_x_, integers_y_, t, i) % t) return false;
      }
      return true;
    }
    if (reals_.size() != degree_ / 2) return false;
    for (std::size_t i = 0; i < reals_.size(); ++i) {
      const double wanted = expected(slots, reals_x_, reals_y_, 0.0, i);
      // With this comparison NaN is wrong.
      if (!(std::abs(reals_[i] - wanted) <= kTolerance)) return false;
    }
    return true;
  }

  /// Whether transforms turn the negacyclic product by X into products of values.
  bool transforms_products() {
    const std::uint64_t q = transform_.modulus();
    std::vector<std::uint64_t> a(degree_), x(degree_), product(degree_), shifted(degree_);
    for (std::uint64_t i = 0; i < degree_; ++i) a[i] = i * i % 1009;
    x[1] = 1;
    shifted[0] = (q - a[degree_ - 1]) % q;
    std::copy(a.begin(), a.end() - 1, shifted.begin() + 1);
    transform_.forward(a.data());
    transform_.forward(x.data());
    for (std::size_t i = 0; i < degree_; ++i) {
      product[i] = static_cast<std::uint64_t>(static_cast<unsigned __int128>(a[i]) * x[i] % q);
    }
    transform_.inverse(product.data());
    return product == shifted;
  }

  std::size_t degree_;
  bool is_ckks_;
  std::vector<const Row*> rows_;

  typename Api::Context context_;
  typename Api::KeyGenerator keygen_;
  typename Api::PublicKey public_key_;
  typename Api::RelinKeys relin_keys_;
  typename Api::GaloisKeys rotation_keys_, conjugation_keys_;
  typename Api::Encryptor encryptor_;
  typename Api::Decryptor decryptor_;
  typename Api::Evaluator evaluator_;
  typename Api::Transform transform_;
  std::optional<typename Api::KeyGenerator> made_;
  std::optional<typename Api::BatchEncoder> batch_;
  std::optional<typename Api::CKKSEncoder> ckks_;

  // Operands: messages x and y, and x * y before relinearization and before rescaling.
  std::vector<double> reals_x_, reals_y_;
  std::vector<std::uint64_t> integers_x_, integers_y_, words_;
  Plaintext plain_x_, plain_y_;
  Ciphertext x_, y_, product_, scaled_, transformed_;
  // Results.
  std::vector<double> reals_;
  std::vector<std::uint64_t> integers_;
  Plaintext plain_;
  Ciphertext result_, long_, work_;
};

}  // namespace ringlet::bench
