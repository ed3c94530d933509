// SPDX-License-Identifier: MIT
#include "samples/bench/plot.h"

#include <doctest/doctest.h>

#include <cctype>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace proxima::bench;

namespace {

bool is_name(const std::string& text) {
    if (text.empty() || !std::isalpha(static_cast<unsigned char>(text[0]))) return false;
    for (const char c : text)
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != ':' && c != '_') return false;
    return true;
}

/// Text or the value of an attribute: no bare signs of markup.
bool is_clean(const std::string& text) {
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '<' || text[i] == '>' || text[i] == '"') return false;
        if (text[i] != '&') continue;
        bool known = false;
        for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;"})
            known = known || text.compare(i, std::string(entity).size(), entity) == 0;
        if (!known) return false;
    }
    return true;
}

/// name="value" one after the other; false for anything else, or a name that is there twice.
bool has_good_attributes(std::string text) {
    std::vector<std::string> names;
    while (text.find_first_not_of(" \n") != std::string::npos) {
        text.erase(0, text.find_first_not_of(" \n"));
        const size_t equals = text.find("=\"");
        if (equals == std::string::npos) return false;
        const size_t end = text.find('"', equals + 2);
        if (end == std::string::npos) return false;
        const std::string name = text.substr(0, equals);
        if (!is_name(name) || !is_clean(text.substr(equals + 2, end - equals - 2))) return false;
        for (const std::string& other : names)
            if (other == name) return false;
        names.push_back(name);
        text.erase(0, end + 1);
    }
    return true;
}

/// Empty when the text is well-formed XML (of the plain kind: no comments, no CDATA), otherwise what is wrong.
std::string xml_error(const std::string& text) {
    std::vector<std::string> open;
    size_t at = 0, elements = 0;
    if (text.starts_with("<?xml")) at = text.find("?>") + 2;
    while (at < text.size()) {
        const size_t next = std::min(text.find('<', at), text.size());
        const std::string between = text.substr(at, next - at);
        if (!is_clean(between)) return "signs of markup in text: " + between;
        if (open.empty() && between.find_first_not_of(" \n") != std::string::npos) return "text outside of the root";
        if (next == text.size()) break;
        const size_t end = text.find('>', next);
        if (end == std::string::npos) return "a tag is not closed";
        std::string tag = text.substr(next + 1, end - next - 1);
        at = end + 1;
        if (tag.starts_with("/")) {
            if (open.empty() || open.back() != tag.substr(1)) return "unexpected end: " + tag;
            open.pop_back();
            continue;
        }
        const bool alone = tag.ends_with("/");
        if (alone) tag.pop_back();
        const size_t space = std::min(tag.find(' '), tag.size());
        const std::string name = tag.substr(0, space);
        if (!is_name(name)) return "not a name: " + name;
        if (!has_good_attributes(tag.substr(space))) return "attributes of: " + tag;
        if (open.empty() && elements > 0) return "more than one root";
        ++elements;
        if (!alone) open.push_back(name);
    }
    if (!open.empty()) return "left open: " + open.back();
    return elements == 0 ? "nothing there" : "";
}

size_t count(const std::string& text, const std::string& part) {
    size_t n = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("the checker of this file knows broken XML") {
    CHECK(xml_error("<a><b x=\"1\"/>t &amp; u</a>\n").empty());
    for (const char* broken :
         {"<a>", "<a></b>", "<a x=1/>", "<a>&nbsp;</a>", "<a/><b/>", "<a x=\"1\" x=\"2\"/>", "", "<a>a > b</a>"})
        CHECK_FALSE(xml_error(broken).empty());
}

TEST_CASE("a line chart is well-formed, also with awkward names") {
    LineChart chart;
    chart.title = "a < b & \"c\"";
    chart.subtitle = "x > y";
    chart.x_label = "bodies";
    chart.y_label = "ms";
    chart.markers = true;
    chart.series = {{"one & two", {1.0, 2.0, 3.0}, {3.0, 1.0, 2.0}}, {"<three>", {1.0, 3.0}, {2.0, 2.0}}};
    for (const bool log : {false, true}) {
        chart.log_x = chart.log_y = log;
        const std::string svg = to_svg(chart);
        CHECK(xml_error(svg) == "");
        CHECK(count(svg, "<polyline") == 2);
        CHECK(count(svg, "<circle") == 5);
        CHECK(count(svg, "one &amp; two") == 1);
        CHECK(svg.find("nan") == std::string::npos);
        CHECK(svg.find("inf") == std::string::npos);
    }
}

TEST_CASE("a bar chart has one bar for every value that there is") {
    BarChart chart{"t",
                   "",
                   "ms",
                   false,
                   {"pyramid60", "pile4096"},
                   {{"proxima", {1.0, 20.0}}, {"other", {2.0, kNan}}, {"short", {0.5}}}};
    for (const bool log : {false, true}) {
        chart.log_y = log;
        const std::string svg = to_svg(chart);
        CHECK(xml_error(svg) == "");
        CHECK(count(svg, "<rect") == 1 + 3 + 4);  // background, legend, bars
        CHECK(svg.find("nan") == std::string::npos);
    }
}

TEST_CASE("charts of nothing, of one point and of zeros are well-formed") {
    LineChart line;
    CHECK(xml_error(to_svg(line)) == "");
    CHECK(to_svg(line).find("nothing was measured") != std::string::npos);
    line.series = {{"a", {5.0}, {0.0}}};
    CHECK(xml_error(to_svg(line)) == "");
    line.log_x = line.log_y = true;  // a zero has no place on a logarithmic axis
    CHECK(to_svg(line).find("nothing was measured") != std::string::npos);
    line.series = {{"a", {5.0, 5.0}, {2.0, 2.0}}};
    CHECK(to_svg(line).find("nan") == std::string::npos);
    CHECK(to_svg(line).find("inf") == std::string::npos);
    BarChart bars;
    CHECK(xml_error(to_svg(bars)) == "");
    bars.groups = {"g"};
    bars.series = {{"a", {0.0}}};
    CHECK(xml_error(to_svg(bars)) == "");
    CHECK(to_svg(bars).find("nan") == std::string::npos);
}

TEST_CASE("a gap in a series is a gap in its line") {
    LineChart chart;
    chart.series = {{"a", {1.0, 2.0, 3.0, 4.0, 5.0}, {1.0, 2.0, kNan, 2.0, 1.0}}};
    CHECK(count(to_svg(chart), "<polyline") == 2);
}

TEST_CASE("an axis from zero begins at zero, and dotted lines have their places as ticks") {
    LineChart chart;
    chart.markers = chart.log_x = true;
    chart.series = {{"a", {1000.0, 16000.0}, {90.0, 100.0}}};
    CHECK(count(to_svg(chart), ">0</text>") == 0);
    chart.y_from_zero = true;
    const std::string svg = to_svg(chart);
    CHECK(xml_error(svg) == "");
    CHECK(count(svg, ">0</text>") == 1);
    CHECK(count(svg, ">1k</text>") == 1);
    CHECK(count(svg, ">16k</text>") == 1);
    CHECK(count(svg, ">10k</text>") == 0);
}

TEST_CASE("a line with a colour of its own has it in the legend too, and an axis reaches as far as it is told") {
    LineChart chart;
    Series grey{"others", {30.0, 40.0}, {0.1, 0.4}};
    grey.colour = "#cccccc";
    grey.width = 1.25;
    chart.series = {grey};
    chart.y_from_zero = true;
    const std::string low = to_svg(chart);
    CHECK(count(low, "fill=\"#cccccc\"") == 1);
    CHECK(count(low, "stroke=\"#cccccc\" stroke-width=\"1.25\"") == 1);
    CHECK(count(low, "#0072b2") == 0);  // the first of the palette
    CHECK(count(low, ">1</text>") == 0);
    chart.y_reaches = 1.0;
    CHECK(count(to_svg(chart), ">1</text>") == 1);
}

TEST_CASE("ticks are round numbers inside the range") {
    CHECK(linear_ticks(0.0, 10.0, 5) == std::vector<double>{0.0, 2.0, 4.0, 6.0, 8.0, 10.0});
    CHECK(linear_ticks(0.0, 1.0, 2).back() == 1.0);
    CHECK(log_ticks(1.0, 100.0) == std::vector<double>{1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0});
    const std::vector<double> many = log_ticks(0.5, 1e6);
    REQUIRE(many.size() == 7);
    CHECK(many.front() == doctest::Approx(1.0));
    for (const double low : {0.3, 17.0, 1234.0})
        for (const double tick : linear_ticks(low, 3.7 * low, 7)) {
            CHECK(tick >= low * (1.0 - 1e-9));
            CHECK(tick <= 3.7 * low * (1.0 + 1e-9));
        }
}
