// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace ringlet::hw {

/// The pins of karatsuba_top. The first block is set before an edge of the clock, the second holds
/// the registers after it.
struct Pins {
  bool power_on = false;
  bool host_write = false;
  std::uint8_t host_address = 0;
  std::uint32_t host_write_data = 0;
  bool in_valid = false;
  bool in_last = false;
  std::array<std::uint32_t, 4> in_data{};
  bool out_ready = false;

  std::uint32_t host_read_data = 0;
  bool in_ready = false;
  bool out_valid = false;
  bool out_last = false;
  std::array<std::uint32_t, 4> out_data{};
};

/// A simulated accelerator.
class Device {
 public:
  virtual ~Device() = default;
  /// One cycle of the clock.
  virtual void tick(Pins& pins) = 0;
};

/// The model that Verilator made of one set of parameters.
template <class Model>
class VerilatedDevice final : public Device {
 public:
  VerilatedDevice() : model_(std::make_unique<Model>()) {}
  ~VerilatedDevice() override { model_->final(); }
  VerilatedDevice(const VerilatedDevice&) = delete;
  VerilatedDevice& operator=(const VerilatedDevice&) = delete;

  void tick(Pins& pins) override {
    Model& m = *model_;
    m.power_on = pins.power_on;
    m.host_write = pins.host_write;
    m.host_address = pins.host_address;
    m.host_write_data = pins.host_write_data;
    m.in_valid = pins.in_valid;
    m.in_last = pins.in_last;
    m.out_ready = pins.out_ready;
    for (unsigned slot = 0; slot < 4; ++slot) m.in_data[slot] = pins.in_data[slot];
    m.clock = 1;
    m.eval();
    m.clock = 0;
    m.eval();
    pins.host_read_data = m.host_read_data;
    pins.in_ready = m.in_ready != 0;
    pins.out_valid = m.out_valid != 0;
    pins.out_last = m.out_last != 0;
    for (unsigned slot = 0; slot < 4; ++slot) pins.out_data[slot] = m.out_data[slot];
  }

 private:
  std::unique_ptr<Model> model_;
};

}  // namespace ringlet::hw
