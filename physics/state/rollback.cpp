// SPDX-License-Identifier: MIT
#include "physics/state/rollback.h"

#include "physics/settings.h"
#include "physics/simulation.h"
#include "physics/state/state_format.h"

namespace proxima::physics {

void Rollback::save(const Simulation& s, PhysicsSnapshot& out) {
    capture_image(s, image_);
    write_state(image_, nullptr, 0, out);
}

Result<void> Rollback::read_base(const PhysicsSnapshot& base) {
    const uint64_t checksum = checksum_in(base.bytes);
    if (checksum != 0 && checksum == checksum_of_base_ && is_whole(base.bytes)) return {};
    checksum_of_base_ = 0;
    if (auto read = read_state(base.bytes, nullptr, 0, base_); !read)
        return Error{"The snapshot that the difference is to cannot be read. " + read.error()};
    make_base(base_);
    checksum_of_base_ = checksum;
    return {};
}

Result<void> Rollback::save_since(const Simulation& s, const PhysicsSnapshot& base, PhysicsSnapshot& out) {
    if (auto read = read_base(base); !read) return read;
    capture_image(s, image_);
    write_state(image_, &base_, checksum_of_base_, out);
    return {};
}

Result<void> Rollback::restore(const PhysicsSnapshot& snapshot, const PhysicsSnapshot* base, Simulation& s) {
    if (base)
        if (auto read = read_base(*base); !read) return read;
    if (auto read = read_state(snapshot.bytes, base ? &base_ : nullptr, base ? checksum_of_base_ : 0, image_); !read)
        return read;
    if (auto matched = match_shapes(s.shapes, image_); !matched) return matched;
    if (auto ok = check(image_.settings); !ok) return ok;
    if (auto ok = check_history(image_.history, s.shapes, image_.next_stable_id); !ok) return ok;
    if (auto ok = check_history(image_.history, image_); !ok) return ok;
    apply_image(image_, s, renamed);
    return {};
}

}  // namespace proxima::physics
