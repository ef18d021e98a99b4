// Text to CodeObject, for tests of bytecode that no compiler emits.
//
//   .version 3.11            first line of the file
//   .code g                  begins a nested code object, .end ends it; constants name it as: code g
//   .end
//   .name f   .qualname C.f   .filename f.py   .firstlineno 1   .stacksize 8   .flags 0x3
//   .arg a   .kwonly k   .vararg args   .varkw kwargs   .local x   .cell c   .free v      variables, in this order
//   .posonly 1               so many of the .arg are positional-only
//   .const None              appends to co_consts; operands append what is missing by themselves
//   .line 3                  of the instructions that follow
//   .except L1 L2 L3 0 lasti from label L1 up to L2, handler L3, stack depth 0 (3.11+; "lasti" may be left out)
//   L1:                      a label
//   LOAD_GLOBAL print + NULL     flag bits as `dis` shows them: + NULL, + NULL|self, + lazy, + eager, + super
//   LOAD_CONST 'text'        a literal, see literal_parser.h
//   LOAD_FAST_LOAD_FAST a, b
//   BINARY_OP +              COMPARE_OP <     COMPARE_OP bool(<)     JUMP_FORWARD L1
//   CALL 2                   numbers; #2 is the raw operand of any opcode
//
// Empty lines and lines that begin with # are skipped. co_flags are 0 for the name <module>, else 0x3 (optimized,
// newlocals), unless .flags says otherwise; CO_VARARGS and CO_VARKEYWORDS are added.
#pragma once

#include <memory>
#include <string_view>

#include "bytecode/code_object.h"

namespace depyf {

// Throws Error (offset of the line in `text`) with the line's number in the message.
std::shared_ptr<const CodeObject> assemble(std::string_view text);

}  // namespace depyf
