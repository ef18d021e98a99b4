// 3.13+: __static_attributes__ of a class, the names that its functions store as `self.name`. Source:
// maybe_add_static_attribute_to_class in CPython Python/codegen.c.
#pragma once

#include <set>
#include <string>

#include "ast/node.h"

namespace depyf::verify {

std::set<std::string> static_attributes(const ast::Body& class_body);

}  // namespace depyf::verify
