// SPDX-License-Identifier: Apache-2.0
#include "scheme_streams.hpp"

#include <cerrno>
#include <fcntl.h>
#include <streambuf>
#include <unistd.h>

#include <sys/stat.h>

#include "ringlet/error.hpp"

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

// A buffer over pread: the position is this object's, where that of a file that is opened once is
// shared by all processes that inherit it.
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
    if (base + offset != here) {
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
  off_t next_ = 0;  // of the file's bytes behind those in the buffer
  std::vector<char> buffer_;
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

void refuse_file(const char* operation, const std::filesystem::path& path) {
  throw_runtime_error({operation, path.string() + ": " + std::strerror(errno),
                       "a regular file that can be opened, read or written",
                       "check the path, the rights and the space"});
}

}  // namespace ringlet::python
