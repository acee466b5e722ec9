// SPDX-License-Identifier: Apache-2.0
// SEAL's classes in Python by pybind11, and a script that computes with them. Bindings take the
// address of every overload that they name.
#include <cstdio>
#include <cstdlib>

#include <pybind11/embed.h>
#include <pybind11/stl.h>

#include "seal/seal.h"

namespace py = pybind11;
using namespace seal;

template <class T>
void bind_save(py::class_<T>& bound) {
  const auto save = py::overload_cast<std::ostream&, compr_mode_type>(&T::save, py::const_);
  bound.def(
      "save",
      [save](const T& object, compr_mode_type mode) {
        std::stringstream stream;
        (object.*save)(stream, mode);
        return py::bytes(stream.str());
      },
      py::arg("compr_mode") = Serialization::compr_mode_default);
  bound.def("save_size", &T::save_size, py::arg("compr_mode") = compr_mode_type::none);
}

template <class T, class Class>
void bind_load(Class& bound) {
  const auto load = py::overload_cast<const SEALContext&, std::istream&>(&T::load);
  bound.def("load", [load](T& object, const SEALContext& context, const std::string& bytes) {
    std::stringstream stream(bytes);
    (object.*load)(context, stream);
  });
}

void bind_data(py::module_& m) {
  py::class_<EncryptionParameters>(m, "EncryptionParameters")
      .def(py::init<scheme_type>())
      .def("set_poly_modulus_degree", &EncryptionParameters::set_poly_modulus_degree)
      .def("set_coeff_modulus", &EncryptionParameters::set_coeff_modulus)
      .def("set_plain_modulus",
           py::overload_cast<const Modulus&>(&EncryptionParameters::set_plain_modulus));
  py::class_<SEALContext>(m, "SEALContext")
      .def(py::init<const EncryptionParameters&, bool, sec_level_type>(), py::arg("parms"),
           py::arg("expand_mod_chain") = true, py::arg("sec_level") = sec_level_type::tc128)
      .def("parameters_set", &SEALContext::parameters_set)
      .def("parameter_error_name", &SEALContext::parameter_error_name);
  py::class_<Plaintext>(m, "Plaintext")
      .def(py::init<>())
      .def(py::init<const std::string&>())
      .def("to_string", &Plaintext::to_string)
      .def("data", py::overload_cast<std::size_t>(&Plaintext::data, py::const_));
  py::class_<Ciphertext> ciphertext(m, "Ciphertext");
  ciphertext.def(py::init<>())
      .def("size", &Ciphertext::size)
      .def("scale", py::overload_cast<>(&Ciphertext::scale, py::const_))
      .def("resize", py::overload_cast<const SEALContext&, std::size_t>(&Ciphertext::resize));
  bind_save(ciphertext);
  bind_load<Ciphertext>(ciphertext);
  py::class_<Serializable<Ciphertext>> seeded(m, "SeededCiphertext");
  bind_save(seeded);
  py::class_<SecretKey>(m, "SecretKey").def("data", py::overload_cast<>(&SecretKey::data));
  py::class_<PublicKey>(m, "PublicKey").def(py::init<>());
  py::class_<KSwitchKeys> keys(m, "KSwitchKeys");
  bind_save(keys);
  keys.def("size", &KSwitchKeys::size)
      .def("data", py::overload_cast<std::size_t>(&KSwitchKeys::data, py::const_));
  py::class_<RelinKeys, KSwitchKeys> relin_keys(m, "RelinKeys");
  relin_keys.def(py::init<>())
      .def_static("get_index", &RelinKeys::get_index)
      .def("has_key", &RelinKeys::has_key);
  bind_load<RelinKeys>(relin_keys);
  py::class_<GaloisKeys, KSwitchKeys> galois_keys(m, "GaloisKeys");
  galois_keys.def(py::init<>()).def("has_key", &GaloisKeys::has_key);
  bind_load<GaloisKeys>(galois_keys);
}

void bind_services(py::module_& m) {
  using Pool = MemoryPoolHandle;
  py::class_<KeyGenerator>(m, "KeyGenerator")
      .def(py::init<const SEALContext&>())
      .def("secret_key", &KeyGenerator::secret_key)
      .def("create_public_key",
           py::overload_cast<PublicKey&>(&KeyGenerator::create_public_key, py::const_))
      .def("create_relin_keys",
           py::overload_cast<RelinKeys&>(&KeyGenerator::create_relin_keys, py::const_))
      .def("create_galois_keys", py::overload_cast<const std::vector<int>&, GaloisKeys&>(
                                     &KeyGenerator::create_galois_keys, py::const_));
  py::class_<Encryptor>(m, "Encryptor")
      .def(py::init<const SEALContext&, const PublicKey&, const SecretKey&>())
      .def("encrypt_symmetric",
           py::overload_cast<const Plaintext&, Pool>(&Encryptor::encrypt_symmetric, py::const_),
           py::arg("plain"), py::arg("pool") = MemoryManager::GetPool())
      .def("encrypt", [encrypt = py::overload_cast<const Plaintext&, Ciphertext&, Pool>(
                           &Encryptor::encrypt, py::const_)](const Encryptor& encryptor,
                                                             const Plaintext& plain) {
        Ciphertext result;
        (encryptor.*encrypt)(plain, result, MemoryManager::GetPool());
        return result;
      });
  py::class_<Decryptor>(m, "Decryptor")
      .def(py::init<const SEALContext&, const SecretKey&>())
      .def("decrypt", &Decryptor::decrypt)
      .def("invariant_noise_budget", &Decryptor::invariant_noise_budget);
  py::class_<Evaluator>(m, "Evaluator")
      .def(py::init<const SEALContext&>())
      .def("add_inplace", &Evaluator::add_inplace)
      .def("square_inplace", &Evaluator::square_inplace, py::arg("x"),
           py::arg("pool") = MemoryManager::GetPool())
      .def("relinearize_inplace", &Evaluator::relinearize_inplace, py::arg("x"), py::arg("keys"),
           py::arg("pool") = MemoryManager::GetPool())
      .def("rotate_rows_inplace", &Evaluator::rotate_rows_inplace, py::arg("x"), py::arg("steps"),
           py::arg("keys"), py::arg("pool") = MemoryManager::GetPool());
  py::class_<BatchEncoder>(m, "BatchEncoder")
      .def(py::init<const SEALContext&>())
      .def("slot_count", &BatchEncoder::slot_count)
      .def("encode", py::overload_cast<const std::vector<std::uint64_t>&, Plaintext&>(
                         &BatchEncoder::encode, py::const_))
      .def("decode", [](const BatchEncoder& encoder, const Plaintext& plain) {
        std::vector<std::int64_t> values;
        encoder.decode(plain, values);
        return values;
      });
}

PYBIND11_EMBEDDED_MODULE(seal_by_hand, m) {
  py::enum_<scheme_type>(m, "scheme_type").value("bfv", scheme_type::bfv);
  py::enum_<sec_level_type>(m, "sec_level_type").value("tc128", sec_level_type::tc128);
  py::enum_<compr_mode_type>(m, "compr_mode_type")
      .value("none", compr_mode_type::none)
      .value("zstd", compr_mode_type::zstd);
  py::class_<MemoryPoolHandle>(m, "MemoryPoolHandle");
  py::class_<Modulus>(m, "Modulus").def("value", &Modulus::value);
  m.def("default_primes", [] { return CoeffModulus::BFVDefault(8192); });
  m.def("batching_prime", [] { return PlainModulus::Batching(8192, 20); });
  bind_data(m);
  bind_services(m);
}

constexpr const char* kScript = R"(
import seal_by_hand as seal
parms = seal.EncryptionParameters(seal.scheme_type.bfv)
parms.set_poly_modulus_degree(8192)
parms.set_coeff_modulus(seal.default_primes())
parms.set_plain_modulus(seal.batching_prime())
context = seal.SEALContext(parms)
assert context.parameters_set(), context.parameter_error_name()
keygen = seal.KeyGenerator(context)
public_key, relin_keys, galois_keys = seal.PublicKey(), seal.RelinKeys(), seal.GaloisKeys()
keygen.create_public_key(public_key)
keygen.create_relin_keys(relin_keys)
keygen.create_galois_keys([1], galois_keys)
encoder, evaluator = seal.BatchEncoder(context), seal.Evaluator(context)
values = [(i * i) % 100 for i in range(encoder.slot_count())]
plain = seal.Plaintext()
encoder.encode(values, plain)
encryptor = seal.Encryptor(context, public_key, keygen.secret_key())
x = encryptor.encrypt(plain)
seeded = encryptor.encrypt_symmetric(plain).save(seal.compr_mode_type.none)
assert len(seeded) < 0.6 * len(x.save(seal.compr_mode_type.none))
loaded = seal.Ciphertext()
loaded.load(context, seeded)
relin_keys.load(context, relin_keys.save())
evaluator.square_inplace(loaded)
assert loaded.size() == 3 and relin_keys.has_key(2) and relin_keys.size() == 1
evaluator.relinearize_inplace(loaded, relin_keys)
evaluator.rotate_rows_inplace(x, 1, galois_keys)
evaluator.add_inplace(x, loaded)
seal.Decryptor(context, keygen.secret_key()).decrypt(x, plain)
row = len(values) // 2
turned = values[1:row] + values[:1] + values[row + 1 :] + values[row : row + 1]
assert encoder.decode(plain) == [a + b * b for a, b in zip(turned, values)]
print("computed in Python")
)";

int main() {
  const py::scoped_interpreter interpreter;
  try {
    py::exec(kScript);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
