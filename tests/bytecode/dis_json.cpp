// Prints what the reader and the decoder make of .pyc files, one JSON line per code object, for tools/compare_dis.py.
// A path that ends in .dis is assembled first (bytecode/assembler.h).
//
//   dis_json a.pyc b.pyc ...      or, with the paths one a line on standard input:    dis_json -
//
// {"file": index, "error": [offset, message]} stands where a file or a code object cannot be read.
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "base/error.h"
#include "bytecode/assembler.h"
#include "bytecode/disassembler.h"
#include "bytecode/features.h"
#include "bytecode/operand_text.h"
#include "bytecode/pyc_reader.h"

namespace {

using depyf::Constant;

// Surrogates stay as their bytes: "\u" escapes would join two lone ones into one character.
std::string json_text(const std::string& text) {
    std::string out = "\"";
    char buffer[8];
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\') {
            std::snprintf(buffer, sizeof buffer, "\\u%04x", static_cast<unsigned>(c));
            out += buffer;
        } else {
            out.push_back(c);
        }
    }
    return out + "\"";
}

std::string hex_text(const std::string& bytes) {
    std::string out;
    for (const char c : bytes) {
        static const char kDigits[] = "0123456789abcdef";
        out.push_back(kDigits[static_cast<unsigned char>(c) >> 4]);
        out.push_back(kDigits[static_cast<unsigned char>(c) & 15]);
    }
    return out;
}

// The bits, so that -0.0 and nan are told apart.
std::string json_float(double value) {
    char buffer[24];
    std::snprintf(buffer, sizeof buffer, "\"%016" PRIx64 "\"", std::bit_cast<std::uint64_t>(value));
    return buffer;
}

template <typename Items, typename Format>
std::string json_list(const Items& items, Format format) {
    std::string out = "[";
    for (const auto& item : items) {
        out += (out.size() > 1 ? "," : "") + format(item);
    }
    return out + "]";
}

std::string json_constant(const Constant& constant) {
    using Kind = Constant::Kind;
    static const char* const kNames[] = {"None",    "True",       "False", "Ellipsis", "StopIteration", "int",  "float",
                                         "complex", "str",        "bytes", "tuple",    "frozenset",     "list", "set",
                                         "dict",    "frozendict", "slice", "code",     "opaque"};
    std::string out = std::string("[\"") + kNames[static_cast<std::size_t>(constant.kind)] + "\"";
    switch (constant.kind) {
        case Kind::Int: return out + ",\"" + constant.text + "\"]";
        case Kind::Str: return out + "," + json_text(constant.text) + "]";
        case Kind::Bytes: return out + ",\"" + hex_text(constant.text) + "\"]";
        case Kind::Float: return out + "," + json_float(constant.real) + "]";
        case Kind::Complex: return out + "," + json_float(constant.real) + "," + json_float(constant.imag) + "]";
        case Kind::Code: return out + "," + json_text(constant.code->name) + "]";
        default: return out + "," + json_list(constant.items, json_constant) + "]";
    }
}

std::string json_instruction(const depyf::CodeObject& code, const depyf::ListedInstruction& listed) {
    const depyf::Instruction& instruction = listed.instruction;
    const depyf::Location& at = instruction.location;
    const depyf::Operand operand = depyf::opcode_meaning(code.version, instruction.op).operand;
    std::int64_t target = instruction.target;
    if (operand == depyf::Operand::SourceBackward) {
        target =
            std::int64_t{instruction.end} - std::int64_t{instruction.arg} * depyf::features(code.version).jump_unit;
    }
    std::string out = "[" + std::to_string(instruction.offset) + "," + std::to_string(instruction.start) + ",\"" +
                      listed.opname + "\"," + (listed.has_arg ? std::to_string(instruction.arg) : "null") + ",";
    out += operand == depyf::Operand::Const ? json_constant(code.consts[instruction.arg])
                                            : json_text(depyf::operand_text(code, instruction));
    out += "," + std::to_string(target) + ",[" + std::to_string(at.line) + "," + std::to_string(at.end_line) + "," +
           std::to_string(at.column) + "," + std::to_string(at.end_column) + "]]";
    return out;
}

std::string json_code(const depyf::CodeObject& code, std::size_t file) {
    const depyf::Listing listing = depyf::list_instructions(code);
    std::string out = "{\"file\":" + std::to_string(file) + ",\"name\":" + json_text(code.name);
    out += ",\"qualname\":" + json_text(code.qualname) + ",\"filename\":" + json_text(code.filename);
    out += ",\"numbers\":[" + std::to_string(code.argcount) + "," + std::to_string(code.posonlyargcount) + "," +
           std::to_string(code.kwonlyargcount) + "," + std::to_string(code.stacksize) + "," +
           std::to_string(code.flags) + "," + std::to_string(code.firstlineno) + "]";
    out += ",\"names\":" + json_list(std::vector{code.names, code.varnames, code.cellvars, code.freevars},
                                     [](const auto& names) { return json_list(names, json_text); });
    out += ",\"consts\":" + json_list(code.consts, json_constant);
    out += ",\"instructions\":" +
           json_list(listing.instructions, [&](const auto& listed) { return json_instruction(code, listed); });
    out += ",\"exceptions\":" + json_list(listing.exceptions, [](const depyf::ExceptionEntry& entry) {
               return "[" + std::to_string(entry.start) + "," + std::to_string(entry.end) + "," +
                      std::to_string(entry.target) + "," + std::to_string(entry.depth) + "," +
                      (entry.lasti ? "true" : "false") + "]";
           });
    return out + "}";
}

void print_error(std::size_t file, const depyf::Error& error) {
    std::cout << "{\"file\":" << file << ",\"error\":[" << error.offset() << "," << json_text(error.what()) << "]}\n";
}

void print_file(std::size_t index, const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    try {
        const bool assembles = path.ends_with(".dis");
        const auto root = assembles ? depyf::assemble(bytes) : depyf::read_pyc(depyf::as_bytes(bytes)).code;
        for (const depyf::CodeObject* code : depyf::nested_code_objects(*root)) {
            try {
                std::cout << json_code(*code, index) << '\n';
            } catch (const depyf::Error& error) {
                print_error(index, error);
            }
        }
    } catch (const depyf::Error& error) {
        print_error(index, error);
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::ios::sync_with_stdio(false);
    std::vector<std::string> paths(argv + 1, argv + argc);
    if (paths.size() == 1 && paths[0] == "-") {
        paths.clear();
        for (std::string line; std::getline(std::cin, line);) {
            paths.push_back(line);
        }
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
        print_file(i, paths[i]);
    }
    return 0;
}
