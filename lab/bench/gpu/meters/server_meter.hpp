// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ringlet/ringlet.hpp"
#include "standard.hpp"

namespace ringlet::bench {

/// A server of logistic regression, N = 8192: scores of 128 rows of 32 features a ciphertext, and
/// probabilities by an odd polynomial of degree 7. Rows and weights are made up: the time does not
/// depend on them.
class ServerHost {
 public:
  /// Makes `count` ciphertexts of rows.
  explicit ServerHost(std::size_t count);

  Context context;
  KeyGenerator keygen;
  CircuitRunner runner;
  CircuitKeys keys;
  std::vector<Ciphertext> rows;
};

/// The server on one device or on the processor.
class ServerMeter {
 public:
  ServerMeter(std::shared_ptr<const ServerHost> host, const Device& device);

  /// Returns the seconds on the processor's clock from rows on the host to answers on the host.
  double seconds();
  /// Returns the answers of the last call: score and probability of each ciphertext of rows.
  const std::vector<Ciphertext>& answers() const { return answers_; }

 private:
  std::shared_ptr<const ServerHost> host_;
  Evaluator evaluator_;
  CircuitKeys keys_;
  std::vector<Ciphertext> answers_;
};

}  // namespace ringlet::bench
