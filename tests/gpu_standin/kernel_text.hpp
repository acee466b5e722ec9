// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace standin {

enum class Parameter { buffer, word };

/// The kernels of a text, by name, each with its parameters: every function that is marked KERNEL,
/// with the macros of the text expanded in its list of parameters. Conditions are not looked at:
/// the last definition of a macro or kernel counts.
std::map<std::string, std::vector<Parameter>> find_kernels(std::string_view text);

}  // namespace standin
