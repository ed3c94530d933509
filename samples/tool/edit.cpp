// SPDX-License-Identifier: MIT
// `proxima edit`: the editor, in a window or, for pictures and tests, without one.
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <tuple>

#include "samples/tool/tool.h"

#if defined(PROXIMA_EDITOR)
#include "engine/core/atomic_file.h"
#include "render/picture.h"
#include "samples/editor/app/default_scene.h"
#include "samples/editor/app/editor.h"
#include "samples/pictures/film.h"
#include "samples/shell/app.h"
#endif

namespace proxima::tool {

namespace {

struct EditOptions {
    std::string scene;
    std::string device = "gpu";
    std::string size;
    double scale = 0.0;
    std::string picture;
    int64_t frames = 4;
    std::string script, report, settings, recent, output = ".";
    bool offscreen = false, timing = false;
};

#if defined(PROXIMA_EDITOR)

/// Fills the document: from a file, a built-in scene, a mesh alone, or the scene to begin with.
Result<void> first_scene(const std::string& scene, editor::Workspace& workspace) {
    if (scene.empty()) return workspace.document.set_scene(editor::default_scene());
    if (editor::Workspace::is_mesh_file(scene)) return workspace.import(scene);
    std::error_code error;
    if (scene.ends_with(".json") || scene.find('/') != std::string::npos ||
        std::filesystem::is_regular_file(scene, error)) {
        if (Result<void> opened = workspace.document.open(scene); !opened) return opened;
        (void)workspace.recent.add(scene);
        return {};
    }
    const Result<physics::SceneDesc> built_in = find_scene(scene);
    if (!built_in) return Error{built_in.error()};
    return workspace.document.set_scene(built_in.value());
}

/// A run without a window: as many frames as asked for, or until the script is through.
Result<void> run_offscreen(shell::App& app, editor::Editor& editor, const EditOptions& options) {
    constexpr uint64_t kMaxFrames = 200000;  // of a script that does not end
    shell::OffscreenRun run;
    run.frames = options.script.empty() ? uint64_t(options.frames) : kMaxFrames;
    // The last picture is that of the frame in which the client quits.
    const Result<render::Picture> picture = app.run_offscreen(editor, run);
    if (!picture) return Error{picture.error()};
    if (options.picture.empty()) return {};
    return render::write_png(options.picture, picture.value());
}

int edit(const EditOptions& options, std::chrono::steady_clock::time_point start) {
    editor::EditorOptions wanted;
    wanted.workspace.output_folder = options.output;
    if (!options.recent.empty()) wanted.workspace.recent_store = options.recent;
    if (!options.settings.empty()) wanted.settings_file = options.settings;
    wanted.report_file = options.report;
    if (!options.script.empty()) {
        const Result<std::string> text = read_file(options.script);
        if (!text) return complain(text.error());
        Result<std::vector<editor::ScriptLine>> lines = editor::parse_script(*text, options.script);
        if (!lines) return complain(lines.error());
        wanted.script = std::move(lines.value());
    }
    // Settings come before the window, which has the size it had last.
    editor::Editor editor(wanted);
    if (Result<void> opened = first_scene(options.scene, editor.workspace()); !opened) return complain(opened.error());
    shell::AppOptions app_options;
    app_options.title = "Proxima";
    app_options.device = options.device;
    app_options.scale = float(options.scale);
    app_options.width = editor.settings().window_width;
    app_options.height = editor.settings().window_height;
    if (!options.size.empty()) {
        const auto size = pictures::parse_size(options.size);
        if (!size) return complain(size.error());
        std::tie(app_options.width, app_options.height) = size.value();
    }
    app_options.measure = options.timing;
    const bool offscreen = options.offscreen || !options.picture.empty();
    auto app = offscreen ? shell::App::open_offscreen(app_options) : shell::App::open(app_options);
    if (!app)
        return complain("The editor cannot open: " + app.error() +
                        (offscreen ? "" : " `proxima edit --picture FILE.png` draws it without a display."));
    if (options.timing)
        editor.set_first_picture([start] {
            std::fprintf(stderr, "first picture after %.2f s\n",
                         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        });
    const Result<void> done = offscreen ? run_offscreen(*app.value(), editor, options) : app.value()->run(editor);
    editor.leave_app();
    if (options.timing && !offscreen) std::fprintf(stderr, "%s\n", app.value()->times().summary().c_str());
    if (!done) return complain(done.error());
    if (!editor.script_error().empty()) return complain(editor.script_error());
    return kExitOk;
}

#else

int edit(const EditOptions&, std::chrono::steady_clock::time_point) {
    return complain("This program was built without the editor: GLFW, Dear ImGui and stb make it possible.");
}

#endif

}  // namespace

void add_edit_command(const Command& program, int& exit_code) {
    const auto start = std::chrono::steady_clock::now();
    auto options = std::make_shared<EditOptions>();
    const Command command = program.add_command("edit", "edit and play a scene in a window");
    command.add_option("scene", options->scene,
                       "built-in scene, scene file or mesh (OBJ, glTF); default: a playground");
    command.add_option("--device", options->device, "the device that draws: gpu, gpu:INDEX or gpu:NAME").show_default();
    command.add_option("--size", options->size, "size of the window or picture, like 1280x720");
    command.add_option("--scale", options->scale, "size of texts and panels; default: the screen's");
    command.add_option("--picture", options->picture, "draw without a window into this PNG file, and end");
    command.add_option("--frames", options->frames, "frames before the picture").show_default().positive();
    command.add_option("--output", options->output, "folder of screenshots, dumps and traces").show_default();
    // For tests; see samples/editor/app/script.h.
    command.add_option("--script", options->script, "do what a file says").hide();
    command.add_option("--report", options->report, "write the state of the editor to a file").hide();
    command.add_option("--settings", options->settings, "file of settings instead of the user's").hide();
    command.add_option("--recent", options->recent, "list of recent files instead of the user's").hide();
    command.add_flag("--offscreen", options->offscreen, "no window").hide();
    command.add_flag("--timing", options->timing, "say when the first picture is there, and how long frames took")
        .hide();
    command.callback([options, &exit_code, start] { exit_code = edit(*options, start); });
}

}  // namespace proxima::tool
