// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "gpu/opencl/context.hpp"

namespace ringlet::gpu {
namespace {

constexpr std::string_view kCall = "clGetDeviceInfo";

template <typename T>
T query(const cl::Api& api, cl::Device device, cl::Uint what) {
  T value{};
  cl::check(api.get_device_info(device, what, sizeof value, &value, nullptr), kCall);
  return value;
}

template <typename T>
std::vector<T> query_list(const cl::Api& api, cl::Device device, cl::Uint what) {
  std::size_t bytes = 0;
  cl::check(api.get_device_info(device, what, 0, nullptr, &bytes), kCall);
  std::vector<T> values(bytes / sizeof(T));
  if (!values.empty()) {
    cl::check(api.get_device_info(device, what, bytes, values.data(), nullptr), kCall);
  }
  return values;
}

std::string query_text(const cl::Api& api, cl::Device device, cl::Uint what) {
  const std::vector<char> characters = query_list<char>(api, device, what);
  // The terminator counts, and some drivers pad with blanks.
  std::string text(characters.begin(), std::find(characters.begin(), characters.end(), '\0'));
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

bool has_extension(std::string_view extensions, std::string_view name) {
  return concat(" ", extensions, " ").find(concat(" ", name, " ")) != std::string::npos;
}

std::vector<std::size_t> query_sub_group_sizes(const cl::Api& api, cl::Device device) {
  const std::string extensions = query_text(api, device, cl::kDeviceExtensions);
  std::vector<std::size_t> sizes;
  if (has_extension(extensions, "cl_intel_required_subgroup_size")) {
    sizes = query_list<std::size_t>(api, device, cl::kDeviceSubGroupSizesIntel);
  } else if (has_extension(extensions, "cl_khr_subgroups") &&
             has_extension(extensions, "cl_khr_subgroup_shuffle")) {
    // A kernel cannot choose the width here; two vendors report it.
    if (has_extension(extensions, "cl_nv_device_attribute_query")) {
      sizes = {query<cl::Uint>(api, device, cl::kDeviceWarpSizeNv)};
    } else if (has_extension(extensions, "cl_amd_device_attribute_query")) {
      sizes = {query<cl::Uint>(api, device, cl::kDeviceWavefrontWidthAmd)};
    }
  }
  std::sort(sizes.begin(), sizes.end());
  return sizes;
}

bool is_xe_hpc(const cl::Api& api, cl::Device device) {
  const std::string extensions = query_text(api, device, cl::kDeviceExtensions);
  if (!has_extension(extensions, "cl_intel_device_attribute_query")) return false;
  // Architecture, release and revision in 10, 8 and 14 bits: 12.60 and 12.61 are Ponte Vecchio.
  const auto version = query<cl::Uint>(api, device, cl::kDeviceIpVersionIntel);
  return version >> 22U == 12 && (version >> 15U & 0x7f) == 30;
}

std::size_t query_largest_partition(const cl::Api& api, cl::Device device) {
  const auto types = query_list<cl::Property>(api, device, cl::kDevicePartitionProperties);
  const bool divides = std::any_of(types.begin(), types.end(), [](cl::Property type) {
    return type == cl::kPartitionEqually || type == cl::kPartitionByAffinityDomain;
  });
  if (!divides) return 1;
  return std::max<std::size_t>(1, query<cl::Uint>(api, device, cl::kDevicePartitionMaxSubDevices));
}

}  // namespace

std::size_t compute_unit_count(const cl::Api& api, cl::Device device) {
  return query<cl::Uint>(api, device, cl::kDeviceMaxComputeUnits);
}

unsigned opencl_version(const cl::Api& api, cl::Device device) {
  // "OpenCL <major>.<minor> ..." by the specification.
  const std::string text = query_text(api, device, cl::kDeviceVersion);
  constexpr std::string_view kPrefix = "OpenCL ";
  const std::string_view number =
      std::string_view(text).substr(std::min(kPrefix.size(), text.size()));
  if (!text.starts_with(kPrefix) || number.size() < 3 || number[1] != '.') return 0;
  return static_cast<unsigned>(number[0] - '0') * 10 + static_cast<unsigned>(number[2] - '0');
}

bool is_gpu(const cl::Api& api, cl::Device device) {
  return (query<cl::Bitfield>(api, device, cl::kDeviceType) & cl::kDeviceTypeGpu) != 0;
}

bool is_usable(const cl::Api& api, cl::Device device) {
  return query<cl::Uint>(api, device, cl::kDeviceAvailable) != 0 &&
         query<cl::Uint>(api, device, cl::kDeviceCompilerAvailable) != 0 &&
         query<cl::Uint>(api, device, cl::kDeviceEndianLittle) != 0 &&
         opencl_version(api, device) >= 12;
}

DeviceProperties query_properties(const cl::Api& api, cl::Device device) {
  const auto type = query<cl::Bitfield>(api, device, cl::kDeviceType);
  DeviceProperties properties;
  properties.name = query_text(api, device, cl::kDeviceName);
  properties.vendor = query_text(api, device, cl::kDeviceVendor);
  properties.driver_version = query_text(api, device, cl::kDriverVersion);
  properties.api = Api::opencl;
  properties.is_host_processor = (type & cl::kDeviceTypeCpu) != 0;
  properties.keeps_programs =
      query_text(api, device, cl::kDeviceVersion).find("PoCL") != std::string::npos;
  properties.memory_bytes = query<cl::Ulong>(api, device, cl::kDeviceGlobalMemSize);
  properties.largest_allocation_bytes = query<cl::Ulong>(api, device, cl::kDeviceMaxMemAllocSize);
  properties.local_memory_bytes = query<cl::Ulong>(api, device, cl::kDeviceLocalMemSize);
  properties.largest_group = query<std::size_t>(api, device, cl::kDeviceMaxWorkGroupSize);
  properties.compute_units = compute_unit_count(api, device);
  properties.sub_group_sizes = query_sub_group_sizes(api, device);
  properties.is_xe_hpc = is_gpu(api, device) && is_xe_hpc(api, device);
  properties.largest_partition = query_largest_partition(api, device);
  return properties;
}

}  // namespace ringlet::gpu
