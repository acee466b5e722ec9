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

/// The measured fastest kernel of one operation.
struct WisdomEntry {
  std::string operation;  ///< "ntt", or the name of an element-wise operation.
  int log_degree = 0;     ///< Transforms have length 2^log_degree; 0 for other operations.
  int modulus_bits = 0;   ///< Exact number of bits of the modulus.
  std::string kernel;     ///< "table/algorithm".

  friend auto operator<=>(const WisdomEntry&, const WisdomEntry&) = default;
};

/// The progress that Wisdom::tune reports after each entry. Points of the grid for which no modulus
/// or no kernel exists count as completed and are not reported.
struct TuneProgress {
  std::size_t completed = 0;  ///< Completed points of the grid, this one included.
  std::size_t total = 0;      ///< Points of the whole grid.
  WisdomEntry entry;
  std::string estimate;  ///< "table/algorithm" of the kernel that PlanEffort::estimate takes.
  double gain = 1;       ///< Time of the estimate's kernel / time of the entry's kernel.
};

/// The grid that Wisdom::tune measures: every operation for every width of modulus, and transforms
/// also for every degree. Combinations for which no modulus or no kernel exists are left out.
struct RINGLET_API TuneOptions {
  std::vector<int> log_degrees;         ///< From 1 to 20.
  std::vector<int> modulus_bits;        ///< From 2 to 63.
  std::vector<std::string> operations;  ///< "ntt" and names of element-wise operations.
  /// Called after each measurement, in the thread that called tune. An exception from it ends tune.
  std::function<void(const TuneProgress&)> progress;

  /// Sets degrees 2^3 to 2^17, moduli of 20 to 62 bits and all operations. Tuning takes about ten
  /// seconds.
  TuneOptions();
  /// Returns degrees 2^10 to 2^14 and eight widths from 30 to 61 bits. Tuning takes about one
  /// second.
  static TuneOptions quick();
};

enum class WisdomState {
  used,     ///< Valid for this library on this processor.
  absent,   ///< The file does not exist, or no file was named.
  stale,    ///< Written by another version of the library, or for another processor.
  damaged,  ///< Not a file, not readable, too large, or not written by `save`.
};

/// Returns "used", "absent", "stale" or "damaged".
RINGLET_API const char* wisdom_state_name(WisdomState state) noexcept;

struct WisdomFile;

/// The kernels that were measured as the fastest on this processor. An immutable value, cheap to
/// copy.
///
/// A plan with wisdom takes the kernel of the entry for its operation, degree and number of bits of
/// the modulus. It ignores the entry if its KernelSelection does not allow that kernel, or if the
/// kernel does not accept the modulus. Wisdom changes the speed of a plan, never its results. Files
/// and their limits: docs/kernel_selection.md.
class RINGLET_API Wisdom {
 public:
  /// Makes wisdom without entries.
  Wisdom() = default;
  /// Makes wisdom from `entries`.
  /// @throws InvalidArgument if an entry names no kernel of this library, if its kernel does not
  ///         fit the operation, degree or width of the entry, or if two entries have the same
  ///         operation, degree and width.
  explicit Wisdom(std::vector<WisdomEntry> entries);

  /// Times all kernels that this processor supports and keeps the fastest for each point of the
  /// grid. The kernel of the estimate is kept unless another is faster by a margin. Uses random
  /// data of its own and only the calling thread. Run it on a machine that is otherwise idle.
  /// @throws InvalidArgument if an option is out of range; any exception of `progress`.
  static Wisdom tune(const TuneOptions& options = TuneOptions());

  /// Reads a file that `save` wrote. Reads only regular files, and at most kMaxWisdomBytes. A
  /// missing or unusable file does not throw: the result has no entries, a state and a reason.
  static WisdomFile load(const std::string& path);
  /// Parses a text that text() returned. An unusable text does not throw, as in load.
  static WisdomFile parse(std::string_view text);
  /// Returns the file that the environment variable RINGLET_WISDOM names, read once per process at
  /// the first call. The state is `absent` and the path empty if the variable is unset or empty.
  static const WisdomFile& from_environment();

  /// Returns the text form, which is valid for this version of the library and this processor only.
  std::string text() const;
  /// Writes the text form to a new file beside `path` and renames it to `path` in one step: a
  /// reader sees either the old file or the new file. An existing file is replaced.
  /// @throws RuntimeError if the file cannot be written; an existing file is then unchanged.
  void save(const std::string& path) const;

  bool empty() const noexcept { return entries().empty(); }
  /// Returns the entries, sorted by operation, degree and width.
  const std::vector<WisdomEntry>& entries() const noexcept;
  /// Returns "table/algorithm" of the entry for an operation, or an empty string if there is none.
  /// log_degree is 0 for element-wise operations.
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

/// Largest wisdom file that is read, in bytes.
inline constexpr std::size_t kMaxWisdomBytes = std::size_t{1} << 20;

/// The result of reading wisdom.
struct WisdomFile {
  Wisdom wisdom;  ///< Empty unless the state is `used`.
  WisdomState state = WisdomState::absent;
  std::string reason;  ///< Why the wisdom is not used; empty if it is used.
  std::string path;    ///< Empty for a text, or if no file was named.
};

}  // namespace ringlet
