#include "refine/refine.h"

namespace depyf {

void refine(ast::Body& body, const RefineContext& context) {
    refining::keep_dropped_strings(body, context);
    refining::recover_asserts(body, context);
    refining::drop_tail_jumps(body, context);
    refining::drop_bookkeeping(body, context);
    refining::recover_annotations(body, context);
    refining::merge_statements(body, context);
}

}  // namespace depyf
