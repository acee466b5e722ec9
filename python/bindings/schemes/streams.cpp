// SPDX-License-Identifier: Apache-2.0
#include "bindings/schemes/streams.hpp"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <streambuf>
#include <system_error>
#include <unistd.h>

#include <nanobind/stl/filesystem.h>
#include <sys/stat.h>

#include "bindings/core/bindings.hpp"
#include "ringlet/base/error.hpp"

namespace ringlet::python {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;

class MemoryBuffer : public std::streambuf {
 public:
  MemoryBuffer(const char* data, std::size_t size) {
    char* begin = const_cast<char*>(data);  // never written: there is no put area
    setg(begin, begin, begin + size);
  }
};

// A buffer over pread with a position of its own: processes that inherit an open file would share
// the position of the file.
class FileBuffer : public std::streambuf {
 public:
  FileBuffer(int descriptor, off_t size)
      : descriptor_(descriptor), size_(size), buffer_(kBufferBytes) {}
  ~FileBuffer() override { ::close(descriptor_); }
  FileBuffer(const FileBuffer&) = delete;
  FileBuffer& operator=(const FileBuffer&) = delete;

 protected:
  int_type underflow() override {
    ssize_t count = 0;
    do {
      count = ::pread(descriptor_, buffer_.data(), buffer_.size(), next_);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) return traits_type::eof();
    next_ += count;
    setg(buffer_.data(), buffer_.data(), buffer_.data() + count);
    return traits_type::to_int_type(buffer_.front());
  }

  pos_type seekoff(off_type offset, std::ios_base::seekdir from, std::ios_base::openmode) override {
    const off_t here = next_ - (egptr() - gptr());
    const off_t base = from == std::ios_base::beg ? 0 : from == std::ios_base::cur ? here : size_;
    if (offset < -base || offset > size_ - base) return off_type(-1);
    if (from != std::ios_base::cur || offset != 0) {  // bytes read before a seek may be outdated
      next_ = base + offset;
      setg(buffer_.data(), buffer_.data(), buffer_.data());
    }
    return base + offset;
  }

  pos_type seekpos(pos_type position, std::ios_base::openmode which) override {
    return seekoff(position, std::ios_base::beg, which);
  }

 private:
  int descriptor_;
  off_t size_;
  off_t next_ = 0;  // the position after the bytes in the buffer
  std::vector<char> buffer_;
};

// Passes every write on at once.
class WriterBuffer : public std::streambuf {
 public:
  explicit WriterBuffer(FileWriter& writer) : writer_(writer) {}

 protected:
  std::streamsize xsputn(const char* bytes, std::streamsize count) override {
    writer_.write({bytes, static_cast<std::size_t>(count)});
    return count;
  }
  int_type overflow(int_type byte) override {
    const char character = traits_type::to_char_type(byte);
    return xsputn(&character, 1) == 1 ? byte : traits_type::eof();
  }

 private:
  FileWriter& writer_;
};

// An input stream that owns its buffer.
template <typename Buffer>
class OwningStream : public std::istream {
 public:
  template <typename... Arguments>
  explicit OwningStream(Arguments... arguments) : std::istream(nullptr), buffer_(arguments...) {
    rdbuf(&buffer_);
  }

 private:
  Buffer buffer_;
};

}  // namespace

std::shared_ptr<std::istream> memory_stream(const char* data, std::size_t size) {
  return std::make_shared<OwningStream<MemoryBuffer>>(data, size);
}

std::shared_ptr<std::istream> file_stream(const std::filesystem::path& path,
                                          const char* operation) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat facts{};
  if (descriptor < 0) refuse_file(operation, path);
  if (::fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    ::close(descriptor);
    errno = EINVAL;
    refuse_file(operation, path);
  }
  return std::make_shared<OwningStream<FileBuffer>>(descriptor, facts.st_size);
}

std::ifstream secret_file_stream(const std::filesystem::path& path, const char* operation) {
  std::ifstream file;
  file.rdbuf()->pubsetbuf(nullptr, 0);
  file.open(path, std::ios::binary);
  if (!file) refuse_file(operation, path);
  return file;
}

void write_file(const std::filesystem::path& path, const char* operation, FileRights rights,
                const std::function<void(std::ostream&)>& write) {
  try {
    FileWriter writer(path, rights);
    WriterBuffer buffer(writer);
    std::ostream stream(&buffer);
    stream.exceptions(std::ios::badbit);  // lets errors of the writer pass
    write(stream);
    writer.commit();
  } catch (const std::system_error& error) {
    errno = error.code().value();
    refuse_file(operation, path);
  }
}

void bind_files(nb::module_& module) {
  module.def(
      "write_file",
      [](const std::filesystem::path& path, const nb::bytes& data) {
        try {
          const nb::gil_scoped_release unlocked;
          FileWriter writer(path);
          writer.write({data.c_str(), data.size()});
          writer.commit();
        } catch (const std::system_error& error) {
          errno = error.code().value();
          PyErr_SetFromErrnoWithFilename(PyExc_OSError, path.c_str());
          throw nb::python_error();
        }
      },
      "path"_a, "data"_a,
      nb::sig("def write_file(path: str | os.PathLike[str], data: bytes) -> None"),
      "Writes a file in one step.");
}

void refuse_file(const char* operation, const std::filesystem::path& path) {
  throw_runtime_error({operation, path.string() + ": " + std::strerror(errno),
                       "a regular file that can be opened, read or written",
                       "check the path, the permissions and the free space"});
}

}  // namespace ringlet::python
