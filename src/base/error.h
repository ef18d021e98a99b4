// The one exception type of the engine. It never leaves the public API.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

namespace depyf {

// Bad input: `offset` is a byte offset into the file (reader) or into co_code (everything later), -1 where there is none.
class Error : public std::runtime_error {
  public:
    Error(std::int64_t offset, const std::string& message) : std::runtime_error(message), offset_(offset) {}
    std::int64_t offset() const { return offset_; }

  private:
    std::int64_t offset_;
};

}  // namespace depyf
