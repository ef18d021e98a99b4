#include "verify/names.h"

namespace depyf::verify {

Name Names::mangle(std::string_view class_name, std::string_view name) {
    const std::size_t first = class_name.find_first_not_of('_');
    const bool is_private = name.size() > 2 && name[0] == '_' && name[1] == '_' &&
                            name.substr(name.size() - 2) != "__" && name.find('.') == std::string_view::npos;
    if (!is_private || first == std::string_view::npos) return intern(name);
    return intern("_" + std::string(class_name.substr(first)) + std::string(name));
}

}  // namespace depyf::verify
