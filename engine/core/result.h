// SPDX-License-Identifier: MIT
// Result<T>: a value, or one sentence that a designer understands. For content and arguments, never for our own bugs.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "engine/core/assert.h"

namespace proxima {

/// What went wrong, as a full sentence: what, where, and what would be right.
struct Error {
    std::string message;
};

template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : value_(std::move(value)) {}
    Result(Error error) : error_(std::move(error)) {}

    bool ok() const { return value_.has_value(); }
    explicit operator bool() const { return ok(); }

    T& value() & {
        PX_ASSERT(ok(), "value() of a failed Result: " + error());
        return *value_;
    }
    const T& value() const& {
        PX_ASSERT(ok(), "value() of a failed Result: " + error());
        return *value_;
    }
    T&& value() && {
        PX_ASSERT(ok(), "value() of a failed Result: " + error());
        return *std::move(value_);
    }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    /// The sentence; empty when ok.
    const std::string& error() const { return error_.message; }

  private:
    // Not a variant: its destructor visits, and compilers warn of the alternative that is not there.
    std::optional<T> value_;
    Error error_;
};

template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}
    bool ok() const { return !error_; }
    explicit operator bool() const { return ok(); }
    const std::string& error() const {
        static const std::string none;
        return error_ ? error_->message : none;
    }

  private:
    std::optional<Error> error_;
};

}  // namespace proxima
