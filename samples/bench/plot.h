// SPDX-License-Identifier: MIT
// Charts as SVG text: lines, dots and grouped bars, with axes, ticks, a legend and optional logarithmic scales.
// Values that are not finite (or not positive on a logarithmic axis) are left out; a chart of nothing says so.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace proxima::bench {

enum class SeriesStyle : uint8_t { line, dashes, dots };

struct Series {
    std::string name;          // empty: not in the legend
    std::vector<double> x, y;  // of equal length
    SeriesStyle style = SeriesStyle::line;
    std::vector<std::string> labels;  // at the points; may be shorter
    std::string colour;               // "#rrggbb"; empty: the next of the palette
    double width = 0.0;               // of the line, px; 0: the usual
};

struct LineChart {
    std::string title, subtitle, x_label, y_label;
    bool log_x = false, log_y = false;
    bool markers = false;      // a dot at every point, a tick at every x where there are few
    bool y_from_zero = false;  // of a linear axis, so that heights can be compared
    double y_reaches = 0.0;    // with it: the axis goes so far at least, so that charts can be
    std::vector<Series> series;
};

struct BarSeries {
    std::string name;
    std::vector<double> values;  // one per group; not finite where there is none
};

struct BarChart {
    std::string title, subtitle, y_label;
    bool log_y = false;
    std::vector<std::string> groups;
    std::vector<BarSeries> series;
};

std::string to_svg(const LineChart& chart);
std::string to_svg(const BarChart& chart);

/// Round numbers that cover [low, high] in about `wanted` steps of 1, 2 or 5 times a power of ten.
std::vector<double> linear_ticks(double low, double high, int wanted);
/// Powers of ten in [low, high], with 2 and 5 times them where there are few.
std::vector<double> log_ticks(double low, double high);

}  // namespace proxima::bench
