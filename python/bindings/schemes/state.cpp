// SPDX-License-Identifier: Apache-2.0
#include "bindings/schemes/state.hpp"

#include "bindings/core/errors.hpp"
#include "bindings/schemes/files.hpp"
#include "ringlet/rlwe/serialization.hpp"

namespace ringlet::python {
namespace {

bool has_slots_of_bits(const Context& context) {
  return context.ring().kind() == RingKind::cyclotomic &&
         context.ring().cyclotomic_index() % 2 == 1 && context.plain_modulus().value() == 2;
}

// Uses the formula of CircuitPlan, so that both give the same bits.
std::vector<double> scales_of_levels(const SchemeParameters& parameters) {
  const auto primes = parameters.parms.data_primes();
  std::vector<double> scales(primes.size() + 1, 0.0);
  const double first = parameters.scale;
  scales[primes.size()] = first;
  for (std::size_t l = primes.size(); l-- > 1;) {
    const double above = scales[l + 1];
    const double scale = above * (above / static_cast<double>(primes[l].value()));
    if (scale > 2 * first || 2 * scale < first) break;
    scales[l] = scale;
  }
  return scales;
}

std::string brief(const std::string& fingerprint) { return fingerprint.substr(0, 16) + "..."; }

// The message has parameters, which tell more, and fingerprints, in case only primes differ.
[[noreturn]] void refuse_context(const std::string& found, const std::string& fingerprint,
                                 const Workshop& expected, const char* operation) {
  throw ContextMismatch({operation,
                         "an object of " + found + " with fingerprint " + brief(fingerprint),
                         "objects of " + describe(expected.parameters()) + " with fingerprint " +
                             brief(expected.fingerprint()),
                         "use contexts of the same scheme, parameters and security on both sides"});
}

}  // namespace

Workshop::Workshop(const SchemeParameters& parameters, const KernelSelection& kernels,
                   std::shared_ptr<const PublicKeys> keys, const Device& device)
    : parameters_(parameters),
      context_(parameters.parms, parameters.level, parameters.table, kernels),
      fingerprint_(to_string(context_.key_parms_id())),
      level_scales_(scales_of_levels(parameters)),
      device_(device),
      keys_(std::move(keys)) {
  if (scheme() == SchemeType::ckks) ckks_.emplace(context_);
  if (context_.using_batching()) batch_.emplace(context_);
  if (has_slots_of_bits(context_)) slots_.emplace(context_);
}

Workshop::Workshop(const Workshop& other, std::shared_ptr<const PublicKeys> keys)
    : parameters_(other.parameters_),
      context_(other.context_),
      fingerprint_(other.fingerprint_),
      level_scales_(other.level_scales_),
      ckks_(other.ckks_),
      batch_(other.batch_),
      slots_(other.slots_),
      device_(other.device_),
      keys_(std::move(keys)) {}

Workshop::Workshop(const Workshop& other, const Device& device)
    : parameters_(other.parameters_),
      context_(other.context_),
      fingerprint_(other.fingerprint_),
      level_scales_(other.level_scales_),
      ckks_(other.ckks_),
      batch_(other.batch_),
      slots_(other.slots_),
      device_(device),
      keys_(other.keys_) {}

const Evaluator& Workshop::evaluator() const {
  std::call_once(evaluator_made_, [this] { evaluator_.emplace(context_, device_); });
  return *evaluator_;
}

std::size_t Workshop::slot_count() const {
  if (slots_) return slots_->slot_count();
  const std::size_t degree = parameters_.parms.poly_modulus_degree();
  return scheme() == SchemeType::ckks ? degree / 2 : degree;
}

std::vector<std::size_t> Workshop::slot_shape() const {
  if (slots_) return {slots_->dimensions().begin(), slots_->dimensions().end()};
  if (batch_) return {2, slot_count() / 2};
  return {slot_count()};
}

const PublicKeys& Workshop::keys(const char* operation) const {
  if (keys_ == nullptr) {
    throw_logic_error({operation, "the ciphertext is not bound to a PublicContext",
                       "a ciphertext that is bound to evaluation keys",
                       "call public.bind(ciphertext) and work with the result"});
  }
  return *keys_;
}

const ContextData& Workshop::level(std::size_t index, const char* operation) const {
  const ContextData* data = context_.first_context_data();
  const std::size_t first = data->chain_index();
  while (data != nullptr && data->chain_index() != index) data = data->next_context_data();
  if (data == nullptr) {
    throw_invalid_argument({operation, "level = " + std::to_string(index),
                            "0 to " + std::to_string(first), "choose a level of these parameters"});
  }
  return *data;
}

const SharedWorkshop& BoundCiphertext::workshop(const char* operation) const {
  if (detached_ != nullptr) {
    throw_logic_error({operation,
                       "the ciphertext was unpickled and belongs to no context yet; it needs one "
                       "with fingerprint " +
                           brief(detached_->fingerprint),
                       "a ciphertext that is bound to a context",
                       "call public.bind(ciphertext) and work with the result"});
  }
  return workshop_;
}

const Ciphertext& BoundCiphertext::value(const char* operation) const {
  workshop(operation);
  return *value_;
}

std::size_t BoundCiphertext::level(const char* operation) const {
  return level_index(*workshop(operation), value_->parms_id());
}

void BoundCiphertext::check_context(const Workshop& target, const char* operation) const {
  if (fingerprint() == target.fingerprint()) return;
  refuse_context(detached_ == nullptr
                     ? describe(workshop_->parameters())
                     : std::string("an unknown context of ") + to_string(detached_->scheme),
                 fingerprint(), target, operation);
}

BoundCiphertext BoundCiphertext::bind_to(const SharedWorkshop& target,
                                         const char* operation) const {
  check_context(*target, operation);
  if (detached_ != nullptr) {
    const auto bytes = std::as_bytes(std::span(detached_->bytes));
    return {target, std::make_shared<const Ciphertext>(load<Ciphertext>(target->context(), bytes))};
  }
  BoundCiphertext bound = *this;
  bound.workshop_ = target;
  return bound;
}

const Plaintext& BoundPlaintext::value_for(const Workshop& target, const char* operation) const {
  check_same_context(*workshop, target, operation);
  return *value;
}

nb::object to_python(BoundCiphertext ciphertext) {
  return by_scheme(ciphertext.scheme(),
                   [&]<SchemeType kScheme>(std::integral_constant<SchemeType, kScheme>) {
                     return nb::cast(CiphertextOf<kScheme>(std::move(ciphertext)));
                   });
}

nb::object to_python(BoundPlaintext plaintext) {
  return by_scheme(plaintext.workshop->scheme(),
                   [&]<SchemeType kScheme>(std::integral_constant<SchemeType, kScheme>) {
                     return nb::cast(PlaintextOf<kScheme>(std::move(plaintext)));
                   });
}

nb::object to_python(SchemeParameters parameters) {
  return by_scheme(parameters.scheme(),
                   [&]<SchemeType kScheme>(std::integral_constant<SchemeType, kScheme>) {
                     return nb::cast(ParametersOf<kScheme>(std::move(parameters)));
                   });
}

void check_same_context(const Workshop& found, const Workshop& expected, const char* operation) {
  if (found.fingerprint() == expected.fingerprint()) return;
  refuse_context(describe(found.parameters()), found.fingerprint(), expected, operation);
}

std::string class_prefix(SchemeType scheme) {
  std::string prefix = to_string(scheme);
  prefix.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(prefix.front())));
  return prefix;
}

std::string for_scheme(SchemeType scheme, const char* signature) {
  std::string text;
  for (const char* c = signature; *c != '\0'; ++c) {
    text += *c == '%' ? class_prefix(scheme) : std::string(1, *c);
  }
  return text;
}

std::string scale_text(double scale) {
  char text[32];
  std::snprintf(text, sizeof text, "2^%.2f", std::log2(scale));
  return text;
}

std::string repr_start(SchemeType scheme, const char* name) {
  return std::string("<ringlet.") + to_string(scheme) + "." + name + " ";
}

std::size_t level_index(const Workshop& workshop, const ParmsId& parms_id) {
  const ContextData* data = workshop.context().get_context_data(parms_id);
  return data == nullptr ? 0 : data->chain_index();
}

}  // namespace ringlet::python
