// SPDX-License-Identifier: Apache-2.0
#include "gpu/reporter.hpp"

#include "base/text.hpp"

namespace ringlet::bench {

bool Reporter::is_right(const std::string& part, const std::string& row,
                        const std::function<void()>& check) {
  try {
    check();
    return true;
  } catch (const OutOfDeviceMemory&) {
    throw;
  } catch (const RuntimeError& error) {
    if (wrong_count_++ == 0) {
      first_wrong_ = {error.operation(), error.offending(), error.limit(), error.remedy()};
    }
    say(Line("refused")
            .add("part", part)
            .add("row", row)
            .add("reason", concat("wrong: ", error.offending(), "; ", error.limit())));
    return false;
  }
}

void Reporter::throw_if_wrong() const {
  if (wrong_count_ == 0) return;
  ErrorDetails details = first_wrong_;
  if (wrong_count_ > 1) details.offending += concat(" (first of ", wrong_count_, " wrong results)");
  throw_runtime_error(details);
}

}  // namespace ringlet::bench
