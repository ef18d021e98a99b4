"""Import an interpreter's opcode tables into src/bytecode/generated/.

    <interpreter> tools/import_opcodes.py src/bytecode/generated     # writes pyXY.def of the running interpreter
    python3 tools/import_opcodes.py --merge src/bytecode/generated   # rewrites opcode_names.def from all pyXY.def

Runs on CPython 3.7 and later. Sources: that interpreter's `opcode`, `dis` and `_opcode` modules; nothing is typed in
by hand. Rows of pyXY.def:

    DEPYF_OPCODE(byte, NAME, has_arg, kind, caches)   kind: the `dis.has*` list that the opcode is in, or none
    DEPYF_SPECIALIZED(byte, NAME, BASE)               specialised or instrumented form of BASE
    DEPYF_COMPARE(index, "text")  DEPYF_BINARY(index, "text")  DEPYF_INTRINSIC_1(index, "NAME") ...  operand tables
"""

import dis
import opcode
import os
import re
import sys

HEADER = "// Written by tools/import_opcodes.py from CPython {}. Do not edit.\n"
# Forms that stand for "whatever was here before": their base is only known from the original code.
NO_BASE = ("INSTRUMENTED_LINE", "INSTRUMENTED_INSTRUCTION", "ENTER_EXECUTOR", "TRACE_RECORD", "RESERVED")
KINDS = (  # (kind, attribute of `opcode`); the first hit names the kind
    ("Const", "hasconst"),
    ("Name", "hasname"),
    ("JumpAbsolute", "hasjabs"),
    ("JumpRelative", "hasjrel"),
    ("Local", "haslocal"),
    ("Free", "hasfree"),
    ("Compare", "hascompare"),
)


def has_arg(byte):
    if hasattr(opcode, "hasarg"):
        return byte in opcode.hasarg
    return byte >= opcode.HAVE_ARGUMENT


def kind_of(byte):
    for kind, attribute in KINDS:
        if byte in getattr(opcode, attribute):
            return kind
    return "Number" if has_arg(byte) else "None"


def cache_count(name, byte):
    entries = getattr(opcode, "_inline_cache_entries", None)
    if entries is None:
        return 0
    return entries.get(name, 0) if hasattr(entries, "get") else entries[byte]


def split_forms():
    """All opcodes of one byte as (base, derived): base {name: byte}, derived [(byte, name, base name)]."""
    everything = {n: b for n, b in getattr(dis, "_all_opmap", opcode.opmap).items() if b < 256}
    families = getattr(opcode, "_specializations", {})
    base_of = {special: base for base, family in families.items() for special in family}
    base, derived = {}, []
    for name, byte in sorted(everything.items(), key=lambda item: item[1]):
        if name in base_of:
            derived.append((byte, name, base_of[name]))
        elif name in NO_BASE:
            continue
        elif name.startswith("INSTRUMENTED_"):
            derived.append((byte, name, name[len("INSTRUMENTED_") :]))
        else:
            base[name] = byte
    return base, derived


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def constant_text(value):
    return value.__name__ if callable(value) else repr(value)


def operand_tables():
    tables = [("COMPARE", opcode.cmp_op)]
    tables.append(("BINARY", [text for _, text in getattr(opcode, "_nb_ops", [])]))
    tables.append(("INTRINSIC_1", getattr(opcode, "_intrinsic_1_descs", [])))
    tables.append(("INTRINSIC_2", getattr(opcode, "_intrinsic_2_descs", [])))
    tables.append(("COMMON_CONSTANT", [constant_text(c) for c in getattr(opcode, "_common_constants", [])]))
    tables.append(("SPECIAL_METHOD", getattr(opcode, "_special_method_names", [])))
    return tables


def write_version(folder):
    version = "%d.%d" % sys.version_info[:2]
    base, derived = split_forms()
    macros = ("OPCODE", "SPECIALIZED") + tuple(table for table, _ in operand_tables())
    lines = [HEADER.format(version)]
    # Whoever includes the file defines the rows that he wants; the others expand to nothing.
    lines += ["#ifndef DEPYF_%s\n#define DEPYF_%s(...)\n#endif\n" % (macro, macro) for macro in macros]
    for name, byte in sorted(base.items(), key=lambda item: item[1]):
        row = (byte, name, int(has_arg(byte)), kind_of(byte), cache_count(name, byte))
        lines.append("DEPYF_OPCODE(%d, %s, %d, %s, %d)\n" % row)
    for row in derived:
        lines.append("DEPYF_SPECIALIZED(%d, %s, %s)\n" % row)
    for table, rows in operand_tables():
        for index, text in enumerate(rows):
            lines.append("DEPYF_%s(%d, %s)\n" % (table, index, quoted(text)))
    lines += ["#undef DEPYF_%s\n" % macro for macro in macros]
    path = os.path.join(folder, "py%d%d.def" % sys.version_info[:2])
    with open(path, "w") as out:
        out.writelines(lines)


def merge_names(folder):
    names = set()
    for file in os.listdir(folder):
        if re.match(r"py\d+\.def$", file):
            with open(os.path.join(folder, file)) as table:
                names.update(re.findall(r"DEPYF_OPCODE\(\d+, (\w+),", table.read()))
    with open(os.path.join(folder, "opcode_names.def"), "w") as out:
        out.write("// Written by tools/import_opcodes.py --merge from the tables beside it. Do not edit.\n")
        out.writelines("DEPYF_OPCODE_NAME(%s)\n" % name for name in sorted(names))
        out.write("#undef DEPYF_OPCODE_NAME\n")


if __name__ == "__main__":
    if sys.argv[1] == "--merge":
        merge_names(sys.argv[2])
    else:
        write_version(sys.argv[1])
