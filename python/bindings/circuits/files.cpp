// SPDX-License-Identifier: Apache-2.0
#include "bindings/circuits/files.hpp"

#include "bindings/core/arguments.hpp"
#include "bindings/core/interrupts.hpp"
#include "ringlet/base/error.hpp"
#include "rlwe/random/sha256.hpp"
#include "rlwe/serialization/little_endian.hpp"

namespace ringlet::python {
namespace {

constexpr std::uint64_t kMagic = 0x0a1a0a0d43475289;  // little-endian
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kWordBytes = 8;
constexpr std::size_t kDigestBytes = 32;
constexpr std::size_t kNodeWords = 5;
constexpr std::size_t kVectorWords = 4;  // the fewest: the head and one integer

using Bytes = std::vector<std::uint8_t>;
using Digest = std::array<std::uint8_t, kDigestBytes>;

[[noreturn]] void refuse(const char* operation, const std::string& what) {
  throw_invalid_argument({operation, what, "bytes that Circuit.to_bytes of the same version wrote",
                          "check that these bytes are a circuit, and that they arrived unchanged"});
}

Digest digest_of(std::span<const std::uint8_t> message) {
  Digest digest{};
  rlwe::sha256(message, digest);
  return digest;
}

void put(Bytes& bytes, std::uint64_t word) {
  bytes.resize(bytes.size() + kWordBytes);
  rlwe::store_little_endian(std::span(bytes).last(kWordBytes), word);
}

void put(Bytes& bytes, double number) { put(bytes, std::bit_cast<std::uint64_t>(number)); }

void put(Bytes& bytes, const KnownVector& vector) {
  put(bytes, std::uint64_t{vector.is_constant()});
  put(bytes, std::uint64_t{vector.is_integer()});
  put(bytes, std::uint64_t{vector.size()});
  if (vector.is_integer()) {
    for (const std::int64_t value : vector.integers())
      put(bytes, std::bit_cast<std::uint64_t>(value));
    return;
  }
  for (const std::complex<double> value : vector.numbers()) {
    put(bytes, value.real());
    put(bytes, value.imag());
  }
}

void put(Bytes& bytes, const CircuitNode& node) {
  put(bytes, static_cast<std::uint64_t>(node.operation));
  put(bytes, std::uint64_t{node.a});
  put(bytes, std::uint64_t{node.b});
  put(bytes, std::bit_cast<std::uint64_t>(std::int64_t{node.steps}));
  put(bytes, node.magnitude);
}

// The words that are not read yet.
class Words {
 public:
  Words(std::span<const std::uint8_t> bytes, const char* operation)
      : bytes_(bytes), operation_(operation) {}

  std::uint64_t next() {
    if (bytes_.size() < kWordBytes) {
      throw_runtime_error({operation_, "the bytes end too early", "all bytes that to_bytes wrote",
                           "read or receive all bytes"});
    }
    const std::uint64_t word = rlwe::load_little_endian(bytes_.first(kWordBytes));
    bytes_ = bytes_.subspan(kWordBytes);
    return word;
  }

  double number() { return std::bit_cast<double>(next()); }

  /// Reads the count of items of at least `words` words each; refuses more than the bytes can hold.
  std::size_t count(std::size_t words) {
    const std::uint64_t wanted = next();
    if (wanted > bytes_.size() / (kWordBytes * words)) {
      refuse(operation_, "a count of " + std::to_string(wanted));
    }
    return static_cast<std::size_t>(wanted);
  }

  bool flag() {
    const std::uint64_t word = next();
    if (word > 1) refuse(operation_, "a flag of " + std::to_string(word));
    return word == 1;
  }

  bool is_at_end() const { return bytes_.empty(); }

 private:
  std::span<const std::uint8_t> bytes_;
  const char* operation_;
};

KnownVector read_vector(Words& words, const char* operation) {
  const bool is_constant = words.flag();
  const bool is_integer = words.flag();
  const std::size_t count = words.count(is_integer ? 1 : 2);
  if (is_constant && count != 1) refuse(operation, "a constant of several numbers");
  if (is_integer) {
    KnownVector::Integers integers(count);
    for (std::int64_t& value : integers) value = std::bit_cast<std::int64_t>(words.next());
    return is_constant ? KnownVector(integers.front()) : KnownVector(std::move(integers));
  }
  KnownVector::Numbers numbers(count);
  for (std::complex<double>& value : numbers) {
    const double real = words.number();
    value = {real, words.number()};
  }
  return is_constant ? KnownVector(numbers.front()) : KnownVector(std::move(numbers));
}

CircuitNode read_node(Words& words, const char* operation) {
  CircuitNode node;
  const std::uint64_t kind = words.next();
  if (kind > static_cast<std::uint64_t>(CircuitOperation::conjugate)) {
    refuse(operation, "an operation of number " + std::to_string(kind));
  }
  node.operation = static_cast<CircuitOperation>(kind);
  node.a = static_cast<std::size_t>(words.next());
  node.b = static_cast<std::size_t>(words.next());
  const auto steps = std::bit_cast<std::int64_t>(words.next());
  if (steps < 0 || steps > std::numeric_limits<int>::max()) {
    refuse(operation, "a rotation by " + std::to_string(steps));
  }
  node.steps = static_cast<int>(steps);
  node.magnitude = words.number();
  return node;
}

// Declares values one after the other. Each must become exactly the node that was read, so that no
// file bypasses what declarations check or share.
class Declaration {
 public:
  Declaration(std::size_t row_length, std::vector<KnownVector> known, const char* operation)
      : circuit_(row_length), known_(std::move(known)), operation_(operation) {}

  void add(const CircuitNode& node) {
    const std::size_t place = circuit_.nodes().size();
    const CircuitValue value = declared(node);
    if (value.index != place || circuit_.nodes().size() != place + 1) {
      refuse(operation_, "value " + std::to_string(place) + ", which is not a new value");
    }
    if (node.operation != CircuitOperation::input && node.magnitude != 0) {
      circuit_.bound(value, node.magnitude);
    }
    const CircuitNode& made = circuit_.nodes()[place];
    if (made.a != node.a || made.b != node.b || made.steps != node.steps) {
      refuse(operation_, "value " + std::to_string(place) + " with operands of another operation");
    }
  }

  void add_output(std::uint64_t node) { circuit_.output({static_cast<std::size_t>(node)}); }

  Circuit finish() {
    if (circuit_.known_vectors().size() != known_.size()) {
      refuse(operation_, "known vectors that no value uses");
    }
    return std::move(circuit_);
  }

 private:
  CircuitValue declared(const CircuitNode& node) {
    switch (node.operation) {
      case CircuitOperation::input:
        return circuit_.input(node.magnitude);
      case CircuitOperation::negate:
        return circuit_.negate({node.a});
      case CircuitOperation::add:
        return circuit_.add(CircuitValue{node.a}, CircuitValue{node.b});
      case CircuitOperation::subtract:
        return circuit_.subtract({node.a}, {node.b});
      case CircuitOperation::multiply:
        return circuit_.multiply(CircuitValue{node.a}, CircuitValue{node.b});
      case CircuitOperation::add_known:
        return circuit_.add(CircuitValue{node.a}, known(node));
      case CircuitOperation::multiply_known:
        return circuit_.multiply(CircuitValue{node.a}, known(node));
      case CircuitOperation::rotate:
        return circuit_.rotate({node.a}, node.steps);
      case CircuitOperation::conjugate:
        return circuit_.conjugate({node.a});
    }
    refuse(operation_, "an operation without a name");
  }

  const KnownVector& known(const CircuitNode& node) const {
    if (node.b < known_.size()) return known_[node.b];
    refuse(operation_, "known vector " + std::to_string(node.b));
  }

  Circuit circuit_;
  std::vector<KnownVector> known_;
  const char* operation_;
};

std::span<const std::uint8_t> checked_words(std::span<const std::uint8_t> all,
                                            const char* operation) {
  if (all.size() < kWordBytes + kDigestBytes) {
    throw_runtime_error({operation, std::to_string(all.size()) + " bytes",
                         "all bytes that to_bytes wrote", "read or receive all bytes"});
  }
  const auto words = all.first(all.size() - kDigestBytes);
  if (Words(words, operation).next() != kMagic) {
    refuse(operation, "bytes without the magic number of circuits");
  }
  if (!std::ranges::equal(digest_of(words), all.last(kDigestBytes))) {
    refuse(operation, "damaged bytes");
  }
  return words.subspan(kWordBytes);
}

}  // namespace

nb::bytes circuit_to_bytes(const Circuit& circuit) {
  Bytes bytes;
  put(bytes, kMagic);
  put(bytes, kVersion);
  put(bytes, std::uint64_t{circuit.row_length()});
  put(bytes, std::uint64_t{circuit.known_vectors().size()});
  put(bytes, std::uint64_t{circuit.nodes().size()});
  put(bytes, std::uint64_t{circuit.outputs().size()});
  for (const KnownVector& vector : circuit.known_vectors()) put(bytes, vector);
  for (const CircuitNode& node : circuit.nodes()) put(bytes, node);
  for (const std::size_t output : circuit.outputs()) put(bytes, std::uint64_t{output});
  const Digest digest = digest_of(bytes);
  bytes.insert(bytes.end(), digest.begin(), digest.end());
  return nb::bytes(bytes.data(), bytes.size());
}

Circuit circuit_from_bytes(const nb::bytes& bytes, const char* operation) {
  const std::span all(static_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  const nb::gil_scoped_release unlocked;
  Interrupts interrupts;
  Words words(checked_words(all, operation), operation);
  const std::uint64_t version = words.next();
  if (version != kVersion) refuse(operation, "format version " + std::to_string(version));
  const auto row_length = static_cast<std::size_t>(words.next());
  const std::size_t vectors = words.count(kVectorWords);
  const std::size_t nodes = words.count(kNodeWords);
  const std::size_t outputs = words.count(1);
  std::vector<KnownVector> known;
  for (std::size_t i = 0; i < vectors; ++i) known.push_back(read_vector(words, operation));
  Declaration declaration(row_length, std::move(known), operation);
  for (std::size_t i = 0; i < nodes; ++i) {
    declaration.add(read_node(words, operation));
    interrupts.check_row();
  }
  for (std::size_t i = 0; i < outputs; ++i) declaration.add_output(words.next());
  if (!words.is_at_end()) refuse(operation, "bytes follow after the circuit");
  return declaration.finish();
}

void bind_circuit_files(nb::class_<Circuit>& type) {
  type.def("to_bytes", &circuit_to_bytes,
           "Returns the circuit as bytes, for from_bytes: its operations and known vectors. A\n"
           "pickle holds these bytes too.")
      .def_static(
          "from_bytes",
          [](const BytesLike& data) {
            return circuit_from_bytes(data.value, "Circuit.from_bytes");
          },
          "data"_a,
          "Returns the circuit in `data`, bytes of to_bytes. You need not trust the sender: the\n"
          "call checks everything and declares it again.\n"
          "\n"
          "Raises RuntimeFailure or InvalidArgument for damaged bytes.")
      .def("__getstate__", &circuit_to_bytes)
      .def("__setstate__", [](Circuit& self, const nb::bytes& bytes) {
        new (&self) Circuit(circuit_from_bytes(bytes, "Circuit.__setstate__"));
      });
}

}  // namespace ringlet::python
