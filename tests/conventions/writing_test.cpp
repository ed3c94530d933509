// SPDX-License-Identifier: MIT
#include "tests/conventions/writing.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace proxima::conventions;

TEST_CASE("every source file begins with its licence, and every header guards itself") {
    const std::vector<Finding> findings = check_first_lines(read_project());
    CHECK_MESSAGE(findings.empty(), to_text(findings));
}

TEST_CASE("every source file with a header of its own includes it first") {
    const std::vector<Finding> findings = check_first_includes(read_project());
    CHECK_MESSAGE(findings.empty(), to_text(findings));
}

TEST_CASE("macros live in engine/core, engine/profile and engine/simd and begin with PX_") {
    const std::vector<Finding> findings = check_macros(read_project());
    CHECK_MESSAGE(findings.empty(), to_text(findings));
}

TEST_CASE("no file names a package server or a place of one machine") {
    const std::vector<Finding> findings = check_portable_text(read_project());
    CHECK_MESSAGE(findings.empty(), to_text(findings));
}

TEST_CASE("every test writes into a folder of its own") {
    const std::vector<Finding> findings = check_temporary_files(read_project());
    CHECK_MESSAGE(findings.empty(), to_text(findings));
}

TEST_CASE("names are the field's own words") {
    const std::vector<Finding> findings = check_vocabulary(read_project());
    CHECK_MESSAGE(findings.empty(), to_text(findings));
}

TEST_CASE("the code in the README is samples/hello/main.cpp") {
    std::string readme, hello;
    for (const SourceFile& file : read_project()) {
        if (file.path == "README.md") readme = file.text;
        if (file.path == "samples/hello/main.cpp") hello = file.text;
    }
    const std::string opening = "```cpp\n";
    const size_t begin = readme.find(opening);
    REQUIRE(begin != std::string::npos);
    const size_t end = readme.find("```", begin + opening.size());
    REQUIRE(end != std::string::npos);
    const std::string shown = readme.substr(begin + opening.size(), end - begin - opening.size());
    // The program has two lines of licence and purpose on top, which the README leaves out.
    REQUIRE(hello.find("#include") != std::string::npos);
    CHECK(shown == hello.substr(hello.find("#include")));
}

TEST_CASE("a missing licence line and a missing guard are caught") {
    const std::string licence = "SPDX-License-Identifier: MIT\n";
    CHECK(check_first_lines({{"engine/core/a.h", "// " + licence + "#pragma once\n"}}).empty());
    CHECK(check_first_lines({{"run.sh", "#!/usr/bin/env bash\n# " + licence}}).empty());
    CHECK(check_first_lines({{"engine/core/a.h", "// " + licence}}).size() == 1);
    CHECK(check_first_lines({{"engine/core/a.cpp", "#include <vector>\n"}}).size() == 1);
    CHECK(check_first_lines({{"engine/core/a.cpp", ""}}).size() == 1);
    CHECK(check_first_lines({{"tests/CMakeLists.txt", "project(x)\n"}}).size() == 1);
    CHECK(check_first_lines({{"README.md", "# Title\n"}}).empty());
}

TEST_CASE("a source file that includes something before its own header is caught") {
    const SourceFile header{"physics/a.h", "#pragma once\n"};
    const std::string own = "#include \"physics/a.h\"\n";
    CHECK(check_first_includes({header, {"physics/a.cpp", "// words\n" + own + "#include <vector>\n"}}).empty());
    CHECK(check_first_includes({header, {"physics/b.cpp", "#include <vector>\n"}}).empty());
    CHECK(check_first_includes({header, {"physics/a.cpp", "int x;\n"}}).size() == 1);
    const auto findings = check_first_includes({header, {"physics/a.cpp", "\n#include <vector>\n" + own}});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].line == 2);
}

TEST_CASE("a macro in the wrong place or with the wrong name is caught") {
    CHECK(check_macros({{"engine/core/a.h", "#define PX_CHECK(x) x\n"}}).empty());
    CHECK(check_macros({{"physics/a.cpp", "#define GLM_FORCE_XYZW_ONLY\n"}}).empty());
    CHECK(check_macros({{"third_party/entt_subset/entt.hpp", "#define ENTT_ASSERT(x)\n"}}).empty());
    CHECK(check_macros({{"engine/core/a.h", "  # define CHECK_IT 1\n"}}).size() == 1);
    const std::vector<Finding> findings = check_macros({{"physics/a.cpp", "\n#define PX_HERE 1\n"}});
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].line == 2);
}

TEST_CASE("a test that writes into the temporary folder of the system is caught") {
    const std::string line = std::string("fs::temp_directory") + "_path() / \"fixed\"";
    CHECK(check_temporary_files({{"tests/unit/a.cpp", "\n" + line}}).size() == 1);
    CHECK(check_temporary_files({{"tests/support/temporary_folder.h", line}}).empty());
    CHECK(check_temporary_files({{"samples/bench/child_process.cpp", line}}).empty());
}

TEST_CASE("private words and files named with them are caught") {
    const std::string most = std::string("k") + "Most", home = std::string("bring_") + "home";
    const auto found = [](const std::string& text) { return check_vocabulary({{"physics/a.cpp", text}}).size(); };
    CHECK(found("constexpr int " + most + "Points = 4;") == 1);
    CHECK(found("constexpr int " + most + " = 4;\n\nworld." + home + "();") == 2);
    CHECK(found("see `contact" + std::string(".wide") + ".cpp`") == 1);
    CHECK(found("k" + std::string("Mostly, ask") + most + "Points, " + home + "s, kMaxPoints") == 0);
    CHECK(check_vocabulary({{"physics/a" + std::string(".wide") + ".cpp", ""}}).size() == 1);
    CHECK(check_vocabulary({{"CHANGELOG.md", home + " is download"}}).empty());
}

TEST_CASE("a package server and a machine's path are caught") {
    const std::string slash = "/";
    CHECK(check_portable_text({{"a.md", "see " + slash + "home/anna/proxima"}}).size() == 1);
    CHECK(check_portable_text({{"a.cpp", "open(\"" + slash + "tmp/x\")"}}).size() == 1);
    CHECK(check_portable_text({{"a.sh", std::string("curl deb.") + "debian" + ".org/x"}}).size() == 1);
    CHECK(check_portable_text({{"a.md", "the frame" + slash + "work/flow of include/tmp/x and a/home/b"}}).empty());
    CHECK(check_portable_text({{"a.sh", "#!/usr/bin/env bash"}}).empty());
}
