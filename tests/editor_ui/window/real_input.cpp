// SPDX-License-Identifier: MIT
// `proxima edit` in a window of a display that nobody sees, driven by events of a real mouse and keyboard
// (xdotool). The program tells where its widgets are and what became of it in a file that changes with it.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "engine/core/atomic_file.h"
#include "render/picture.h"
#include "render/pipe_program.h"
#include "tests/editor_ui/compare_pictures.h"
#include "tests/support/temporary_folder.h"

using namespace proxima;
using Json = nlohmann::json;

namespace {

/// A program that was started here and ends with the test.
class Child {
  public:
    explicit Child(const std::vector<std::string>& words) {
        process_ = fork();
        if (process_ != 0) return;
        std::vector<char*> arguments;
        for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        execv(arguments[0], arguments.data());
        _exit(127);
    }
    ~Child() {
        if (ended()) return;
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    bool ended() {
        if (!done_ && waitpid(process_, &status_, WNOHANG) == process_) done_ = true;
        return done_;
    }
    int exit_code() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }

  private:
    pid_t process_ = -1;
    int status_ = 0;
    bool done_ = false;
};

void xdotool(const std::string& arguments) { REQUIRE(std::system(("xdotool " + arguments).c_str()) == 0); }

class Hand {
  public:
    Hand(std::string report, Child& editor) : report_(std::move(report)), editor_(editor) {}

    /// The newest report for which something is true. Machines may be slow: patience is long, and only spent
    /// when the test is about to fail.
    Json until(const std::string& what, const std::function<bool(const Json&)>& true_for) {
        const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        Json last;
        while (std::chrono::steady_clock::now() < give_up && !editor_.ended()) {
            if (const Result<std::string> text = read_file(report_); text.ok()) {
                last = Json::parse(*text, nullptr, false);
                if (last.is_object() && true_for(last)) return last;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
        }
        FAIL("the editor never came to this: ", what, "; it said ", last.value("message", ""), "; selected ",
             last.value("selected", Json()).dump());
        return last;
    }
    Json widget_rect(const std::string& name) {
        return until("'" + name + "' is seen",
                     [&](const Json& r) { return r["widgets"].contains(name); })["widgets"][name];
    }
    void click(const std::string& name) {
        const Json p = widget_rect(name);
        click_at(double(p[0]) + 0.5 * double(p[2]), double(p[1]) + 0.5 * double(p[3]));
    }
    void click_at(double x, double y) {
        move(x, y);
        xdotool("mousedown 1 sleep 0.15 mouseup 1");
    }
    void move(double x, double y) {
        xdotool("mousemove " + std::to_string(int(x)) + " " + std::to_string(int(y)) + " sleep 0.15");
    }
    void drag(double x0, double y0, double x1, double y1) {
        move(x0, y0);
        xdotool("mousedown 1 sleep 0.15");
        for (int i = 1; i <= 5; ++i) move(x0 + (x1 - x0) * i / 5.0, y0 + (y1 - y0) * i / 5.0);
    }

  private:
    std::string report_;
    Child& editor_;
};

bool all_there() {
    if (!std::getenv("DISPLAY"))
        std::printf("skipped: no display\n");
    else if (render::find_program("xdotool").empty())
        std::printf("skipped: no xdotool\n");
    else if (render::find_program("import").empty())
        std::printf("skipped: no ImageMagick to photograph the screen\n");
    else if (std::system(PROXIMA_TOOL_FILE " edit --offscreen --frames 1 --settings none.json > /dev/null 2>&1") != 0)
        std::printf("skipped: no Vulkan device\n");
    else
        return true;
    return false;
}

render::Picture screen(const std::string& file) {
    REQUIRE(std::system(("import -window root " + file).c_str()) == 0);
    Result<render::Picture> picture = render::read_png(file);
    REQUIRE_MESSAGE(picture.ok(), picture.error());
    return std::move(picture.value());
}

}  // namespace

TEST_CASE("a person plays, stops, picks, drags, undoes, changes the solver and makes a hinge in a window") {
    if (!all_there()) return;
    const test::TemporaryFolder folder;
    const auto file = [&](const char* name) { return (folder.path / name).string(); };
    Child editor({PROXIMA_TOOL_FILE, "edit", "--size", "1280x720", "--scale", "1", "--report", file("report.json"),
                  "--settings", file("settings.json"), "--recent", file("recent.txt"), "--output",
                  folder.path.string()});
    Hand hand(file("report.json"), editor);
    const Json first = hand.until("it is open", [](const Json& r) { return r["state"] == "edit" && r["bodies"] > 0; });
    hand.move(640, 10);
    hand.widget_rect("play");
    // The report may be ahead of what the display shows.
    render::Picture window = screen(file("window.png"));
    for (int i = 0; i < 20 && test::difference(window, test::reference("window")) > test::kMaxDifference; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        window = screen(file("window.png"));
    }
    test::check_picture(window, "window");

    // Play, and stop: the world is as it was, byte for byte.
    hand.click("play");
    hand.until("it plays", [](const Json& r) { return r["state"] == "play" && r["step"] > 20; });
    hand.click("stop");
    hand.until("it stopped with the world as before",
               [&](const Json& r) { return r["state"] == "edit" && r["world"] == first["world"]; });

    // Pick a body and drag it up by its arrow; one command, and undone by its key.
    const Json ball = first["placed"]["heavy ball"]["pixel"];
    hand.click_at(ball[0], ball[1]);
    hand.until("the ball is selected", [](const Json& r) { return r["selected"] == Json{"heavy ball"}; });
    hand.drag(ball[0], double(ball[1]) - 45.0, ball[0], double(ball[1]) - 95.0);
    xdotool("mouseup 1");
    const Json moved = hand.until("the ball was moved", [](const Json& r) { return r["undo_count"] == 1; });
    CHECK(moved["placed"]["heavy ball"]["position"][1] > 0.5);
    xdotool("key ctrl+z");
    hand.until("the move is undone", [&](const Json& r) {
        return r["undo_count"] == 0 && r["world"] == first["world"] && r["dirty"] == false;
    });

    hand.click("tab.Solver");
    hand.click("solver");
    hand.click("choose.nncg");
    const Json changed = hand.until("the solver is another", [](const Json& r) { return r["solver"] == "nncg"; });

    // Pull a body during a play: it follows, and stop brings everything back.
    xdotool("key space");
    hand.until("it plays by a key", [](const Json& r) { return r["state"] == "play" && r["step"] > 2; });
    hand.drag(ball[0], ball[1], 480, 260);
    hand.until("the ball is pulled", [&](const Json& r) {
        return r["grabbing"] == true && double(r["placed"]["heavy ball"]["position"][0]) <
                                            double(first["placed"]["heavy ball"]["position"][0]) - 0.1;
    });
    xdotool("mouseup 1");
    hand.until("the ball is let go", [](const Json& r) { return r["grabbing"] == false; });
    xdotool("key ctrl+space");
    hand.until("everything is back",
               [&](const Json& r) { return r["state"] == "edit" && r["world"] == changed["world"]; });

    // A hinge between two bodies: the second one with Ctrl, J, an axis, a type; moved by its arrow, and taken back.
    xdotool("key Escape");
    const Json bodies = hand.until("nothing is played", [](const Json& r) { return r["state"] == "edit"; });
    const Json one = bodies["placed"]["heavy ball"]["pixel"], two = bodies["placed"]["crate 12"]["pixel"];
    hand.click_at(one[0], one[1]);
    hand.until("the ball is selected alone", [](const Json& r) { return r["selected"] == Json{"heavy ball"}; });
    hand.move(two[0], two[1]);
    xdotool("keydown ctrl sleep 0.2 mousedown 1 sleep 0.15 mouseup 1 sleep 0.2 keyup ctrl");
    hand.until("two bodies are selected", [](const Json& r) { return r["selected"].size() == 2; });
    xdotool("key j");
    hand.click("join.axis.z");
    hand.click("join.revolute");
    const Json hinged = hand.until("there is a hinge with handles", [](const Json& r) {
        return r["joints"].size() == 1 && r["joints"][0]["type"] == "revolute" && r["handles"].contains("y");
    });
    const Json arrow = hinged["handles"]["y"];
    hand.drag(arrow[0], arrow[1], arrow[0], double(arrow[1]) - 40.0);
    xdotool("mouseup 1");
    hand.until("its frame was moved, and no body", [&](const Json& r) {
        return r["undo"] == "Change a joint" && r["placed"] == hinged["placed"] &&
               double(r["handles"]["origin"][1]) < double(hinged["handles"]["origin"][1]) - 15.0;
    });
    xdotool("key ctrl+z");
    xdotool("key ctrl+z");
    hand.until("the hinge is taken back",
               [&](const Json& r) { return r["joints"].empty() && r["undo_count"] == bodies["undo_count"]; });

    // Leave: what is unsaved is asked about first.
    xdotool("key ctrl+q");
    hand.click("guard.discard");
    for (int i = 0; i < 600 && !editor.ended(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    REQUIRE(editor.ended());
    CHECK(editor.exit_code() == 0);
}
