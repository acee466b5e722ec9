# SPDX-License-Identifier: Apache-2.0

# The sources of WideProduct and CyclotomicPolynomial. They need ringlet::kernels and nothing else,
# so that a program for a processor without the other libraries can be built from them.
file(GLOB RINGLET_WIDE_PRODUCT_SOURCES CONFIGURE_DEPENDS
  "${CMAKE_CURRENT_LIST_DIR}/products/*.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/../ring/cyclotomic/reduction/*.cpp")
list(APPEND RINGLET_WIDE_PRODUCT_SOURCES
  "${CMAKE_CURRENT_LIST_DIR}/../ring/cyclotomic/cyclotomic.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/../ring/cyclotomic/index_arithmetic.cpp")
