// SPDX-License-Identifier: MIT
#include "samples/bench/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace proxima::bench {

namespace {

// Colours that stay apart for colour-blind readers and in grey; the first is ours.
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                    "#56b4e9", "#666666", "#8c510a", "#7b3294", "#b2182b"};
const char* colour(size_t i) { return kColours[i % std::size(kColours)]; }

constexpr double kWidth = 960.0, kTop = 66.0, kLeft = 78.0, kRight = 24.0, kPlotHeight = 380.0;
constexpr double kLegendRow = 22.0, kCharacter = 7.4;  // width of a letter at 13 px, about

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        if (c == '&')
            out += "&amp;";
        else if (c == '<')
            out += "&lt;";
        else if (c == '>')
            out += "&gt;";
        else if (c == '"')
            out += "&quot;";
        else if (static_cast<unsigned char>(c) >= 0x20)
            out += c;
    }
    return out;
}

/// As many digits as fit over a bar.
std::string bar_label(double value) {
    return std::abs(value) < 0.1 ? fmt::format("{:.2g}", value) : fmt::format("{:.3g}", value);
}

/// From values to pixels along one axis.
struct Axis {
    bool log = false;
    double low = 0.0, high = 1.0, from = 0.0, to = 1.0;
    std::vector<double> ticks;

    bool shows(double value) const { return std::isfinite(value) && (!log || value > 0.0); }
    double at(double value) const {
        const double t = log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
        return from + t * (to - from);
    }
    /// 2000 as "2k" on an axis that goes beyond ten thousand; otherwise as it is.
    std::string label(double tick) const {
        if (high >= 1e4 && tick >= 1e3 && tick < 1e6) return fmt::format("{:g}k", tick / 1000.0);
        return fmt::format("{:g}", std::abs(tick) < 1e-12 ? 0.0 : tick);
    }
};

struct Range {
    double low = HUGE_VAL, high = -HUGE_VAL;
    void add(double value, bool log) {
        if (!std::isfinite(value) || (log && value <= 0.0)) return;
        low = std::min(low, value);
        high = std::max(high, value);
    }
    bool empty() const { return low > high; }
};

/// Ends the axis on ticks where that costs little room; a linear axis that starts near zero starts at zero.
Axis make_axis(Range range, bool log, bool tight, double from, double to) {
    Axis axis;
    axis.log = log;
    axis.from = from;
    axis.to = to;
    if (range.empty()) range = {log ? 0.1 : 0.0, 1.0};
    if (log) {
        axis.low = tight ? range.low : range.low / 1.3;
        axis.high = tight ? range.high : range.high * 1.3;
        if (axis.high <= axis.low * 1.001) axis.high = axis.low * 10.0;
        axis.ticks = log_ticks(axis.low, axis.high);
    } else {
        axis.low = range.low > 0.0 && range.low < 0.5 * range.high ? 0.0 : range.low;
        axis.high = tight ? range.high : range.high + 0.06 * (range.high - std::min(range.low, axis.low));
        if (axis.high <= axis.low) axis.high = axis.low + (axis.low == 0.0 ? 1.0 : std::abs(axis.low));
        axis.ticks = linear_ticks(axis.low, axis.high, 7);
    }
    return axis;
}

/// Title, legend and frame; the plot itself is written by the two kinds of charts.
class Canvas {
  public:
    /// `colours` of the legend where they are not those of the palette; empty: they are.
    Canvas(const std::string& title, const std::string& subtitle, const std::vector<std::string>& legend,
           double room_below, const std::vector<std::string>& colours = {}) {
        place_legend(legend);
        bottom_ = kTop + legend_height_ + kPlotHeight;
        height_ = bottom_ + room_below;
        out_ = fmt::format(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
            "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\n"
            "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
            kWidth, height_);
        text(kLeft, 28.0, title, "font-size=\"19\" font-weight=\"bold\" fill=\"#111111\"");
        text(kLeft, 49.0, subtitle, "font-size=\"13\" fill=\"#555555\"");
        for (const Entry& e : entries_) {
            out_ += fmt::format(
                "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"12\" rx=\"2\" fill=\"{}\"/>\n", e.x, e.y - 11.0,
                e.index < colours.size() && !colours[e.index].empty() ? colours[e.index].c_str() : colour(e.index));
            text(e.x + 20.0, e.y, e.name, "font-size=\"13\" fill=\"#222222\"");
        }
    }

    double top() const { return kTop + legend_height_; }
    double bottom() const { return bottom_; }
    double left() const { return kLeft; }
    double right() const { return kWidth - kRight; }
    double height() const { return height_; }

    void text(double x, double y, const std::string& what, const std::string& attributes) {
        if (!what.empty())
            out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes, escaped(what));
    }
    void line(double x1, double y1, double x2, double y2, const char* stroke) {
        out_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1,
                            x2, y2, stroke);
    }
    void add(const std::string& element) { out_ += element; }

    void y_axis(const Axis& axis, const std::string& label) {
        for (const double tick : axis.ticks) {
            const double y = axis.at(tick);
            line(left(), y, right(), y, "#e4e4e4");
            text(left() - 8.0, y + 4.5, axis.label(tick), "font-size=\"13\" text-anchor=\"end\" fill=\"#333333\"");
        }
        line(left(), top(), left(), bottom(), "#333333");
        const double middle = 0.5 * (top() + bottom());
        text(20.0, middle, label,
             fmt::format("font-size=\"14\" text-anchor=\"middle\" fill=\"#222222\" transform=\"rotate(-90 20 "
                         "{:.1f})\"",
                         middle));
    }
    void x_line() { line(left(), bottom(), right(), bottom(), "#333333"); }
    void say_empty() {
        text(0.5 * (left() + right()), 0.5 * (top() + bottom()), "nothing was measured",
             "font-size=\"15\" text-anchor=\"middle\" fill=\"#777777\"");
    }

    std::string finish() { return out_ + "</svg>\n"; }

  private:
    struct Entry {
        size_t index;
        std::string name;
        double x, y;
    };
    void place_legend(const std::vector<std::string>& names) {
        double x = kLeft, y = kTop + 8.0;
        for (size_t i = 0; i < names.size(); ++i) {
            if (names[i].empty()) continue;
            const double width = 20.0 + kCharacter * double(names[i].size()) + 22.0;
            if (x + width > kWidth - kRight && x > kLeft) {
                x = kLeft;
                y += kLegendRow;
            }
            entries_.push_back({i, names[i], x, y});
            x += width;
        }
        legend_height_ = entries_.empty() ? 0.0 : y - kTop + 16.0;
    }

    std::vector<Entry> entries_;
    double legend_height_ = 0.0, bottom_ = 0.0, height_ = 0.0;
    std::string out_;
};

template <class AnySeries>
std::vector<std::string> names_of(const std::vector<AnySeries>& series) {
    std::vector<std::string> names;
    for (const AnySeries& s : series) names.push_back(s.name);
    return names;
}

/// Every x of the chart that has a place on its axis, once.
std::vector<double> x_positions(const LineChart& chart) {
    std::vector<double> out;
    for (const Series& series : chart.series)
        for (const double x : series.x)
            if (std::isfinite(x) && (!chart.log_x || x > 0.0)) out.push_back(x);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

void draw_series(Canvas& canvas, const Series& series, const Axis& x, const Axis& y, const char* stroke, bool markers) {
    std::string points, dots;
    const bool has_line = series.style != SeriesStyle::dots;
    const double width = series.width > 0.0 ? series.width : markers ? 2.2 : 1.5;
    const auto flush = [&] {
        if (!points.empty() && has_line)
            canvas.add(fmt::format(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" "
                "stroke-linejoin=\"round\"{}/>\n",
                points, stroke, width, series.style == SeriesStyle::dashes ? " stroke-dasharray=\"7 5\"" : ""));
        points.clear();
    };
    for (size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
        if (!x.shows(series.x[i]) || !y.shows(series.y[i])) {  // a gap, not a line across it
            flush();
            continue;
        }
        const double px = x.at(series.x[i]), py = y.at(series.y[i]);
        points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", px, py);
        if (markers || !has_line)
            dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n", px, py,
                                has_line ? "3.6" : "5", stroke);
        if (i < series.labels.size()) {
            // Over its point; at the left and right ends of a line, inside of the plot.
            const char* anchor = !has_line ? "middle" : i == 0 ? "start" : "end";
            canvas.text(px + (!has_line ? 0.0
                              : i == 0  ? 6.0
                                        : -6.0),
                        py - (has_line ? 6.0 : 8.0), series.labels[i],
                        fmt::format("font-size=\"12\" text-anchor=\"{}\" fill=\"{}\" stroke=\"#ffffff\" "
                                    "stroke-width=\"3\" paint-order=\"stroke\"",
                                    anchor, stroke));
        }
    }
    flush();
    canvas.add(dots);
}

}  // namespace

std::vector<double> linear_ticks(double low, double high, int wanted) {
    const double rough = (high - low) / std::max(1, wanted);
    if (!(rough > 0.0) || !std::isfinite(rough)) return {low};
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    double step = 10.0 * power;
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= rough * (1.0 - 1e-9)) {
            step = factor * power;
            break;
        }
    std::vector<double> ticks;
    for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k += 1.0) ticks.push_back(k * step);
    return ticks;
}

std::vector<double> log_ticks(double low, double high) {
    std::vector<double> ticks;
    const bool few = std::log10(high / low) < 3.0;
    for (double decade = std::floor(std::log10(low)); decade <= std::log10(high) + 1e-9; decade += 1.0)
        for (const double factor : {1.0, 2.0, 5.0}) {
            const double tick = factor * std::pow(10.0, decade);
            const bool inside = tick >= low * (1.0 - 1e-9) && tick <= high * (1.0 + 1e-9);
            if (inside && (few || factor == 1.0)) ticks.push_back(tick);
        }
    return ticks;
}

std::string to_svg(const LineChart& chart) {
    std::vector<std::string> colours;
    for (const Series& series : chart.series) colours.push_back(series.colour);
    Canvas canvas(chart.title, chart.subtitle, names_of(chart.series), 58.0, colours);
    Range x_range, y_range;
    for (const Series& series : chart.series)
        for (size_t i = 0; i < std::min(series.x.size(), series.y.size()); ++i) {
            x_range.add(series.x[i], chart.log_x);
            y_range.add(series.y[i], chart.log_y);
        }
    if (chart.y_from_zero && !chart.log_y && !y_range.empty()) {
        y_range.low = std::min(0.0, y_range.low);
        y_range.high = std::max(chart.y_reaches, y_range.high);
    }
    const double inset = chart.markers ? 14.0 : 0.0;  // dots stay inside the frame
    Axis x = make_axis(x_range, chart.log_x, true, canvas.left() + inset, canvas.right() - inset);
    if (chart.markers)
        if (std::vector<double> positions = x_positions(chart); positions.size() >= 2 && positions.size() <= 10)
            x.ticks = std::move(positions);
    const Axis y = make_axis(y_range, chart.log_y, false, canvas.bottom(), canvas.top());
    canvas.y_axis(y, chart.y_label);
    canvas.x_line();
    for (const double tick : x.ticks) {
        canvas.line(x.at(tick), canvas.bottom(), x.at(tick), canvas.bottom() + 5.0, "#333333");
        canvas.text(x.at(tick), canvas.bottom() + 20.0, x.label(tick),
                    "font-size=\"13\" text-anchor=\"middle\" fill=\"#333333\"");
    }
    canvas.text(0.5 * (canvas.left() + canvas.right()), canvas.bottom() + 44.0, chart.x_label,
                "font-size=\"14\" text-anchor=\"middle\" fill=\"#222222\"");
    if (x_range.empty() || y_range.empty()) canvas.say_empty();
    // Backwards, so that the first series lies on top.
    for (size_t i = chart.series.size(); i-- > 0;)
        draw_series(canvas, chart.series[i], x, y,
                    chart.series[i].colour.empty() ? colour(i) : chart.series[i].colour.c_str(), chart.markers);
    return canvas.finish();
}

std::string to_svg(const BarChart& chart) {
    const size_t bars = std::max<size_t>(1, chart.series.size());
    const size_t groups = std::max<size_t>(1, chart.groups.size());
    Canvas canvas(chart.title, chart.subtitle, names_of(chart.series), 40.0);
    Range range;
    for (const BarSeries& series : chart.series)
        for (const double value : series.values) range.add(value, chart.log_y);
    const bool empty = range.empty();
    if (!chart.log_y && !empty) range.low = std::min(0.0, range.low);
    Axis y = make_axis(range, chart.log_y, false, canvas.bottom(), canvas.top() + 14.0);
    canvas.y_axis(y, chart.y_label);
    canvas.x_line();
    if (empty) canvas.say_empty();

    const double group_width = (canvas.right() - canvas.left()) / double(groups);
    const double bar_width = std::min(46.0, 0.86 * group_width / double(bars));
    for (size_t g = 0; g < chart.groups.size(); ++g) {
        const double centre = canvas.left() + (double(g) + 0.5) * group_width;
        canvas.text(centre, canvas.bottom() + 22.0, chart.groups[g],
                    "font-size=\"14\" text-anchor=\"middle\" fill=\"#222222\"");
        for (size_t s = 0; s < chart.series.size(); ++s) {
            const std::vector<double>& values = chart.series[s].values;
            if (g >= values.size() || !y.shows(values[g])) continue;
            const double x = centre + (double(s) - 0.5 * double(bars)) * bar_width;
            const double top = y.at(values[g]);
            canvas.add(fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"{}\"/>\n",
                                   x + 1.0, top, std::max(1.0, bar_width - 2.0), std::max(0.5, canvas.bottom() - top),
                                   colour(s)));
            if (bar_width >= 24.0)  // narrower ones have no room for their number
                canvas.text(x + 0.5 * bar_width, top - 4.0, bar_label(values[g]),
                            "font-size=\"11\" text-anchor=\"middle\" fill=\"#333333\"");
        }
    }
    return canvas.finish();
}

}  // namespace proxima::bench
