// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/public_entry.hpp"
#include "support/test.hpp"

namespace ringlet::test {

/// Expects that `call` throws an Error whose four parts are all present, and passes it to `check`.
template <typename Error, typename Call, typename Check>
void expect_error(const std::string& about, const Call& call, const Check& check) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << about;
  } catch (const Error& error) {
    EXPECT_FALSE(error.operation().empty());
    EXPECT_FALSE(error.offending().empty());
    EXPECT_FALSE(error.limit().empty());
    EXPECT_FALSE(error.remedy().empty());
    check(error);
  }
}

/// Expects an error whose offending value contains `part`.
template <typename Error = InvalidArgument, typename Call>
void expect_refusal(const std::string& part, const Call& call) {
  expect_error<Error>(part, call, [&](const Error& error) {
    EXPECT_NE(error.offending().find(part), std::string::npos) << error.what();
  });
}

/// Expects an error whose whole message contains all of `texts` and whose operation is `operation`,
/// unless that is empty.
template <typename Error = InvalidArgument, typename Call>
void expect_refusal_of(const std::string& operation, std::initializer_list<std::string> texts,
                       const Call& call) {
  expect_error<Error>(operation, call, [&](const Error& error) {
    if (!operation.empty()) {
      EXPECT_EQ(error.operation(), operation);
    }
    for (const std::string& text : texts) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos)
          << '"' << text << "\" is not in: " << error.what();
    }
  });
}

/// Expects an Error of any operation, whose message contains all of `texts`.
template <typename Error, typename Call>
void expect_error_says(std::initializer_list<std::string> texts, const Call& call) {
  SCOPED_TRACE(*texts.begin());
  expect_refusal_of<Error>("", texts, call);
}
template <typename Call>
void expect_refusal_says(const std::string& text, const Call& call) {
  expect_error_says<InvalidArgument>({text}, call);
}

/// Whether `load` throws one of the two documented errors, with all parts of a message.
inline bool is_refused(const std::function<void()>& load) {
  try {
    load();
  } catch (const ErrorInfo& error) {
    EXPECT_FALSE(error.operation().empty() || error.offending().empty() || error.limit().empty() ||
                 error.remedy().empty());
    EXPECT_TRUE(dynamic_cast<const InvalidArgument*>(&error) != nullptr ||
                dynamic_cast<const RuntimeError*>(&error) != nullptr);
    return true;
  }
  return false;
}

/// Expects an Error of an internal call, to which public calls add the operation.
template <typename Error, typename Call>
void expect_error_below(std::initializer_list<std::string> texts, const Call& call) {
  expect_error_says<Error>(texts, [&call] { public_entry("a public call", call); });
}

}  // namespace ringlet::test
