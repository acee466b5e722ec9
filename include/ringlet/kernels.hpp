// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Includes all of ringlet::kernels: modular vector arithmetic and number-theoretic transforms.

#include "ringlet/arith/modular.hpp"
#include "ringlet/arith/modulus.hpp"
#include "ringlet/arith/primes.hpp"
#include "ringlet/arith/wide_modulus.hpp"
#include "ringlet/base/aligned.hpp"
#include "ringlet/base/cpu.hpp"
#include "ringlet/base/error.hpp"
#include "ringlet/base/export.hpp"
#include "ringlet/base/host_pool.hpp"
#include "ringlet/base/parallel.hpp"
#include "ringlet/base/version.hpp"
#include "ringlet/base/wipe.hpp"
#include "ringlet/kernels/comparison.hpp"
#include "ringlet/kernels/eltwise.hpp"
#include "ringlet/kernels/kernel_selection.hpp"
#include "ringlet/kernels/wisdom.hpp"
#include "ringlet/ntt/compose.hpp"
#include "ringlet/ntt/ntt.hpp"
#include "ringlet/ntt/ntt_order.hpp"
#include "ringlet/ntt/rns_ntt.hpp"
#include "ringlet/ntt/stages.hpp"
#include "ringlet/ntt/wide.hpp"
