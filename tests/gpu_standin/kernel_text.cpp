// SPDX-License-Identifier: Apache-2.0
#include <cctype>

#include "gpu_standin/engine.hpp"

namespace standin {
namespace {

struct Macro {
  bool takes_arguments = false;
  std::vector<std::string> parameters;
  std::string body;
};
using Macros = std::map<std::string, Macro, std::less<>>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return std::string(text);
}

/// Returns the text without comments, and with continued lines joined.
std::string plain(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.starts_with("\\\n")) {
      ++i;
    } else if (rest.starts_with("//")) {
      i = std::min(text.find('\n', i), text.size()) - 1;
    } else if (rest.starts_with("/*")) {
      i = std::min(text.find("*/", i + 2), text.size() - 2) + 1;
      result += ' ';
    } else {
      result += text[i];
    }
  }
  return result;
}

/// Returns the word from `position` on.
std::string_view word_at(std::string_view text, std::size_t position) {
  std::size_t end = position;
  while (end < text.size() && is_word(text[end])) ++end;
  return text.substr(position, end - position);
}

/// Splits the text between the bracket at `open` and its closing bracket, at commas outside of
/// inner brackets; `end` is behind the closing bracket. Nothing if there is none.
std::optional<std::vector<std::string>> split_list(std::string_view text, std::size_t open,
                                                   std::size_t& end) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (c == ')' && --depth == 0) {
      end = i + 1;
      for (std::string& part : parts) part = trim(part);
      if (parts.size() == 1 && (parts[0].empty() || parts[0] == "void")) parts.clear();
      return parts;
    }
    if (c == ',' && depth == 1) {
      parts.emplace_back();
    } else if (depth > 0) {
      parts.back() += c;
    }
    if (c == '(') ++depth;
  }
  return std::nullopt;
}

void read_macro(std::string_view line, Macros& macros) {
  constexpr std::string_view kDefine = "#define ";
  if (!line.starts_with(kDefine)) return;
  line.remove_prefix(kDefine.size());
  const std::string name(word_at(line, 0));
  Macro macro;
  std::size_t body = name.size();
  if (body < line.size() && line[body] == '(') {
    macro.takes_arguments = true;
    if (const auto parts = split_list(line, body, body)) macro.parameters = *parts;
  }
  macro.body = trim(line.substr(std::min(body, line.size())));
  macros[name] = macro;
}

/// Returns the text with replace(word, end) in place of every word; `end` is behind what it takes.
template <typename Replace>
std::string replace_words(std::string_view text, const Replace& replace) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::string_view word = word_at(text, i);
    i += std::max<std::size_t>(1, word.size());
    result += word.empty() ? std::string(1, text[i - 1]) : replace(word, i);
  }
  return result;
}

/// Returns the body of a macro with its arguments in place, and tokens joined at ##.
std::string fill_in(const Macro& macro, const std::vector<std::string>& arguments) {
  std::string result = replace_words(macro.body, [&](std::string_view word, std::size_t) {
    const auto found = std::ranges::find(macro.parameters, word);
    const auto index = static_cast<std::size_t>(found - macro.parameters.begin());
    return index < arguments.size() ? arguments[index] : std::string(word);
  });
  for (std::size_t paste = 0; (paste = result.find("##")) != std::string::npos;) {
    std::size_t begin = paste;
    std::size_t end = paste + 2;
    while (begin > 0 && result[begin - 1] == ' ') --begin;
    while (end < result.size() && result[end] == ' ') ++end;
    result.erase(begin, end - begin);
  }
  return result;
}

std::string expand(const std::string& text, const Macros& macros, int depth = 0) {
  constexpr int kDeepest = 16;
  if (depth == kDeepest) return text;
  bool changed = false;
  const std::string result = replace_words(text, [&](std::string_view word, std::size_t& end) {
    const auto macro = macros.find(word);
    if (macro == macros.end()) return std::string(word);
    std::vector<std::string> arguments;
    if (macro->second.takes_arguments) {
      const bool is_open = end < text.size() && text[end] == '(';
      const auto parts = is_open ? split_list(text, end, end) : std::nullopt;
      if (!parts) return std::string(word);
      arguments = *parts;
    }
    changed = true;
    return fill_in(macro->second, arguments);
  });
  return changed ? expand(result, macros, depth + 1) : result;
}

}  // namespace

std::string define(std::string definition) {
  if (const std::size_t equals = definition.find('='); equals != std::string::npos) {
    definition[equals] = ' ';
  }
  return "#define " + definition + '\n';
}

Kernels find_kernels(std::string_view source) {
  const std::string text = plain(source);
  Macros macros;
  std::string code;  // without the lines of the preprocessor
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string line = trim(std::string_view(text).substr(begin, end - begin));
    if (line.starts_with('#')) {
      read_macro(line, macros);
    } else {
      code += line + ' ';
    }
    begin = end + 1;
  }
  macros.erase("KERNEL");
  constexpr std::string_view kMark = "KERNEL ";
  Macros makers;  // macros that make whole kernels
  for (const auto& [name, macro] : macros) {
    if (macro.body.find(kMark) != std::string::npos) makers[name] = macro;
  }
  code = expand(code, makers);

  Kernels kernels;
  constexpr std::string_view kVoid = "void ";
  for (std::size_t at = 0; (at = code.find(kMark, at)) != std::string::npos; at += kMark.size()) {
    if (at > 0 && is_word(code[at - 1])) continue;
    const std::size_t found = code.find(kVoid, at);
    const std::size_t open = found == std::string::npos ? found : code.find('(', found);
    if (open == std::string::npos) break;
    std::size_t end = 0;
    const std::string name =
        trim(std::string_view(code).substr(found + kVoid.size(), open - found - kVoid.size()));
    if (!split_list(code, open, end)) break;
    const std::string list = expand(code.substr(open, end - open), macros);
    std::vector<Parameter> parameters;
    if (const auto parts = split_list(list, 0, end)) {
      for (const std::string& part : *parts) {
        const bool pointer = part.find('*') != std::string::npos;
        parameters.push_back(pointer ? Parameter::buffer : Parameter::word);
      }
    }
    kernels[expand(name, macros)] = parameters;
  }
  return kernels;
}

}  // namespace standin
