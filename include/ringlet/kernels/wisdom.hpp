// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ringlet/base/export.hpp"

namespace ringlet {

/// The fastest kernel of one operation, as somebody measured it.
struct WisdomEntry {
  std::string operation;  ///< "ntt", or the name of an element-wise operation.
  int log_degree = 0;     ///< Of transforms of length 2^log_degree; 0 for other operations.
  int modulus_bits = 0;   ///< Bits of the modulus, exactly.
  std::string kernel;     ///< "table/algorithm".

  friend auto operator<=>(const WisdomEntry&, const WisdomEntry&) = default;
};

/// What Wisdom::tune tells of each entry.
struct TuneProgress {
  std::size_t completed = 0;  ///< Entries so far, this one included.
  std::size_t total = 0;      ///< Entries of the whole grid.
  WisdomEntry entry;
  std::string estimate;  ///< "table/algorithm" that PlanEffort::estimate takes.
  double gain = 1;       ///< Time of the estimate's kernel divided by that of the entry's one.
};

/// What Wisdom::tune measures: every operation for every width of modulus, transforms for every
/// degree as well. Combinations that no modulus or no kernel has are left out.
struct RINGLET_API TuneOptions {
  std::vector<int> log_degrees;         ///< From 1 to 20.
  std::vector<int> modulus_bits;        ///< From 2 to 63.
  std::vector<std::string> operations;  ///< "ntt" and names of element-wise operations.
  /// Called after each measurement, from the thread that called tune. What it throws ends tune.
  std::function<void(const TuneProgress&)> progress;

  /// Degrees 2^3 to 2^17, moduli of 20 to 62 bits, all operations. Takes about ten seconds.
  TuneOptions();
  /// Degrees 2^10 to 2^14 and eight widths between 30 and 61 bits: about one second.
  static TuneOptions quick();
};

enum class WisdomState {
  used,     ///< Valid for this library on this processor.
  absent,   ///< There is no such file, or no file was named.
  stale,    ///< Written by another version of the library, or for another processor.
  damaged,  ///< Not a file, not readable, too large, or not what `save` wrote.
};

/// "used", "absent", "stale" or "damaged".
RINGLET_API const char* wisdom_state_name(WisdomState state) noexcept;

struct WisdomFile;

/// Which kernels turned out to be the fastest on this processor; an immutable value, cheap to copy.
///
/// A plan that has wisdom takes the kernel of the entry for its operation, degree and width of the
/// modulus, if the plan's KernelSelection allows that kernel and the kernel takes the modulus;
/// otherwise the entry is ignored. Wisdom changes how fast a plan is, never its results. Files and
/// their limits: docs/kernel_selection.md.
class RINGLET_API Wisdom {
 public:
  /// No entries.
  Wisdom() = default;
  /// @throws InvalidArgument if an entry names no kernel of this library, if its kernel has another
  ///         operation, degree or width, or if two entries are for the same.
  explicit Wisdom(std::vector<WisdomEntry> entries);

  /// Times all kernels that this processor has, in turn, and keeps the fastest of each; one that is
  /// not clearly faster than the estimate's leaves the estimate's. Uses random data of its own and
  /// the calling thread alone. The machine should be quiet.
  /// @throws InvalidArgument if an option is out of range, and what `progress` throws.
  static Wisdom tune(const TuneOptions& options = TuneOptions());

  /// Reads a file that `save` wrote. Never throws for what is in the file or for want of one: what
  /// cannot be used gives no entries, a state and a reason. Reads at most kMaxWisdomBytes, and only
  /// of regular files.
  static WisdomFile load(const std::string& path);
  /// The same for a text.
  static WisdomFile parse(std::string_view text);
  /// The file that the environment variable RINGLET_WISDOM names, read once per process at the
  /// first call; state `absent` and an empty path where it is unset or empty.
  static const WisdomFile& from_environment();

  /// The text form, bound to this library and this processor.
  std::string text() const;
  /// Writes the text form to a new file beside `path` and gives it that name in one step: a reader
  /// sees the old file or the new one. An existing file is replaced.
  /// @throws RuntimeError if it cannot be written; what was there is left as it was.
  void save(const std::string& path) const;

  bool empty() const noexcept { return entries().empty(); }
  /// Sorted by operation, degree and width.
  const std::vector<WisdomEntry>& entries() const noexcept;
  /// "table/algorithm" of the entry for an operation; empty if there is none. log_degree is 0 for
  /// element-wise operations.
  std::string_view kernel(std::string_view operation, int log_degree,
                          int modulus_bits) const noexcept;

  friend bool operator==(const Wisdom& a, const Wisdom& b) noexcept {
    return a.entries() == b.entries();
  }

 private:
  struct Checked {};
  Wisdom(Checked, std::vector<WisdomEntry> entries);

  std::shared_ptr<const std::vector<WisdomEntry>> entries_;
};

/// Largest wisdom file that is read.
inline constexpr std::size_t kMaxWisdomBytes = std::size_t{1} << 20;

/// What came of reading wisdom.
struct WisdomFile {
  Wisdom wisdom;  ///< Empty unless the state is `used`.
  WisdomState state = WisdomState::absent;
  std::string reason;  ///< Why it is not used; empty if it is.
  std::string path;    ///< Empty for a text, or where no file was named.
};

}  // namespace ringlet
