// SPDX-License-Identifier: MIT
#include "tests/conventions/layering.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using proxima::conventions::check_layering;
using proxima::conventions::check_shape_types;
using proxima::conventions::Finding;
using proxima::conventions::SourceFile;

namespace {

/// A project of one file `from` that includes `target`, beside one file of each folder.
std::vector<Finding> findings_of(const std::string& from, const std::string& target) {
    const std::vector<SourceFile> files = {
        {"engine/core/math.h", ""},
        {"engine/gpu/device.h", ""},
        {"physics/components.h", ""},
        {"physics/step.h", ""},
        {"physics/debug/draw.h", ""},
        {"physics/shapes/shape.h", ""},
        {"physics/shapes/shape_classes.h", ""},
        {"physics/shapes/polytope_kernels.h", ""},
        {"compute/layout.h", ""},
        {"render/draw_list.h", ""},
        {"render/frame.h", ""},
        {"samples/scenes/scenes.h", ""},
        {"samples/tool/run.h", ""},
        {"tests/support/approx.h", ""},
        {from, "// first line\n  #  include " + target + "\n"},
    };
    return check_layering(files);
}

}  // namespace

TEST_CASE("every include of the project follows the arrows and is written from the root") {
    const auto files = proxima::conventions::read_project();
    REQUIRE(files.size() > 20);
    const std::vector<Finding> findings = check_layering(files);
    CHECK_MESSAGE(findings.empty(), proxima::conventions::to_text(findings));
}

TEST_CASE("an include along an arrow is allowed") {
    CHECK(findings_of("physics/world.cpp", "\"engine/core/math.h\"").empty());
    CHECK(findings_of("compute/solver.cpp", "\"physics/step.h\"").empty());
    CHECK(findings_of("render/extract/bodies.cpp", "\"physics/components.h\"").empty());
    CHECK(findings_of("render/extract/bodies.cpp", "\"physics/debug/draw.h\"").empty());
    CHECK(findings_of("render/meshes.cpp", "\"physics/shapes/shape.h\"").empty());
    CHECK(findings_of("render/meshes.cpp", "\"physics/shapes/shape_classes.h\"").empty());
    CHECK(findings_of("samples/editor/main.cpp", "\"render/frame.h\"").empty());
    CHECK(findings_of("samples/games/game.h", "\"render/draw_list.h\"").empty());
    CHECK(findings_of("tests/unit/any.cpp", "\"compute/layout.h\"").empty());
    CHECK(findings_of("engine/gpu/device.cpp", "<vulkan/vulkan.h>").empty());
    CHECK(findings_of("engine/core/log.cpp", "<spdlog/spdlog.h>").empty());
}

TEST_CASE("an include against an arrow is caught, with its file and line") {
    const std::vector<Finding> findings = findings_of("engine/core/math.cpp", "\"physics/components.h\"");
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].path == "engine/core/math.cpp");
    CHECK(findings[0].line == 2);
    CHECK(findings[0].message == "this folder may not see physics/components.h");

    CHECK(findings_of("physics/world.cpp", "\"compute/layout.h\"").size() == 1);
    CHECK(findings_of("physics/world.cpp", "\"render/frame.h\"").size() == 1);
    CHECK(findings_of("physics/world.cpp", "\"samples/scenes/scenes.h\"").size() == 1);
    CHECK(findings_of("compute/solver.cpp", "\"render/frame.h\"").size() == 1);
    CHECK(findings_of("render/frame.cpp", "\"physics/step.h\"").size() == 1);
    CHECK(findings_of("render/meshes.cpp", "\"physics/shapes/polytope_kernels.h\"").size() == 1);
    CHECK(findings_of("render/extract/bodies.cpp", "<vulkan/vulkan.h>").size() == 1);
    CHECK(findings_of("render/frame.cpp", "\"compute/layout.h\"").size() == 1);
    CHECK(findings_of("samples/tool/main.cpp", "\"tests/support/approx.h\"").size() == 1);
    CHECK(findings_of("samples/scenes/pile.cpp", "\"render/frame.h\"").size() == 1);
    CHECK(findings_of("samples/scenes/pile.cpp", "\"samples/tool/run.h\"").size() == 1);
    CHECK(findings_of("samples/games/game.h", "\"render/frame.h\"").size() == 1);
    CHECK(findings_of("samples/games/game.cpp", "\"samples/tool/run.h\"").size() == 1);
}

TEST_CASE("an include that is not written from the root is caught") {
    CHECK(findings_of("engine/core/math.cpp", "\"math.h\"").size() == 1);
    CHECK(findings_of("physics/world.cpp", "\"../engine/core/math.h\"").size() == 1);
    CHECK(findings_of("physics/world.cpp", "<engine/core/math.h>").size() == 1);
}

TEST_CASE("a window or a GPU in a headless folder is caught") {
    CHECK(findings_of("physics/world.cpp", "<vulkan/vulkan.h>").size() == 1);
    CHECK(findings_of("engine/play/session.cpp", "<imgui.h>").size() == 1);
    CHECK(findings_of("samples/scenes/pile.cpp", "<GLFW/glfw3.h>").size() == 1);
    CHECK(findings_of("samples/games/game.cpp", "<imgui.h>").size() == 1);
}

TEST_CASE("nobody but shapes and contacts asks for the type of a shape") {
    const std::vector<Finding> findings = check_shape_types(proxima::conventions::read_project());
    CHECK_MESSAGE(findings.empty(), proxima::conventions::to_text(findings));
}

TEST_CASE("a question for the type of a shape is caught, making one is not") {
    const auto found = [](const std::string& path, const std::string& line) {
        return check_shape_types({{path, "\n" + line + "\n"}}).size();
    };
    CHECK(found("physics/query/ray.cpp", "        case ShapeType::sphere:") == 1);
    CHECK(found("samples/a.cpp", "if (shape.type == physics::ShapeType::hull) return;") == 1);
    CHECK(found("render/a.cpp", "if (type != ShapeType::box && type != ShapeType::hull)") == 2);
    CHECK(found("compute/a.cpp", "if (ShapeType::box == type)") == 1);
    CHECK(found("samples/a.cpp", "desc.type = ShapeType::hull;") == 0);
    CHECK(found("samples/a.cpp", "create(ShapeType::half_space, BodyType::fixed);") == 0);
    CHECK(found("compute/a.cpp", "{{ShapeType::sphere, kSphere},") == 0);
    CHECK(found("samples/a.cpp", "case ShapeType::Box:") == 0);
    CHECK(found("physics/shapes/a.cpp", "case ShapeType::box:") == 0);
    CHECK(found("tests/a.cpp", "case ShapeType::box:") == 0);
    CHECK(check_shape_types({{"physics/a.cpp", "\ncase ShapeType::box:\n"}})[0].line == 2);
}
