# SPDX-License-Identifier: Apache-2.0

# Of the layer ring, what WideProduct and CyclotomicPolynomial consist of; they need
# ringlet::kernels and nothing else, so that a program for a processor without the other libraries
# can be built of them.
set(RINGLET_WIDE_PRODUCT_SOURCES
  barrett_reducer.cpp
  block_reducer.cpp
  cyclotomic.cpp
  cyclotomic_growth.cpp
  cyclotomic_reduction.cpp
  index_arithmetic.cpp
  sparse_reducer.cpp
  wide/additions_method.cpp
  wide/costs.cpp
  wide/finish.cpp
  wide/karatsuba_method.cpp
  wide/karatsuba_recursions.cpp
  wide/ntt_method.cpp
  wide/planner.cpp
  wide/reconstruction.cpp
  wide/wide_product.cpp)
list(TRANSFORM RINGLET_WIDE_PRODUCT_SOURCES PREPEND "${CMAKE_CURRENT_LIST_DIR}/")
