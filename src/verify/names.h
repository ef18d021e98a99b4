// Names as the re-lowered code spells them: mangled, each kept once, so that equal names have equal addresses.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>

namespace depyf::verify {

using Name = const std::string*;

class Names {
  public:
    Name intern(std::string_view text) { return &*pool_.emplace(text).first; }
    // Source: _Py_Mangle in CPython Python/compile.c. `class_name` is empty outside classes.
    Name mangle(std::string_view class_name, std::string_view name);

  private:
    std::unordered_set<std::string> pool_;
};

}  // namespace depyf::verify
