// SPDX-License-Identifier: MIT
#include "physics/contact/dump_file.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "engine/core/atomic_file.h"
#include "engine/core/hash.h"
#include "physics/contact/delassus_file.h"

namespace proxima::physics {

namespace {

constexpr std::string_view kMagic = "PXCDUMP\n";
constexpr uint32_t kVersion = 2, kFirstVersion = 1;  // what is written, and the oldest that is read
constexpr size_t kHeader = 56, kChecksumAt = 48;
constexpr uint32_t kBodyWords = 13, kGroupWords = 2;
/// Version 1 knew contacts only: neither kind nor tangential bias.
constexpr uint32_t contact_words_of(uint32_t version) { return version == 1 ? 23 : 26; }
constexpr std::string_view kSource = "source: ";
constexpr std::string_view kFields =
    "after this text: 32-bit little-endian words, body by body, contact by contact, group by group\n"
    "body: f32 inverse_mass, inverse_inertia xx xy xz yy yz zz, linear_velocity x y z, angular_velocity x y "
    "z\n"
    "contact: u32 a b, f32 normal x y z, tangent1 x y z, tangent2 x y z, arm_a x y z, arm_b x y z, friction, "
    "bias, compliance, warm_impulse n t1 t2, u32 kind (0 contact, 1 bilateral), f32 tangent_bias t1 t2\n"
    "group: u32 begin end\n";

// ---- the words of a record, in their order; the same list writes and reads

template <class Archive>
void each_word(Archive& word, Vec3& v) {
    word(v.x), word(v.y), word(v.z);
}
template <class Archive>
void each_word(Archive& word, BodyInverseMass& m, BodyVelocity& v) {
    word(m.mass);
    word(m.inertia.xx), word(m.inertia.xy), word(m.inertia.xz);
    word(m.inertia.yy), word(m.inertia.yz), word(m.inertia.zz);
    each_word(word, v.linear);
    each_word(word, v.angular);
}
template <class Archive>
void each_word(Archive& word, Contact& c) {
    word(c.a), word(c.b);
    for (Vec3* v : {&c.normal, &c.tangent1, &c.tangent2, &c.arm_a, &c.arm_b}) each_word(word, *v);
    word(c.friction), word(c.bias), word(c.compliance);
    each_word(word, c.lambda);
}
template <class Archive>
void each_word(Archive& word, ContactGroup& g) {
    word(g.begin), word(g.end);
}
template <class Archive>
void each_word(Archive& word, BlockKind& k) {
    word(k.kind), word(k.tangent_bias[0]), word(k.tangent_bias[1]);
}
/// `kinds` are there for every contact.
template <class Archive>
void each_record(Archive& word, ContactDump& dump, uint32_t version) {
    for (size_t i = 0; i < dump.velocity.size(); ++i) each_word(word, dump.inverse_mass[i], dump.velocity[i]);
    for (size_t i = 0; i < dump.contacts.size(); ++i) {
        each_word(word, dump.contacts[i]);
        if (version > 1) each_word(word, dump.kinds[i]);
    }
    for (ContactGroup& g : dump.groups) each_word(word, g);
}

struct WordWriter {
    std::string& out;
    void operator()(uint32_t value) {
        for (int shift = 0; shift < 32; shift += 8) out += char((value >> shift) & 0xFFu);
    }
    void operator()(float value) { (*this)(std::bit_cast<uint32_t>(value)); }
    void operator()(RowKind kind) { (*this)(uint32_t(kind)); }
};

/// The bytes are known to be there.
struct WordReader {
    std::string_view bytes;
    size_t at = 0;
    void operator()(uint32_t& value) {
        value = 0;
        for (int shift = 0; shift < 32; shift += 8) value |= uint32_t(static_cast<unsigned char>(bytes[at++])) << shift;
    }
    void operator()(float& value) {
        uint32_t word = 0;
        (*this)(word);
        value = std::bit_cast<float>(word);
    }
    void operator()(RowKind& kind) { kind = RowKind(next()); }
    uint32_t next() {
        uint32_t value = 0;
        (*this)(value);
        return value;
    }
};

/// Over everything but the checksum itself.
uint64_t checksum_of(std::string_view bytes) {
    StateHash hash;
    hash.add_text(bytes.substr(0, kChecksumAt));
    hash.add_text(bytes.substr(kHeader));
    return hash.value();
}

std::string text_of(const ContactDump& dump) {
    std::string line = dump.source;
    for (char& c : line)
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    std::string text = std::string(kSource) + line + "\n" + std::string(kFields);
    while (text.size() % 4 != 0) text += '\n';
    return text;
}

bool has_bilateral(const ContactDump& dump) {
    return std::any_of(dump.kinds.begin(), dump.kinds.end(),
                       [](const BlockKind& k) { return k.kind == RowKind::bilateral; });
}

/// A sentence when the kinds make no sense.
Result<void> check_kinds(const ContactDump& dump) {
    if (!dump.kinds.empty() && dump.kinds.size() != dump.contacts.size())
        return Error{"There are " + std::to_string(dump.contacts.size()) + " contacts but the kinds of " +
                     std::to_string(dump.kinds.size()) + "."};
    for (size_t i = 0; i < dump.kinds.size(); ++i) {
        const BlockKind& k = dump.kinds[i];
        const std::string contact = "Contact " + std::to_string(i);
        if (k.kind != RowKind::contact && k.kind != RowKind::bilateral)
            return Error{contact + " is of kind " + std::to_string(uint32_t(k.kind)) +
                         "; known are 0, a contact, and 1, a bilateral block."};
        for (const float bias : k.tangent_bias) {
            if (!std::isfinite(bias)) return Error{contact + " has a tangential bias that is not a finite number."};
            if (k.kind == RowKind::contact && bias != 0.0f)
                return Error{contact + " has a tangential bias, which only bilateral blocks have."};
        }
    }
    return {};
}

}  // namespace

std::string format_dump(const ContactDump& dump) {
    const std::string text = text_of(dump);
    std::string out(kMagic);
    WordWriter word{out};
    word(kVersion);
    word(uint32_t(text.size()));
    for (const size_t count : {dump.velocity.size(), dump.contacts.size(), dump.groups.size()}) word(uint32_t(count));
    word(kBodyWords), word(contact_words_of(kVersion)), word(kGroupWords);
    word(dump.dt);
    word(uint32_t(0));
    out.append(kHeader - out.size(), '\0');  // the checksum's place
    out += text;
    ContactDump copy = dump;  // the list of words is written for reading too
    copy.kinds.resize(copy.contacts.size());
    each_record(word, copy, kVersion);
    update_dump_checksum(out);
    return out;
}

void update_dump_checksum(std::string& bytes) {
    if (bytes.size() < kHeader) return;
    const uint64_t checksum = checksum_of(bytes);
    for (size_t i = 0; i < 8; ++i) bytes[kChecksumAt + i] = char((checksum >> (8 * i)) & 0xFFu);
}

bool looks_like_dump(std::string_view bytes) { return bytes.starts_with(kMagic); }

Result<ContactDump> parse_dump(std::string_view bytes, std::string_view name) {
    const auto wrong = [&](const std::string& what) { return Error{std::string(name) + ": " + what}; };
    if (!looks_like_dump(bytes)) return wrong("this is not a dump of a contact problem (*.pxc).");
    if (bytes.size() < kHeader)
        return wrong("the file ends after " + std::to_string(bytes.size()) + " bytes, inside of its header.");
    WordReader word{bytes, kMagic.size()};
    const uint32_t version = word.next();
    if (version < kFirstVersion || version > kVersion)
        return wrong("it is of version " + std::to_string(version) + "; this program reads versions " +
                     std::to_string(kFirstVersion) + " to " + std::to_string(kVersion) + ".");
    const uint32_t text_size = word.next(), bodies = word.next(), contacts = word.next(), groups = word.next();
    const uint32_t body_words = word.next(), contact_words = word.next(), group_words = word.next();
    if (body_words != kBodyWords || contact_words != contact_words_of(version) || group_words != kGroupWords)
        return wrong("its records have " + std::to_string(body_words) + ", " + std::to_string(contact_words) + " and " +
                     std::to_string(group_words) + " words; version " + std::to_string(version) + " has 13, " +
                     std::to_string(contact_words_of(version)) + " and 2.");
    const uint64_t size =
        kHeader + text_size +
        4 * (uint64_t(bodies) * body_words + uint64_t(contacts) * contact_words + uint64_t(groups) * group_words);
    if (bytes.size() != size)
        return wrong("the file has " + std::to_string(bytes.size()) + " bytes, but " + std::to_string(bodies) +
                     " bodies, " + std::to_string(contacts) + " contacts and " + std::to_string(groups) +
                     " groups make " + std::to_string(size) +
                     (bytes.size() < size ? ": it is cut short." : ": there is something behind them."));
    ContactDump dump;
    word(dump.dt);
    word.at = kChecksumAt;
    const uint64_t low = word.next(), high = word.next();
    if ((low | high << 32) != checksum_of(bytes))
        return wrong("its checksum does not fit what is in it: the file is damaged.");

    const std::string_view text = bytes.substr(kHeader, text_size);
    if (text.starts_with(kSource))
        dump.source = std::string(text.substr(kSource.size(), text.find('\n') - kSource.size()));
    dump.inverse_mass.resize(bodies);
    dump.velocity.resize(bodies);
    dump.contacts.resize(contacts);
    dump.groups.resize(groups);
    dump.kinds.resize(contacts);
    word.at = kHeader + text_size;
    each_record(word, dump, version);
    if (Result<void> good = check(dump); !good) return wrong(good.error());
    if (Result<void> good = check_kinds(dump); !good) return wrong(good.error());
    if (!has_bilateral(dump)) dump.kinds.clear();
    return dump;
}

Result<DumpForm> dump_form(const std::filesystem::path& path) {
    const std::string ending = path.extension().string();
    if (ending == kDumpExtension) return DumpForm::binary;
    if (ending == ".dat" || ending == ".txt") return DumpForm::text;
    return Error{"'" + path.string() +
                 "' has no ending of a contact problem; use .pxc (binary) or .dat (text, with the matrix)."};
}

Result<void> write_dump(const std::filesystem::path& path, const ContactDump& dump) {
    const Result<DumpForm> form = dump_form(path);
    if (!form) return Error{form.error()};
    if (Result<void> good = check_kinds(dump); !good) return good;
    if (form.value() == DumpForm::binary) return write_file(path.string(), format_dump(dump));
    if (has_bilateral(dump))
        return Error{"The text form has no place for bilateral blocks (joints); write '" + path.stem().string() +
                     std::string(kDumpExtension) + "', the binary form, instead."};
    for (const Contact& c : dump.contacts)
        if (c.compliance != 0.0f)
            return Error{"The text form has no place for soft contacts; write '" + path.stem().string() +
                         std::string(kDumpExtension) + "', the binary form, instead."};
    if (const uint64_t blocks = count_blocks(dump); blocks > kMaxTextBlocks)
        return Error{"As text, the matrix of " + std::to_string(dump.contacts.size()) + " contacts would have about " +
                     std::to_string(blocks) + " blocks, more than " + std::to_string(kMaxTextBlocks) + "; write '" +
                     path.stem().string() + std::string(kDumpExtension) + "', the binary form, which does without it."};
    const Result<DelassusProblem> matrix = to_matrix(dump);
    if (!matrix) return Error{matrix.error()};
    return write_problem(path, matrix.value(), MatrixStorage::sparse);
}

Result<ContactDump> read_dump(const std::filesystem::path& path) {
    const Result<std::string> bytes = read_file(path.string());
    if (!bytes) return Error{bytes.error()};
    return parse_dump(bytes.value(), path.filename().string());
}

}  // namespace proxima::physics
