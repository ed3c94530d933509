// SPDX-License-Identifier: MIT
// The warnings of a whole run, for its report.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "physics/report.h"

namespace proxima::tool {

/// Warnings of all steps: the same sentence again is counted and not repeated.
class WarningLog {
  public:
    void add(uint64_t step, const physics::StepWarning& warning) {
        for (Entry& known : entries_)
            if (known.message == warning.message) return void(++known.again);
        if (entries_.size() == kMax) return void(++left_out_);
        entries_.push_back({step, warning.entity, warning.message});
    }
    std::vector<std::string> lines() const {
        std::vector<std::string> out;
        for (const Entry& e : entries_) {
            std::string text = "step " + std::to_string(e.step);
            if (e.entity != engine::kNoEntity) text += ", entity " + std::to_string(entt::to_integral(e.entity));
            text += ": " + e.message;
            if (e.again > 0) text += " (" + std::to_string(e.again) + (e.again == 1 ? " more time)" : " more times)");
            out.push_back(std::move(text));
        }
        if (left_out_ > 0) out.push_back("and " + std::to_string(left_out_) + " more warnings");
        return out;
    }

  private:
    static constexpr size_t kMax = 50;
    struct Entry {
        uint64_t step = 0;
        engine::Entity entity = engine::kNoEntity;
        std::string message;
        uint64_t again = 0;
    };
    std::vector<Entry> entries_;
    uint64_t left_out_ = 0;
};

}  // namespace proxima::tool
