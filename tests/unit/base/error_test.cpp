// SPDX-License-Identifier: Apache-2.0
#include "ringlet/error.hpp"

#include "support/test.hpp"

namespace ringlet {
namespace {

const ErrorDetails kDetails{.operation = "Ntt",
                            .offending = "degree = 12",
                            .limit = "a power of two",
                            .remedy = "choose 8 or 16"};

// Catches what `raise` throws as Standard, and again as ErrorInfo, and compares both.
template <typename Leaf, typename Standard>
void expect_leaf(void (*raise)(const ErrorDetails&)) {
  EXPECT_THROW(raise(kDetails), Leaf);
  try {
    raise(kDetails);
    FAIL() << "nothing was thrown";
  } catch (const Standard& error) {
    EXPECT_STREQ(error.what(), "Ntt: degree = 12; limit: a power of two; remedy: choose 8 or 16");
  }
  try {
    raise(kDetails);
    FAIL() << "nothing was thrown";
  } catch (const ErrorInfo& info) {
    EXPECT_EQ(info.operation(), kDetails.operation);
    EXPECT_EQ(info.offending(), kDetails.offending);
    EXPECT_EQ(info.limit(), kDetails.limit);
    EXPECT_EQ(info.remedy(), kDetails.remedy);
  }
}

TEST(Error, EachLeafIsItsStandardExceptionAndCarriesTheParts) {
  expect_leaf<InvalidArgument, std::invalid_argument>(&throw_invalid_argument);
  expect_leaf<OutOfRange, std::out_of_range>(&throw_out_of_range);
  expect_leaf<LogicError, std::logic_error>(&throw_logic_error);
  expect_leaf<RuntimeError, std::runtime_error>(&throw_runtime_error);
}

TEST(Error, IsCaughtAsStdExceptionWithoutAmbiguity) {
  EXPECT_THROW(throw_invalid_argument(kDetails), std::exception);
  EXPECT_THROW(throw_runtime_error(kDetails), std::exception);
  EXPECT_FALSE((std::is_base_of_v<std::exception, ErrorInfo>));
}

TEST(Error, CopiesKeepThePartsAndNeverThrow) {
  EXPECT_TRUE(std::is_nothrow_copy_constructible_v<InvalidArgument>);
  EXPECT_TRUE(std::is_nothrow_copy_constructible_v<RuntimeError>);
  const auto copy = [] {
    const InvalidArgument original(kDetails);
    return InvalidArgument(original);
  }();
  EXPECT_EQ(copy.remedy(), kDetails.remedy);
  EXPECT_EQ(copy.what(), format_error(kDetails));
}

TEST(Error, FormatNamesAllParts) {
  const std::string text = format_error(kDetails);
  EXPECT_NE(text.find(kDetails.operation), std::string::npos);
  EXPECT_NE(text.find(kDetails.offending), std::string::npos);
  EXPECT_NE(text.find(kDetails.limit), std::string::npos);
  EXPECT_NE(text.find(kDetails.remedy), std::string::npos);
}

}  // namespace
}  // namespace ringlet
