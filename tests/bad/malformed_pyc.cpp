// Damages .pyc files in every way that is cheap to try and reads them: each attempt must end in a result or in Error.
// A crash, another exception or a hang is the failure; run it under a sanitizer to see more.
//
//   malformed_pyc SEED a.pyc b.pyc ...
//
// Damages: cut off at every length; every single bit flipped; every byte replaced by 0, 0x7f, 0x80, 0xff and by the
// type codes of containers and references; a number of random changes of several bytes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

#include "base/error.h"
#include "bytecode/disassembler.h"
#include "bytecode/features.h"
#include "bytecode/pyc_reader.h"

namespace {

struct Counts {
    std::uint64_t read = 0;      // still a .pyc file
    std::uint64_t refused = 0;   // Error
};

// What is left of a refused file is whole: its own code objects can be listed, or say by Error why not.
void salvage(const std::string& bytes) {
    depyf::Version version;
    try {
        version = depyf::version_of_magic(static_cast<std::uint16_t>(static_cast<unsigned char>(bytes.at(0)) |
                                                                     static_cast<unsigned char>(bytes.at(1)) << 8));
    } catch (const std::exception&) {
        return;
    }
    const depyf::Salvage left = depyf::salvage_code(depyf::as_bytes(bytes), version, {}, depyf::kPycHeaderSize);
    for (const auto& root : left.codes) {
        for (const depyf::CodeObject* code : depyf::nested_code_objects(*root)) {
            try {
                depyf::list_instructions(*code);
            } catch (const depyf::Error&) {
                continue;
            }
        }
    }
}

void attempt(const std::string& bytes, Counts& counts) {
    try {
        const depyf::PycFile file = depyf::read_pyc(depyf::as_bytes(bytes));
        for (const depyf::CodeObject* code : depyf::nested_code_objects(*file.code)) {
            depyf::list_instructions(*code);
        }
        ++counts.read;
    } catch (const depyf::Error& error) {
        if (error.offset() < -1 || error.what()[0] == '\0') {
            std::fprintf(stderr, "an Error without offset or message\n");
            std::exit(1);
        }
        ++counts.refused;
        salvage(bytes);
    }
}

void truncate_everywhere(const std::string& bytes, Counts& counts) {
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        attempt(bytes.substr(0, size), counts);
    }
}

void change_each_byte(std::string bytes, Counts& counts) {
    static const std::string kValues = std::string("\0\x7f\x80\xff", 4) + "()[{<>:}cr\xa8\xe3siluzZNF0";
    for (char& byte : bytes) {
        const char original = byte;
        for (int bit = 0; bit < 8; ++bit) {
            byte = static_cast<char>(original ^ (1 << bit));
            attempt(bytes, counts);
        }
        for (const char value : kValues) {
            byte = value;
            attempt(bytes, counts);
        }
        byte = original;
    }
}

void change_at_random(const std::string& original, std::mt19937& random, Counts& counts) {
    for (int round = 0; round < 2000; ++round) {
        std::string bytes = original;
        for (std::uint32_t changes = random() % 8 + 1; changes != 0; --changes) {
            bytes[random() % bytes.size()] = static_cast<char>(random());
        }
        attempt(bytes, counts);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: malformed_pyc SEED FILE...\n");
        return 2;
    }
    std::mt19937 random(static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10)));
    for (int i = 2; i < argc; ++i) {
        std::ifstream in(argv[i], std::ios::binary);
        const std::string bytes{std::istreambuf_iterator<char>(in), {}};
        if (bytes.size() < depyf::kPycHeaderSize) {
            std::fprintf(stderr, "%s is no .pyc file\n", argv[i]);
            return 2;
        }
        Counts counts;
        truncate_everywhere(bytes, counts);
        if (counts.read != 0) {
            std::fprintf(stderr, "%s: %llu of the cut-off files were read as if whole\n", argv[i],
                         static_cast<unsigned long long>(counts.read));
            return 1;
        }
        change_each_byte(bytes, counts);
        change_at_random(bytes, random, counts);
        std::printf("%s: %llu refused, %llu read\n", argv[i], static_cast<unsigned long long>(counts.refused),
                    static_cast<unsigned long long>(counts.read));
    }
    return 0;
}
