// SPDX-License-Identifier: Apache-2.0
// The table of public entries that bad_input_test.cpp goes through.
#include "unit/schemes/bad_input_support.hpp"

namespace ringlet::test {

std::vector<Entry> BadInputBench::common_entries() const {
  const Evaluator& e = own.evaluator;
  std::vector<Entry> entries;
  const auto add = [&](const char* operation, auto call) -> Entry& {
    Entry& entry = entries.emplace_back();
    entry.operation = operation;
    entry.call = call;
    entry.takes_a = true;
    return entry;
  };
  const auto binary = [&](const char* operation, auto call) -> Entry& {
    Entry& entry = add(operation, call);
    entry.takes_b = true;
    entry.keeps_transparency = true;
    return entry;
  };
  Entry& negate = add("Evaluator::negate", [&e](World& w, bool in) { e.negate(w.a, out(w, in)); });
  negate.takes_any_form = negate.keeps_transparency = true;
  Entry& plus = binary("Evaluator::add", [&e](World& w, bool in) { e.add(w.a, w.b, out(w, in)); });
  plus.is_sum = true;
  Entry& minus = binary("Evaluator::sub", [&e](World& w, bool in) { e.sub(w.a, w.b, out(w, in)); });
  minus.is_sum = true;
  Entry& many = binary("Evaluator::add_many", [&e](World& w, bool in) {
    on_list(w, in, [&](auto& list, Ciphertext& d) { e.add_many(list, d); });
  });
  many.is_sum = true;
  Entry& times =
      binary("Evaluator::multiply", [&e](World& w, bool in) { e.multiply(w.a, w.b, out(w, in)); });
  times.is_product = true;
  Entry& square = add("Evaluator::square", [&e](World& w, bool in) { e.square(w.a, out(w, in)); });
  square.is_product = square.is_power = square.keeps_transparency = true;
  Entry& relinearize = add("Evaluator::relinearize",
                           [&e](World& w, bool in) { e.relinearize(w.a, w.relin, out(w, in)); });
  relinearize.needs_relin_key = true;
  Entry& galois = add("Evaluator::apply_galois",
                      [&e](World& w, bool in) { e.apply_galois(w.a, 3, w.galois, out(w, in)); });
  galois.needs_galois_key = galois.keeps_transparency = true;
  const bool ntt = own.context.ciphertext_form() == Form::ntt;
  Entry& transform =
      add(ntt ? "Evaluator::transform_from_ntt" : "Evaluator::transform_to_ntt",
          [&e, ntt](World& w, bool in) {
            ntt ? e.transform_from_ntt(w.a, out(w, in)) : e.transform_to_ntt(w.a, out(w, in));
          });
  transform.kind = Entry::Kind::leaves_native_form;
  transform.takes_any_form = transform.keeps_transparency = true;
  return entries;
}

std::vector<Entry> BadInputBench::plain_entries() const {
  const Evaluator& e = own.evaluator;
  std::vector<Entry> entries;
  // The message of the scheme, and where it serves the transformed one too.
  const auto add = [&](const char* operation, bool leveled, auto call) -> Entry& {
    Entry& entry = entries.emplace_back();
    entry.operation = operation;
    entry.call = [call, leveled](World& w, bool in) {
      call(w.a, leveled ? w.leveled : w.plain, out(w, in));
    };
    entry.takes_a = entry.keeps_transparency = true;
    entry.takes_leveled = leveled;
    entry.takes_plain = entry.native_plain_only = !leveled;
    return entry;
  };
  const auto plus = [&e](auto& a, auto& p, auto& d) { e.add_plain(a, p, d); };
  const auto minus = [&e](auto& a, auto& p, auto& d) { e.sub_plain(a, p, d); };
  const auto times = [&e](auto& a, auto& p, auto& d) { e.multiply_plain(a, p, d); };
  add("Evaluator::add_plain", is_ckks_, plus).is_sum = true;
  add("Evaluator::sub_plain", is_ckks_, minus).is_sum = true;
  for (const bool leveled : {true, false}) {
    if (is_ckks_ && !leveled) continue;
    Entry& product = add("Evaluator::multiply_plain", leveled, times);
    product.is_product = product.takes_any_form = true;
    product.native_plain_only = false;
  }
  return entries;
}

std::vector<Entry> BadInputBench::level_entries() const {
  const Evaluator& e = own.evaluator;
  std::vector<Entry> entries;
  const auto next = [&](const char* operation, auto call) {
    Entry& entry = entries.emplace_back();
    entry.operation = operation;
    entry.call = call;
    entry.takes_a = entry.goes_to_next = true;
    entry.keeps_scale_below = entry.keeps_transparency = true;
  };
  const auto down = [&](const char* operation, auto call) {
    next(operation, call);
    Entry& entry = entries.back();
    entry.goes_to_next = false;
    entry.goes_down = entry.chooses_level = true;
  };
  next("Evaluator::mod_switch_to_next",
       [&e](World& w, bool in) { e.mod_switch_to_next(w.a, out(w, in)); });
  down("Evaluator::mod_switch_to",
       [&e](World& w, bool in) { e.mod_switch_to(w.a, w.target, out(w, in)); });
  next("Evaluator::mod_reduce_to_next",
       [&e](World& w, bool in) { e.mod_reduce_to_next(w.a, out(w, in)); });
  down("Evaluator::mod_reduce_to",
       [&e](World& w, bool in) { e.mod_reduce_to(w.a, w.target, out(w, in)); });
  const auto plain_out = [](World& w, bool in) -> Plaintext& {
    return in ? w.leveled : w.plain_destination;
  };
  next("Evaluator::mod_switch_to_next",
       [&e, plain_out](World& w, bool in) { e.mod_switch_to_next(w.leveled, plain_out(w, in)); });
  entries.back().takes_a = entries.back().keeps_transparency = false;
  entries.back().takes_leveled = true;
  down("Evaluator::mod_switch_to", [&e, plain_out](World& w, bool in) {
    e.mod_switch_to(w.leveled, w.target, plain_out(w, in));
  });
  entries.back().takes_a = entries.back().keeps_transparency = false;
  entries.back().takes_leveled = true;
  return entries;
}

std::vector<Entry> BadInputBench::encryption_entries() const {
  const Encryptor& encryptor = own.encryptor;
  const Decryptor& decryptor = own.decryptor;
  std::vector<Entry> entries;
  const auto add = [&](const char* operation, auto call) -> Entry& {
    Entry& entry = entries.emplace_back();
    entry.operation = operation;
    entry.call = call;
    entry.kind = Entry::Kind::output_only;
    return entry;
  };
  const auto with_message = [&](const char* operation, auto call) {
    Entry& entry = add(operation, [call, ckks = is_ckks_](World& w, bool) {
      call(ckks ? w.leveled : w.plain, w.destination);
    });
    entry.takes_leveled = is_ckks_;
    entry.takes_plain = entry.native_plain_only = !is_ckks_;
  };
  with_message("Encryptor::encrypt", [&](auto& p, auto& d) { encryptor.encrypt(p, d); });
  with_message("Encryptor::encrypt_symmetric",
               [&](auto& p, auto& d) { encryptor.encrypt_symmetric(p, d); });
  with_message("Encryptor::encrypt_symmetric_seeded",
               [&](auto& p, auto&) { (void)encryptor.encrypt_symmetric_seeded(p); });
  add("Encryptor::encrypt_zero", [&](World& w, bool) {
    encryptor.encrypt_zero(w.target, w.destination);
  }).chooses_level = true;
  add("Encryptor::encrypt_zero_symmetric", [&](World& w, bool) {
    encryptor.encrypt_zero_symmetric(w.target, w.destination);
  }).chooses_level = true;
  Entry& decrypt = add("Decryptor::decrypt",
                       [&](World& w, bool) { decryptor.decrypt(w.a, w.plain_destination); });
  decrypt.takes_a = decrypt.is_decryption = true;
  return entries;
}

std::vector<Entry> BadInputBench::ckks_entries() const {
  const Evaluator& e = own.evaluator;
  std::vector<Entry> entries;
  const auto add = [&](const char* operation, auto call) -> Entry& {
    Entry& entry = entries.emplace_back();
    entry.operation = operation;
    entry.call = call;
    entry.takes_a = entry.keeps_transparency = true;
    return entry;
  };
  add("Evaluator::rescale_to_next", [&e](World& w, bool in) {
    e.rescale_to_next(w.a, out(w, in));
  }).goes_to_next = true;
  Entry& both = add("Evaluator::relinearize_and_rescale_to_next", [&e](World& w, bool in) {
    e.relinearize_and_rescale_to_next(w.a, w.relin, out(w, in));
  });
  both.goes_to_next = both.needs_relin_key = true;
  Entry& down = add("Evaluator::rescale_to",
                    [&e](World& w, bool in) { e.rescale_to(w.a, w.target, out(w, in)); });
  down.goes_down = down.chooses_level = true;
  add("Evaluator::rotate_vector", [&e](World& w, bool in) {
    e.rotate_vector(w.a, 1, w.galois, out(w, in));
  }).needs_galois_key = true;
  add("Evaluator::complex_conjugate", [&e](World& w, bool in) {
    e.complex_conjugate(w.a, w.galois, out(w, in));
  }).needs_galois_key = true;
  return entries;
}

std::vector<Entry> BadInputBench::exact_entries() const {
  const Evaluator& e = own.evaluator;
  const Decryptor& decryptor = own.decryptor;
  std::vector<Entry> entries;
  const auto add = [&](const char* operation, auto call) -> Entry& {
    Entry& entry = entries.emplace_back();
    entry.operation = operation;
    entry.call = call;
    entry.takes_a = entry.keeps_transparency = true;
    return entry;
  };
  Entry& many = add("Evaluator::multiply_many", [&e](World& w, bool in) {
    on_list(w, in, [&](auto& list, Ciphertext& d) { e.multiply_many(list, w.relin, d); });
  });
  many.takes_b = many.needs_relin_key = many.is_product = true;
  Entry& power = add("Evaluator::exponentiate",
                     [&e](World& w, bool in) { e.exponentiate(w.a, 3, w.relin, out(w, in)); });
  power.needs_relin_key = power.is_product = power.is_power = true;
  add("Evaluator::rotate_rows", [&e](World& w, bool in) {
    e.rotate_rows(w.a, 1, w.galois, out(w, in));
  }).needs_galois_key = true;
  add("Evaluator::rotate_columns", [&e](World& w, bool in) {
    e.rotate_columns(w.a, w.galois, out(w, in));
  }).needs_galois_key = true;
  Entry& budget = add("Decryptor::invariant_noise_budget",
                      [&](World& w, bool) { (void)decryptor.invariant_noise_budget(w.a); });
  budget.kind = Entry::Kind::output_only;
  budget.is_decryption = true;
  budget.keeps_transparency = false;
  if (is_ckks_) return entries;
  Entry& transform = add("Evaluator::transform_to_ntt", [&e](World& w, bool in) {
    e.transform_to_ntt(w.plain, w.target, in ? w.plain : w.plain_destination);
  });
  transform.takes_a = transform.keeps_transparency = false;
  transform.takes_plain = transform.native_plain_only = transform.chooses_level = true;
  return entries;
}

}  // namespace ringlet::test
