// SPDX-License-Identifier: MIT
#include "samples/bench/csv.h"

#include <doctest/doctest.h>

#include <string>

using namespace proxima;
using namespace proxima::bench;

TEST_CASE("a table comes back from its text as it was") {
    Table table;
    table.card = {{"processor", "a: b, c"}, {"empty", ""}};
    table.columns = {"name", "a, b", "last"};
    table.rows = {{"plain", "1.5", ""}, {"with \"quotes\"", "two\nlines", "x,y"}, {"", "", ""}};
    const Result<Table> read = parse_csv(to_csv(table));
    REQUIRE_MESSAGE(read.ok(), read.error());
    CHECK(read->card == table.card);
    CHECK(read->columns == table.columns);
    CHECK(read->rows == table.rows);
    CHECK(read->find("last") == 2);
    CHECK(read->find("first") == -1);
}

TEST_CASE("the card of the machine stands on top, one comment line each") {
    Table table;
    table.card = {{"command", "two\nlines"}};
    table.columns = {"a"};
    CHECK(to_csv(table) == "# command: two lines\na\n");
}

TEST_CASE("text that is not a table is refused with its line") {
    CHECK(parse_csv("a,b\n1,2\n1,2,3\n").error() == "Line 3 has 3 cells, but there are 2 columns.");
    CHECK(parse_csv("a,b\n1,\"2\n").error().find("quote") != std::string::npos);
    CHECK(parse_csv("# only a comment\n").error().find("columns") != std::string::npos);
    CHECK_FALSE(parse_csv("").ok());
}

TEST_CASE("line ends of Windows and a missing last one are read") {
    const Result<Table> table = parse_csv("a,b\r\n1,2\r\n3,4");
    REQUIRE(table.ok());
    CHECK(table->rows == std::vector<std::vector<std::string>>{{"1", "2"}, {"3", "4"}});
}
