// SPDX-License-Identifier: MIT
// Tables as comma-separated text, with comment lines (#) on top: written for spreadsheets and scripts, read
// back by tests and by scripts that draw the figures again.
#pragma once

#include <string>
#include <vector>

#include "engine/core/result.h"
#include "samples/bench/machine.h"

namespace proxima::bench {

struct Table {
    MachineCard card;  // comment lines "# what: value"
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> rows;

    /// Index of a column, or -1.
    int find(const std::string& column) const;
};

/// Cells with commas, quotes or line ends are put in quotes.
std::string to_csv(const Table& table);
/// A sentence with the line where the text is not such a table: an open quote, or a row of another length.
Result<Table> parse_csv(const std::string& text);

}  // namespace proxima::bench
