// SPDX-License-Identifier: MIT
#include "samples/bench/kernel_rig.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "engine/core/assert.h"
#include "engine/core/math.h"

namespace proxima::bench {

using namespace physics::sweep;

namespace {

constexpr float kStep = 1.0f / 480.0f;  // s, of a sub-step

void put(float (*rows)[kBlockLanes], uint32_t lane, const Vec3& v) {
    for (int c = 0; c < 3; ++c) rows[c][lane] = v[c];
}

/// The same for every block: cubes of 1 m and 1 kg on each other, points at the corners of their face.
void make_raw(uint32_t points, RawContacts& raw) {
    constexpr float corner[kMaxPoints][2] = {{-0.4f, -0.4f}, {0.4f, 0.4f}, {-0.4f, 0.4f}, {0.4f, -0.4f}};
    std::memset(&raw, 0, sizeof(raw));
    for (uint32_t lane = 0; lane < kBlockLanes; ++lane) {
        const float turn = float(lane);
        const Vec3 n = glm::normalize(Vec3(0.1f * std::sin(turn), 1.0f, 0.1f * std::cos(turn)));
        put(raw.frame_normal, lane, n);
        put(raw.frame_tangent, lane, glm::normalize(glm::cross(n, Vec3(0.0f, 0.0f, 1.0f))));
        for (uint32_t i = 0; i < points; ++i) {
            RawPointRows& p = raw.point[i];
            const Vec3 at(points > 1 ? corner[i][0] : 0.0f, 0.5f, points > 1 ? corner[i][1] : 0.0f);
            put(p.anchor_a, lane, at);
            put(p.anchor_b, lane, at - 1e-4f * n);
            p.impulse[0][lane] = 1.0f;
            p.impulse[1][lane] = 0.05f;
            p.impulse[2][lane] = -0.03f;
        }
    }
}

size_t block_bytes(uint32_t points) {
    constexpr size_t bytes[kMaxPoints] = {sizeof(ContactBlock<1>), sizeof(ContactBlock<2>), sizeof(ContactBlock<3>),
                                          sizeof(ContactBlock<4>)};
    return bytes[points - 1];
}

bool is_sound_value(float x) {
    return std::isfinite(x) && (x == 0.0f || std::abs(x) >= std::numeric_limits<float>::min());
}

}  // namespace

const char* to_string(RigKernel kernel) {
    switch (kernel) {
        case RigKernel::sweep:
            return "sweep";
        case RigKernel::prepare:
            return "prepare";
        case RigKernel::results:
            return "results";
        case RigKernel::next:
            return "next";
    }
    return "unknown";
}

const char* unit_of(RigKernel kernel) { return kernel == RigKernel::next ? "body" : "manifold"; }

KernelRig::KernelRig(uint32_t points, uint32_t chunks) : points_(points), chunks_(chunks) {
    PX_ASSERT(points <= kMaxPoints && chunks > 0, "a rig has at most four points and some chunks");
    make_bodies();
    make_raw(points, raw_);
    if (points > 0) make_blocks();
}

size_t KernelRig::chunk_bytes(RigKernel kernel, uint32_t points) {
    constexpr size_t kRecordBytes = sizeof(BodyRecord) * kChunkBodies;
    if (kernel == RigKernel::next) return 6 * kRecordBytes;
    return kChunkBlocks * block_bytes(points) + (kernel == RigKernel::prepare ? 3 : 2) * kRecordBytes;
}

uint32_t KernelRig::blocks(RigKernel kernel) const {
    return chunks_ * (kernel == RigKernel::next ? kChunkBodies / kBlockLanes : kChunkBlocks);
}

void KernelRig::make_bodies() {
    const uint32_t n = chunks_ * kChunkBodies;
    for (std::vector<BodyRecord>* list :
         {&velocity_, &delta_, &inverse_mass_, &transform_, &free_velocity_, &drive_, &inertia_, &inverse_inertia_})
        list->resize(n);
    indices_.resize(n);
    uint32_t random = 1;
    for (uint32_t i = 0; i < n; ++i) {
        indices_[i] = i;
        for (uint32_t c = 0; c < kRecord; ++c) {
            random = random * 1664525u + 1013904223u;
            // So slow that what turns goes straight: friction needs no chord.
            velocity_[i].value[c] = c % 4 == 3 ? 0.0f : 0.001f * (float(random >> 8) / float(1u << 24) - 0.5f);
        }
        free_velocity_[i] = velocity_[i];
        inverse_mass_[i] = {{6.0f, 6.0f, 6.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f}};
        transform_[i] = {{0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 0.87f}};
        drive_[i] = {{0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f}};
        inertia_[i] = {{1.0f / 6, 1.0f / 6, 1.0f / 6, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f}};
        inverse_inertia_[i] = {{6.0f, 6.0f, 6.0f, 0.0f, 0.0f, 0.0f, 0.0f, 0.0f}};
    }
}

void KernelRig::make_blocks() {
    memory_.resize(block_bytes(points_) / sizeof(CacheLine) * kChunkBlocks * chunks_);
    constexpr uint32_t kHalf = kChunkBodies / 2;
    for (uint32_t b = 0; b < kChunkBlocks * chunks_; ++b) {
        // The memory is zero, and a block is nothing but numbers.
        ContactHead& h = const_cast<ContactHead&>(head(b));
        h.moves_a = h.moves_b = (1u << kBlockLanes) - 1;
        for (uint32_t lane = 0; lane < kBlockLanes; ++lane) {
            // A permutation of each half of the bodies, another one in every layer: no body twice in a block.
            const uint32_t i = b % kChunkBlocks * kBlockLanes + lane, layer = i / kHalf;
            const uint32_t first = b / kChunkBlocks * kChunkBodies;
            h.body_a[lane] = first + (i * 77 + layer * 13) % kHalf;
            h.body_b[lane] = first + kHalf + (i * 101 + layer * 57) % kHalf;
            h.id[lane] = b * kBlockLanes + lane;
            h.friction[lane] = 0.6f;
        }
    }
    run(RigKernel::prepare);
}

BodyRecords KernelRig::records() {
    BodyRecords r;
    r.velocity = velocity_.data()->value;
    r.delta = delta_.data()->value;
    r.inverse_mass = inverse_mass_.data()->value;
    r.transform = transform_.data()->value;
    r.free_velocity = free_velocity_.data()->value;
    r.drive = drive_.data()->value;
    r.inertia = inertia_.data()->value;
    r.inverse_inertia = inverse_inertia_.data()->value;
    return r;
}

const ContactHead& KernelRig::head(uint32_t block) const {
    return *reinterpret_cast<const ContactHead*>(memory_.data()->bytes + block * block_bytes(points_));
}

const PointRows* KernelRig::points_at(uint32_t block) const {
    const std::byte* at = memory_.data()->bytes + block * block_bytes(points_);
    switch (points_) {
        case 1:
            return reinterpret_cast<const ContactBlock<1>*>(at)->point;
        case 2:
            return reinterpret_cast<const ContactBlock<2>*>(at)->point;
        case 3:
            return reinterpret_cast<const ContactBlock<3>*>(at)->point;
        default:
            return reinterpret_cast<const ContactBlock<4>*>(at)->point;
    }
}

void KernelRig::run(RigKernel kernel, const ContactKernels& contact, const BodyKernels& body, uint32_t first,
                    uint32_t count) {
    const BodyRecords bodies = records();
    const auto block = [&](uint32_t b) { return const_cast<ContactHead*>(&head(b)); };
    switch (kernel) {
        case RigKernel::sweep: {
            // Without push-out, so that nothing moves away from rest; the same operations as with it.
            SweepLaw law;
            law.h = kStep;
            law.inverse_h = 1.0f / kStep;
            law.adds_up = true;
            contact.sweep[points_ - 1].sweep(block(first), count, bodies, law);
            break;
        }
        case RigKernel::prepare:
            for (uint32_t b = first; b < first + count; ++b)
                contact.prepare[points_ - 1](block(b), raw_, bodies, {.soft = false}, kStep);
            break;
        case RigKernel::results:
            for (uint32_t b = first; b < first + count; ++b)
                contact.results[points_ - 1](block(b), bodies, 1.0f / kStep, 0.0f, out_);
            break;
        case RigKernel::next:
            body.next(indices_.data() + size_t(first) * kBlockLanes, count * kBlockLanes, bodies,
                      {kStep, true, WarmStart::at_once, false});
            break;
    }
}

void KernelRig::run(RigKernel kernel) { run(kernel, contact_kernels(), body_kernels(), 0, blocks(kernel)); }

bool KernelRig::is_sound() const {
    for (const std::vector<BodyRecord>* list : {&velocity_, &delta_, &transform_})
        for (const BodyRecord& record : *list)
            for (const float x : record.value)
                if (!is_sound_value(x)) return false;
    if (points_ == 0) return true;
    for (uint32_t b = 0; b < blocks(RigKernel::sweep); ++b) {
        const PointRows* rows = points_at(b);
        for (uint32_t i = 0; i < points_; ++i)
            for (const Row* row : {&rows[i].normal, &rows[i].tangent1, &rows[i].tangent2, &rows[i].total_normal,
                                   &rows[i].normal_step, &rows[i].start_gap})
                for (const float x : *row)
                    if (!is_sound_value(x)) return false;
    }
    return true;
}

}  // namespace proxima::bench
