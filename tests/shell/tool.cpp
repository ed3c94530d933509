// SPDX-License-Identifier: MIT
// The flags of the program: pictures of runs, and what is refused before one begins.
#if defined(PROXIMA_TOOL)  // there is a program
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "render/picture.h"
#include "tests/shell/shell_test.h"
#include "tests/support/temporary_folder.h"

using namespace proxima;

namespace {

namespace fs = std::filesystem;

const std::string kProgram = PROXIMA_BINARY_DIR "/bin/proxima";

struct Folder : test::TemporaryFolder {
    std::string operator/(const char* name) const { return (path / name).string(); }
};

struct Answer {
    bool fine = false;
    std::string words;
};

Answer call(const Folder& folder, const std::string& arguments, const std::string& environment = "") {
    const std::string log = folder / "log.txt";
    Answer answer;
    answer.fine = std::system((environment + " '" + kProgram + "' " + arguments + " > " + log + " 2>&1").c_str()) == 0;
    std::ifstream stream(log);
    std::ostringstream text;
    text << stream.rdbuf();
    answer.words = text.str();
    return answer;
}

}  // namespace

TEST_CASE("run --picture writes a picture of the size that was asked for") {
    if (!test::ShellRig()) return;
    const Folder folder;
    const Answer answer = call(folder, "run tower5 --steps 5 --quiet --size 200x120 --picture " + (folder / "a.png"));
    REQUIRE_MESSAGE(answer.fine, answer.words);
    const Result<render::Picture> picture = render::read_png(folder / "a.png");
    REQUIRE_MESSAGE(picture.ok(), picture.error());
    CHECK(picture->width == 200);
    CHECK(picture->height == 120);
    CHECK(test::count_colours(picture.value()) > 100);
}

TEST_CASE("run refuses pictures and videos that cannot be made before it runs") {
    const Folder folder;
    for (const char* flags : {"--picture a.jpg", "--picture /no/such/folder/a.png", "--video a.avi",
                              "--video /no/such/folder/a.mp4", "--picture a.png --size big",
                              "--picture a.png --debug cotnacts", "--debug contacts", "--video a.mp4 --fps 0"}) {
        CAPTURE(flags);
        const Answer answer =
            call(folder, std::string("run tower5 --steps 5 --report ") + (folder / "report.json") + " " + flags);
        CHECK_FALSE(answer.fine);
        CHECK(answer.words.find("proxima: ") != std::string::npos);
        CHECK_FALSE(fs::exists(folder / "report.json"));
    }
}

TEST_CASE("without a device the run completes and says that there is no picture") {
    const Folder folder;
    const Answer answer =
        call(folder,
             "run tower5 --steps 5 --quiet --report " + (folder / "report.json") + " --picture " + (folder / "a.png"),
             "VK_DRIVER_FILES=nothing.json VK_ICD_FILENAMES=nothing.json");
    CHECK_FALSE(answer.fine);
    CHECK(answer.words.find("There is no picture of the run") != std::string::npos);
    CHECK(fs::exists(folder / "report.json"));
    CHECK_FALSE(fs::exists(folder / "a.png"));
}

#if defined(PROXIMA_EDITOR)
TEST_CASE("edit takes a mesh, and says what is wrong with a broken one") {
    if (!test::ShellRig()) return;
    const Folder folder;
    std::ofstream(folder / "wedge.obj") << "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
    std::ofstream(folder / "bad.gltf")
        << R"({"asset":{"version":"2.0"},"meshes":[{"primitives":[{"attributes":{"POSITION":9}}]}]})";
    const std::string flags = " --size 320x200 --settings " + (folder / "s.json") + " --recent " + (folder / "r.json") +
                              " --report " + (folder / "report.json") + " --picture " + (folder / "a.png");
    const Answer good = call(folder, "edit " + (folder / "wedge.obj") + flags);
    CHECK_MESSAGE(good.fine, good.words);
    CHECK(fs::exists(folder / "a.png"));
    fs::remove(folder / "a.png");
    const Answer bad = call(folder, "edit " + (folder / "bad.gltf") + flags);
    CHECK_FALSE(bad.fine);
    CHECK_MESSAGE(bad.words.find("bad.gltf") != std::string::npos, bad.words);
    CHECK_FALSE(fs::exists(folder / "a.png"));
}
#endif

#endif
