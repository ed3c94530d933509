// SPDX-License-Identifier: MIT
#include "physics/broadphase/pair_finder.h"

#include <algorithm>

namespace proxima::physics {

namespace {

constexpr uint32_t kSearchBlock = 256;

// Both sides must want each other, one must move, and colliders of one body never meet.
bool may_meet(const GridTag& a, const GridTag& b) {
    const bool layers = ((a.layer & b.mask) != 0) & ((b.layer & a.mask) != 0);
    const bool groups = (a.group == 0) | (a.group != b.group);
    return layers & groups & (((a.rank | b.rank) & kMovesBit) != 0);
}

PairKey key_of(const GridTag& a, const GridTag& b) {
    const uint32_t rank_a = a.rank & ~kMovesBit, rank_b = b.rank & ~kMovesBit;
    return PairKey(std::min(rank_a, rank_b)) << 32 | std::max(rank_a, rank_b);
}

// Room for `more` pairs behind those that are there.
PairKey* room_for(FoundPairs& found, size_t more) {
    if (found.keys.size() < found.count + more) found.keys.resize(2 * (found.count + more));
    return found.keys.data();
}

// Turns hits into pairs. A pair is always written and only counted where it is wanted: no branch depends on
// the data. tag_of(i) is the tag on the other side of hit i.
template <class TagOf>
void emit(std::span<const uint32_t> hits, const GridTag* tags, TagOf tag_of, const PairSink& out) {
    PairKey* keys = room_for(out.found, hits.size());
    uint32_t* bucket_counts = out.bucket_counts;
    const uint32_t bucket_shift = out.bucket_shift;
    size_t count = out.found.count;
    for (size_t i = 0; i < hits.size(); ++i) {
        const GridTag& a = tag_of(i);
        const GridTag& b = tags[hits[i]];
        const PairKey key = key_of(a, b);
        const bool wanted = may_meet(a, b);
        keys[count] = key;
        count += size_t(wanted);
        bucket_counts[first_rank(key) >> bucket_shift] += uint32_t(wanted);
    }
    out.found.count = count;
}

bool overlap(const SweepBounds& a, const SweepBounds& b) {
    bool result = true;
    for (int axis = 0; axis < 3; ++axis) result &= (a.lower[axis] <= b.upper[axis]) & (b.lower[axis] <= a.upper[axis]);
    return result;
}

LevelCrowd crowd_of(const GridLevel& level) { return {double(level.last_box - level.first_box), double(level.size)}; }

// The strip that holds box `value`.
uint32_t strip_of(std::span<const GridStrip> strips, const GridLevel& level, uint32_t value) {
    const GridStrip* found = std::partition_point(strips.data() + level.first_strip, strips.data() + level.last_strip,
                                                  [&](const GridStrip& strip) { return strip.end <= value; });
    return uint32_t(found - strips.data());
}

}  // namespace

/// Runs the kernels of one block of work and turns their hits into pairs whenever the room for hits is used up.
class PairFinder::Sweep {
  public:
    Sweep(Scratch& scratch, const PairSink& out) : kernels_(sweep_kernels()), scratch_(scratch), out_(out) {
        constexpr uint32_t kHits = 4096;
        if (scratch.hits.size() < kHits) {
            scratch.walkers.resize(kHits);
            scratch.hits.resize(kHits);
        }
        point_at_scratch();
    }

    /// Of which grids the boxes of the next sweeps are.
    void begin(const BoxGrid& walked, const BoxGrid& searched) {
        walked_ = &walked;
        searched_ = &searched;
    }
    void within(uint32_t begin, uint32_t end, uint32_t strip_end) {
        while (begin < end) {
            begin = kernels_.within(walked_->boxes(), begin, end, strip_end, hits_);
            if (begin < end) make_room(strip_end - begin);
        }
    }
    void across(uint32_t begin, uint32_t end, const GridStrip& strip) {
        while (begin < end) {
            begin = kernels_.across(walked_->boxes(), begin, end, searched_->boxes(), strip.begin, strip.end,
                                    strip.bounds, hits_);
            if (begin < end) make_room(strip.end - strip.begin);
        }
    }
    void flush() {
        const GridTag* walked = walked_->tags().data();
        emit(
            std::span(hits_.hits, hits_.count), searched_->tags().data(),
            [&](size_t i) -> const GridTag& { return walked[hits_.walkers[i]]; }, out_);
        hits_.count = 0;
    }

  private:
    void make_room(uint32_t strip_length) {
        flush();
        if (scratch_.hits.size() < sweep_room(strip_length)) {
            scratch_.walkers.resize(sweep_room(strip_length));
            scratch_.hits.resize(sweep_room(strip_length));
        }
        point_at_scratch();
    }
    void point_at_scratch() {
        hits_.walkers = scratch_.walkers.data();
        hits_.hits = scratch_.hits.data();
        hits_.capacity = uint32_t(scratch_.hits.size());
    }

    const SweepKernels& kernels_;
    Scratch& scratch_;
    PairSink out_;
    SweepHits hits_;
    const BoxGrid* walked_ = nullptr;
    const BoxGrid* searched_ = nullptr;
};

void PairFinder::find(std::span<const Meeting> meetings, uint32_t rank_count, std::vector<PairKey>& pairs,
                      engine::Jobs& jobs) {
    plan(meetings);
    if (scratch_.size() < jobs.worker_count()) scratch_.resize(jobs.worker_count());
    const uint32_t block_lists = engine::block_count(item_count_, kSearchBlock);
    sort_.begin(rank_count, block_lists + uint32_t(unbounded_meetings_.size()));
    search(jobs);
    search_unbounded(block_lists, jobs);
    sort_.finish(pairs, jobs);
}

void PairFinder::plan(std::span<const Meeting> meetings) {
    level_meetings_.clear();
    unbounded_meetings_.clear();
    item_count_ = 0;
    for (const Meeting& meeting : meetings) {
        plan_levels(meeting);
        const bool same = meeting.a == meeting.b;
        for (uint32_t i = 0; i < meeting.a->unbounded().size(); ++i)
            unbounded_meetings_.push_back({&meeting.a->unbounded()[i], meeting.b, same ? i + 1 : 0});
        if (same) continue;
        const uint32_t none = uint32_t(meeting.a->unbounded().size());
        for (const UnboundedBox& one : meeting.b->unbounded()) unbounded_meetings_.push_back({&one, meeting.a, none});
    }
}

// Which level walks and which is searched. The cheaper way round is taken: a single ground looks up the
// strips it overlaps, but of many large boxes among small ones, the small ones ask.
void PairFinder::plan_levels(const Meeting& meeting) {
    const std::span<const GridLevel> levels_a = meeting.a->levels(), levels_b = meeting.b->levels();
    const GridAxes& axes = meeting.a->axes();
    for (uint32_t i = 0; i < levels_a.size(); ++i) {
        uint32_t j = 0;
        if (meeting.a == meeting.b) {
            add(*meeting.a, i, *meeting.a, i);
            j = i + 1;
        }
        for (; j < levels_b.size(); ++j) {
            if (!overlap(levels_a[i].bounds, levels_b[j].bounds)) continue;
            const LevelCrowd a = crowd_of(levels_a[i]), b = crowd_of(levels_b[j]);
            if (search_cost(a, b, axes) < search_cost(b, a, axes)) {
                add(*meeting.a, i, *meeting.b, j);
            } else {
                add(*meeting.b, j, *meeting.a, i);
            }
        }
    }
}

void PairFinder::add(const BoxGrid& walked, uint32_t walked_level, const BoxGrid& searched, uint32_t searched_level) {
    level_meetings_.push_back({&walked, &searched, walked_level, searched_level, item_count_});
    const GridLevel& level = walked.levels()[walked_level];
    item_count_ += level.last_box - level.first_box;
}

void PairFinder::search(engine::Jobs& jobs) {
    jobs.parallel_for(item_count_, kSearchBlock, [&](const engine::JobBlock& block) {
        Sweep sweep(scratch_[block.worker], sort_.sink(block.block));
        const auto after = std::partition_point(level_meetings_.begin(), level_meetings_.end(),
                                                [&](const LevelMeeting& m) { return m.first_item <= block.begin; });
        // A block may start and end anywhere, also inside a strip, and run over several meetings.
        auto meeting = after - 1;
        for (uint32_t item = block.begin; item < block.end; ++meeting) {
            const GridLevel& walked = meeting->walked->levels()[meeting->walked_level];
            const uint32_t box = walked.first_box + (item - meeting->first_item);
            const uint32_t stop = std::min(walked.last_box, box + (block.end - item));
            item += stop - box;
            search_part(*meeting, box, stop, sweep);
        }
    });
}

// Pairs of the boxes [begin, end), part of a level, strip by strip. Inside a level each strip meets what
// comes after it: the rest of the strip and the strips within reach. What comes before has found us.
void PairFinder::search_part(const LevelMeeting& meeting, uint32_t begin, uint32_t end, Sweep& sweep) const {
    const GridLevel& walked = meeting.walked->levels()[meeting.walked_level];
    const GridLevel& searched = meeting.searched->levels()[meeting.searched_level];
    const bool same = &walked == &searched;
    const std::span<const GridStrip> strips = meeting.walked->strips();
    sweep.begin(*meeting.walked, *meeting.searched);
    for (uint32_t index = strip_of(strips, walked, begin); begin < end; ++index) {
        const GridStrip& strip = strips[index];
        const uint32_t stop = std::min(end, strip.end);
        if (same) {
            sweep.within(begin, stop, strip.end);
            for (uint32_t s = index + 1; s < walked.last_strip && strips[s].cell <= strip.cell + walked.reach; ++s)
                if (overlap(strip.bounds, strips[s].bounds)) sweep.across(begin, stop, strips[s]);
        } else {
            meeting.searched->for_strips(searched, strip.bounds,
                                         [&](const GridStrip& other) { sweep.across(begin, stop, other); });
        }
        begin = stop;
    }
    sweep.flush();
}

void PairFinder::search_unbounded(uint32_t first_list, engine::Jobs& jobs) {
    jobs.parallel_for(uint32_t(unbounded_meetings_.size()), 1, [&](const engine::JobBlock& block) {
        const UnboundedMeeting& meeting = unbounded_meetings_[block.begin];
        const PairSink out = sort_.sink(first_list + block.block);
        std::vector<uint32_t>& hits = scratch_[block.worker].hits;
        const BoxGrid& grid = *meeting.grid;
        const SweepBounds area = grid.to_axes(meeting.one->box);
        const auto tag = [&](size_t) -> const GridTag& { return meeting.one->tag; };
        for (const GridLevel& level : grid.levels())
            grid.for_strips(level, area, [&](const GridStrip& strip) {
                const uint32_t room = strip.end - strip.begin + kSweepWidth;
                if (hits.size() < room) {
                    hits.resize(room);
                    scratch_[block.worker].walkers.resize(room);
                }
                const uint32_t count =
                    sweep_kernels().touching(grid.boxes(), strip.begin, strip.end, area, hits.data());
                emit(std::span(hits.data(), count), grid.tags().data(), tag, out);
            });
        for (const UnboundedBox& other : grid.unbounded().subspan(meeting.first_unbounded)) {
            constexpr uint32_t kOnly[1] = {0};
            if (overlaps(meeting.one->box, other.box)) emit(kOnly, &other.tag, tag, out);
        }
    });
}

}  // namespace proxima::physics
