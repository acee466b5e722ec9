# SPDX-License-Identifier: Apache-2.0

# RINGLET_WITH_*: what a build contains. docs/install.md describes each.
option(RINGLET_WITH_SCHEMES
  "Build ringlet::ringlet, which needs OpenSSL and Zstandard; OFF builds ringlet::kernels alone" ON)
option(RINGLET_WITH_FV "Build ringlet::fv, the FV scheme over general cyclotomic rings" ON)
option(RINGLET_WITH_AVX512
  "Compile the kernels that need AVX-512; OFF is for tests on a processor without it" ON)
option(RINGLET_WITH_GPU "Open the OpenCL and CUDA libraries of the machine at run time" ON)
option(RINGLET_WITH_OPENMP "Share out loops by OpenMP instead of std::thread" OFF)
option(RINGLET_WITH_HEXL "Build HEXL::hexl, which stands in for Intel HEXL" ON)
option(RINGLET_WITH_SEAL "Build SEAL::seal, which stands in for Microsoft SEAL 4" ON)
option(RINGLET_WITH_STATIC_DEPENDENCIES
  "Link the archives of OpenSSL and Zstandard instead of their shared libraries" OFF)
