#include "bytecode/marshal_reader.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <locale>
#include <sstream>

#include "base/decimal.h"
#include "base/unicode.h"
#include "bytecode/features.h"

namespace depyf {

namespace {

constexpr std::uint8_t kReferenceFlag = 0x80;
constexpr std::size_t kMaxLongDigits = 1u << 16;  // base 2**15; the conversion to decimal is quadratic

std::string describe(char type) {
    const auto byte = static_cast<unsigned char>(type);
    if (byte >= 0x20 && byte < 0x7F) {
        return std::string("type code '") + type + "'";
    }
    return "byte " + std::to_string(byte);
}

std::uint64_t text_cost(const Constant& value) {
    return 1 + value.text.size() / 16;
}

}  // namespace

MarshalReader::MarshalReader(std::span<const std::byte> bytes, std::size_t offset, Version version,
                             const ReadOptions& options)
    : reader_(bytes, offset),
      version_(version),
      max_depth_(options.max_depth),
      budget_(options.max_objects != 0 ? options.max_objects : 1'000'000 + 4 * std::uint64_t{bytes.size()}) {}

Constant MarshalReader::read() {
    while (true) {
        std::optional<Object> done = begin_object();
        while (done) {
            if (stack_.empty()) {
                return std::move(done->value);
            }
            if (!add_to_parent(std::move(*done))) {
                break;
            }
            done = finish_parent();
        }
    }
}

// The object where it is finished at once, nothing where its items follow.
std::optional<MarshalReader::Object> MarshalReader::begin_object() {
    using Kind = Constant::Kind;
    offset_ = static_cast<std::int64_t>(reader_.offset());
    const std::uint8_t byte = reader_.u8();
    const char type = static_cast<char>(byte & ~kReferenceFlag);
    if (type == '0') {
        return end_of_dict();
    }
    if (type == 'r') {
        return referenced_object();
    }
    // The interpreter keeps no reference to its singletons, whatever the flag says.
    const bool singleton = std::string_view("NTFS.").find(type) != std::string_view::npos;
    const std::int64_t reference = reserve_reference((byte & kReferenceFlag) != 0 && !singleton);
    switch (type) {
        case '(': return begin_container(Kind::Tuple, read_size(), reference);
        case ')': return begin_container(Kind::Tuple, reader_.u8(), reference);
        case '[': return begin_container(Kind::List, read_size(), reference);
        case '<': return begin_container(Kind::Set, read_size(), reference);
        case '>': return begin_container(Kind::FrozenSet, read_size(), reference);
        case '{': return begin_container(Kind::Dict, -1, reference);
        case '}':
            if (features(version_).marshal_has_frozendict) {
                return begin_container(Kind::FrozenDict, -1, reference);
            }
            break;
        case ':':
            if (features(version_).marshal_has_slices) {
                return begin_container(Kind::Slice, 3, reference);
            }
            break;
        case 'c': begin_code(reference); return std::nullopt;
        default: break;
    }
    return simple_object(type, reference);
}

std::optional<MarshalReader::Object> MarshalReader::begin_container(Constant::Kind kind, std::int64_t count,
                                                                    std::int64_t reference) {
    check_depth(stack_.size() + 1);
    charge(1);
    if (count > static_cast<std::int64_t>(reader_.remaining())) {
        throw Error(offset_, "expected " + std::to_string(count) + " items, found only " +
                                 std::to_string(reader_.remaining()) + " more bytes");
    }
    Frame& frame = stack_.emplace_back();
    frame.object.value.kind = kind;
    frame.object.offset = offset_;
    frame.missing = count;
    frame.reference = reference;
    if (count == 0) {
        return finish_parent();
    }
    // The count is not to be trusted with much memory before the items have been seen.
    frame.object.value.items.reserve(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, 4096)));
    return std::nullopt;
}

std::optional<MarshalReader::Object> MarshalReader::end_of_dict() {
    if (stack_.empty() || stack_.back().missing != -1 || stack_.back().object.value.items.size() % 2 != 0) {
        throw Error(offset_, "expected an object, found NULL");
    }
    return finish_parent();
}

void MarshalReader::begin_code(std::int64_t reference) {
    check_depth(stack_.size() + 1);
    charge(4);
    Frame& frame = stack_.emplace_back();
    frame.object.value.kind = Constant::Kind::Code;
    frame.object.offset = offset_;
    frame.reference = reference;
    frame.code.emplace(reader_, version_);
}

MarshalReader::Object MarshalReader::simple_object(char type, std::int64_t reference) {
    Object object;
    object.offset = offset_;
    if (!read_singleton(type, object.value) && !read_number(type, object.value) && !read_text(type, object.value)) {
        throw Error(offset_, "expected a marshal type code of Python " + version_.text() + ", found " + describe(type));
    }
    object.cost = text_cost(object.value);
    charge(object.cost);
    remember(reference, object);
    return object;
}

bool MarshalReader::read_singleton(char type, Constant& value) const {
    using Kind = Constant::Kind;
    switch (type) {
        case 'N': value.kind = Kind::None; return true;
        case 'T': value.kind = Kind::True; return true;
        case 'F': value.kind = Kind::False; return true;
        case 'S': value.kind = Kind::StopIteration; return true;
        case '.': value.kind = Kind::Ellipsis; return true;
        default: return false;
    }
}

bool MarshalReader::read_number(char type, Constant& value) {
    using Kind = Constant::Kind;
    switch (type) {
        case 'i':
            value.kind = Kind::Int;
            value.text = std::to_string(reader_.i32());
            return true;
        case 'I':
            value.kind = Kind::Int;
            value.text = std::to_string(static_cast<std::int64_t>(reader_.u64()));
            return true;
        case 'l':
            value.kind = Kind::Int;
            value.text = read_long();
            return true;
        case 'g':
            value.kind = Kind::Float;
            value.real = std::bit_cast<double>(reader_.u64());
            return true;
        case 'f':
            value.kind = Kind::Float;
            value.real = read_text_float();
            return true;
        case 'y':
            value.kind = Kind::Complex;
            value.real = std::bit_cast<double>(reader_.u64());
            value.imag = std::bit_cast<double>(reader_.u64());
            return true;
        case 'x':
            value.kind = Kind::Complex;
            value.real = read_text_float();
            value.imag = read_text_float();
            return true;
        default: return false;
    }
}

bool MarshalReader::read_text(char type, Constant& value) {
    value.kind = Constant::Kind::Str;
    switch (type) {
        case 's':
            value.kind = Constant::Kind::Bytes;
            value.text = reader_.text(read_size());
            return true;
        case 'a':
        case 'A': value.text = utf8_of_latin1(reader_.text(read_size())); return true;
        case 'z':
        case 'Z': value.text = utf8_of_latin1(reader_.text(reader_.u8())); return true;
        case 't':
        case 'u': break;
        default: return false;
    }
    value.text = reader_.text(read_size());
    if (const std::size_t bad = first_malformed_utf8(value.text); bad != value.text.size()) {
        flaw(static_cast<std::int64_t>(reader_.offset() - value.text.size() + bad),
             "expected UTF-8, found byte " + std::to_string(static_cast<unsigned char>(value.text[bad])));
        value.text.resize(bad);
    }
    return true;
}

MarshalReader::Object MarshalReader::referenced_object() {
    const std::uint32_t index = reader_.u32();
    if (index >= references_.size()) {
        flaw(offset_, "expected a reference to one of " + std::to_string(references_.size()) + " objects, found " +
                          std::to_string(index));
        return {};
    }
    if (!references_[index].complete) {
        flaw(offset_, "expected a reference to a finished object, found one to an object around it");
        return {};
    }
    const Object& referenced = references_[index].object;
    check_depth(stack_.size() + referenced.depth);
    charge(referenced.cost);
    Object object = referenced;
    object.offset = offset_;
    return object;
}

bool MarshalReader::add_to_parent(Object&& object) {
    Frame& parent = stack_.back();
    parent.object.depth = std::max(parent.object.depth, object.depth + 1);
    if (parent.code) {
        parent.code->add(std::move(object.value), object.offset, reader_);
        return parent.code->complete();
    }
    parent.object.cost += object.cost;
    parent.object.value.items.push_back(std::move(object.value));
    return parent.missing > 0 && --parent.missing == 0;
}

MarshalReader::Object MarshalReader::finish_parent() {
    Frame frame = std::move(stack_.back());
    stack_.pop_back();
    if (frame.code) {
        frame.object.value.code = frame.code->finish(frame.object.offset);
    }
    remember(frame.reference, frame.object);
    return std::move(frame.object);
}

std::uint32_t MarshalReader::read_size() {
    const auto offset = static_cast<std::int64_t>(reader_.offset());
    const std::int32_t size = reader_.i32();
    if (size < 0) {
        throw Error(offset, "expected a size >= 0, found " + std::to_string(size));
    }
    return static_cast<std::uint32_t>(size);
}

std::string MarshalReader::read_long() {
    const std::int64_t count = reader_.i32();
    const auto size = static_cast<std::size_t>(count < 0 ? -count : count);
    if (size > kMaxLongDigits) {
        throw Error(offset_, "expected an int of at most " + std::to_string(15 * kMaxLongDigits) + " bits, found " +
                                 std::to_string(15 * size));
    }
    std::vector<std::uint16_t> digits;
    digits.reserve(std::min(size, reader_.remaining() / 2));
    for (std::size_t i = 0; i < size; ++i) {
        digits.push_back(reader_.u16());
        if (digits.back() > 0x7FFF) {
            throw Error(static_cast<std::int64_t>(reader_.offset()) - 2,
                        "expected a digit below 32768, found " + std::to_string(digits.back()));
        }
    }
    if (size != 0 && digits.back() == 0) {
        throw Error(offset_, "expected an int without leading zero digits, found one with them");
    }
    return decimal_of_base_32768(digits, count < 0);
}

// Marshal versions 0 and 1: the digits that repr() prints.
double MarshalReader::read_text_float() {
    const std::string text(reader_.text(reader_.u8()));
    const bool negative = text.starts_with('-');
    const std::string_view magnitude = std::string_view(text).substr(negative ? 1 : 0);
    if (magnitude == "inf" || magnitude == "nan") {
        const double value =
            magnitude == "inf" ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
        return negative ? -value : value;
    }
    std::istringstream stream(text);
    stream.imbue(std::locale::classic());  // the host's locale may write a comma
    double value = 0;
    stream >> value;
    if (stream.fail() || stream.peek() != std::istringstream::traits_type::eof()) {
        throw Error(offset_, "expected a decimal float, found other text");
    }
    return value;
}

// An object is numbered when it begins; what refers to it before it is finished is an error.
std::int64_t MarshalReader::reserve_reference(bool flagged) {
    if (!flagged) {
        return -1;
    }
    charge(1);
    references_.emplace_back();
    return static_cast<std::int64_t>(references_.size()) - 1;
}

void MarshalReader::remember(std::int64_t reference, const Object& object) {
    if (reference >= 0) {
        charge(object.cost);  // the copy that is kept
        references_[static_cast<std::size_t>(reference)] = {object, true};
    }
}

void MarshalReader::charge(std::uint64_t cost) {
    if (cost > budget_) {
        throw Error(offset_, "expected fewer objects than the limit for this input, found more");
    }
    budget_ -= cost;
}

// What can be read past damages the innermost code object around it; outside of any it is an error.
void MarshalReader::flaw(std::int64_t offset, const std::string& message) {
    for (auto frame = stack_.rbegin(); frame != stack_.rend(); ++frame) {
        if (frame->code) {
            frame->code->damage(offset, message);
            return;
        }
    }
    throw Error(offset, message);
}

std::vector<std::shared_ptr<const CodeObject>> MarshalReader::complete_code() const {
    std::vector<std::shared_ptr<const CodeObject>> found;
    for (const Frame& frame : stack_) {
        for (const Constant& item : frame.code ? frame.code->so_far().consts : frame.object.value.items) {
            if (item.kind == Constant::Kind::Code) found.push_back(item.code);
        }
    }
    return found;
}

void MarshalReader::check_depth(std::size_t depth) const {
    if (depth > max_depth_) {
        throw Error(offset_, "expected at most " + std::to_string(max_depth_) + " nested objects, found more");
    }
}

}  // namespace depyf
