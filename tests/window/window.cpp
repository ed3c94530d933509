// SPDX-License-Identifier: MIT
#include "engine/window/window.h"

#include <doctest/doctest.h>

#include <functional>
#include <optional>

#include "render/renderer.h"
#include "tests/window/window_test.h"

using namespace proxima;
using namespace proxima::engine;
using proxima::test::WindowRig;

namespace {

/// Waits for events until one of a kind has come, or for a good while.
template <class Kind>
std::optional<Kind> wait_for(Window& window, const std::function<bool(const Kind&)>& fits) {
    for (int i = 0; i < 100; ++i)
        for (const WindowEvent& event : window.wait(0.05))
            if (const Kind* found = std::get_if<Kind>(&event))
                if (fits(*found)) return *found;
    return std::nullopt;
}

/// One picture of an empty world into the window.
Result<GpuTarget> show(render::Renderer& renderer, Swapchain& swapchain) {
    static const render::MeshLibrary meshes;
    const render::DrawList list;
    const Result<GpuTarget> target = swapchain.acquire();
    if (!target) return target;
    if (Result<void> drawn = renderer.draw(list, meshes, nullptr, target.value()); !drawn) return Error{drawn.error()};
    if (Result<void> shown = swapchain.present(); !shown) return Error{shown.error()};
    return target;
}

struct Shown : WindowRig {
    Shown() {
        if (!window) return;
        auto r = render::Renderer::create(device, {1, 64, 4});
        REQUIRE_MESSAGE(r.ok(), r.error());
        renderer = std::move(r.value());
        auto s = Swapchain::create(device, *window);
        REQUIRE_MESSAGE(s.ok(), s.error());
        swapchain = std::move(s.value());
    }
    ~Shown() {
        swapchain.reset();
        renderer.reset();
    }
    GpuTarget show_one() {
        const Result<GpuTarget> target = show(*renderer, *swapchain);
        REQUIRE_MESSAGE(target.ok(), target.error());
        return target.value();
    }
    std::unique_ptr<render::Renderer> renderer;
    std::unique_ptr<Swapchain> swapchain;
};

}  // namespace

#ifndef _WIN32
TEST_CASE("without a display a window is a sentence") {
    std::string kept[2];
    const char* const names[2] = {"DISPLAY", "WAYLAND_DISPLAY"};
    for (int i = 0; i < 2; ++i) {
        if (const char* value = std::getenv(names[i])) kept[i] = value;
        unsetenv(names[i]);
    }
    const Result<std::unique_ptr<Window>> window = Window::create();
    const Result<std::vector<std::string>> extensions = window_extensions();
    for (int i = 0; i < 2; ++i)
        if (!kept[i].empty()) setenv(names[i], kept[i].c_str(), 1);
    REQUIRE_FALSE(window.ok());
    CHECK(window.error().find("there is no display") != std::string::npos);
    CHECK_FALSE(extensions.ok());
}
#endif

TEST_CASE("a window opens, shows pictures, and closes") {
    Shown rig;
    if (!rig) return;
    CHECK(rig.window->width() == 200);
    CHECK(rig.window->height() == 120);
    CHECK(rig.window->scale() >= 0.5f);
    for (int i = 0; i < 12; ++i) {
        rig.window->poll();
        const GpuTarget target = rig.show_one();
        CHECK(target.width == 200);
        CHECK(target.height == 120);
    }
    CHECK(rig.swapchain->builds() == 1);
    CHECK_FALSE(rig.window->closing());
    rig.window->set_closing(true);
    CHECK(rig.window->closing());
}

TEST_CASE("a window that changes its size gets pictures of the new size") {
    Shown rig;
    if (!rig) return;
    rig.show_one();
    uint32_t width = 200;
    for (const uint32_t size : {320u, 90u, 250u}) {
        rig.window->set_size(size, size / 2);
        const auto resized = wait_for<ResizeEvent>(*rig.window, [&](const ResizeEvent& e) { return e.width != width; });
        REQUIRE(resized.has_value());
        width = resized->width;
        CHECK(width == size);
        CHECK(resized->height == size / 2);
        GpuTarget target;
        for (int i = 0; i < 4; ++i) target = rig.show_one();
        CHECK(target.width == size);
        CHECK(target.height == size / 2);
    }
    CHECK(rig.swapchain->builds() >= 4);
    rig.swapchain->set_wait_for_screen(false);
    CHECK(rig.show_one().width == 250);
}

namespace {

/// What the functions of Vulkan answer next, once.
VkResult next_answer = VK_SUCCESS;
PFN_vkAcquireNextImageKHR real_acquire = nullptr;
PFN_vkQueuePresentKHR real_present = nullptr;

}  // namespace

TEST_CASE("surfaces that are out of date or lost are made again") {
    Shown rig;
    if (!rig) return;
    DeviceApi& api = rig.device->api_for_tests();
    real_acquire = api.vkAcquireNextImageKHR;
    real_present = api.vkQueuePresentKHR;
    api.vkAcquireNextImageKHR = [](VkDevice device, VkSwapchainKHR chain, uint64_t timeout, VkSemaphore semaphore,
                                   VkFence fence, uint32_t* index) {
        if (const VkResult answer = std::exchange(next_answer, VK_SUCCESS); answer != VK_SUCCESS) return answer;
        return real_acquire(device, chain, timeout, semaphore, fence, index);
    };
    uint32_t builds = rig.swapchain->builds();
    for (const VkResult answer : {VK_ERROR_OUT_OF_DATE_KHR, VK_ERROR_SURFACE_LOST_KHR}) {
        next_answer = answer;
        CHECK(rig.show_one().width == 200);
        CHECK(rig.swapchain->builds() == ++builds);
    }
    next_answer = VK_TIMEOUT;  // a hidden window: nothing to draw into this time
    CHECK(rig.show_one().empty());
    CHECK(rig.show_one().width == 200);
    CHECK(rig.swapchain->builds() == builds);
    api.vkQueuePresentKHR = [](VkQueue queue, const VkPresentInfoKHR* info) {
        const VkResult real = real_present(queue, info);
        const VkResult answer = std::exchange(next_answer, VK_SUCCESS);
        return answer != VK_SUCCESS ? answer : real;
    };
    api.vkAcquireNextImageKHR = real_acquire;
    for (const VkResult answer : {VK_ERROR_OUT_OF_DATE_KHR, VK_SUBOPTIMAL_KHR, VK_ERROR_SURFACE_LOST_KHR}) {
        next_answer = answer;
        rig.show_one();
        CHECK(rig.show_one().width == 200);
        CHECK(rig.swapchain->builds() == ++builds);
    }
    // Anything else is told.
    next_answer = VK_ERROR_OUT_OF_HOST_MEMORY;
    const Result<GpuTarget> failed = show(*rig.renderer, *rig.swapchain);
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.error().find("out of memory") != std::string::npos);
    api.vkQueuePresentKHR = real_present;
    CHECK(rig.show_one().width == 200);
}

TEST_CASE("a window without a size has nothing to draw into, and comes back") {
    Shown rig;
    if (!rig) return;
    rig.show_one();
    DeviceApi& api = rig.device->api_for_tests();
    // Systems say it in the capabilities: a surface of no size.
    auto& instance_api = const_cast<InstanceApi&>(rig.instance->api());
    static PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR real = nullptr;
    real = instance_api.vkGetPhysicalDeviceSurfaceCapabilitiesKHR;
    instance_api.vkGetPhysicalDeviceSurfaceCapabilitiesKHR = [](VkPhysicalDevice device, VkSurfaceKHR surface,
                                                                VkSurfaceCapabilitiesKHR* can) {
        const VkResult result = real(device, surface, can);
        can->currentExtent = {0, 0};
        return result;
    };
    real_acquire = api.vkAcquireNextImageKHR;
    rig.swapchain->set_wait_for_screen(false);  // makes the images anew
    for (int i = 0; i < 3; ++i) CHECK(rig.show_one().empty());
    instance_api.vkGetPhysicalDeviceSurfaceCapabilitiesKHR = real;
    CHECK(rig.show_one().width == 200);
}

TEST_CASE("only a device that was opened to show pictures gets a swapchain") {
    WindowRig rig;
    if (!rig) return;
    GpuDeviceOptions options;
    options.graphics = true;
    options.requirements.storage_bytes = 1 << 20;
    auto other = GpuDevice::open(rig.instance, "gpu", options);
    REQUIRE(other.ok());
    const auto refused = Swapchain::create(other.value(), *rig.window);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().find("was not opened to show") != std::string::npos);
}

TEST_CASE("what a person does with mouse and keyboard arrives as events") {
    WindowRig rig;
    if (!rig) return;
    if (std::system("command -v xdotool > /dev/null 2>&1") != 0) {
        MESSAGE("not run: xdotool is not installed");
        return;
    }
    rig.window->wait(0.2);
    REQUIRE(std::system("xdotool mousemove 60 40 mousedown 1 mousemove 70 45 mouseup 1 click 3 click 4 key shift+a") ==
            0);
    std::vector<WindowEvent> all;
    for (int i = 0; i < 40 && (all.empty() || !std::holds_alternative<KeyEvent>(all.back())); ++i)
        for (const WindowEvent& event : rig.window->wait(0.05)) all.push_back(event);
    for (const WindowEvent& event : rig.window->wait(0.1)) all.push_back(event);
    bool pressed = false, released = false, right = false, scrolled = false, key = false, text = false;
    for (const WindowEvent& event : all) {
        if (const auto* e = std::get_if<MouseButtonEvent>(&event)) {
            pressed |= e->button == MouseButton::left && e->down && e->x == 60.0f && e->y == 40.0f;
            released |= e->button == MouseButton::left && !e->down && e->x == 70.0f && e->y == 45.0f;
            right |= e->button == MouseButton::right && e->down;
        }
        if (const auto* e = std::get_if<ScrollEvent>(&event)) scrolled |= e->y == 1.0f;
        if (const auto* e = std::get_if<KeyEvent>(&event)) key |= e->key == Key::a && e->down && e->with.shift;
        if (const auto* e = std::get_if<TextEvent>(&event)) text |= e->character == U'A';
    }
    CHECK(pressed);
    CHECK(released);
    CHECK(right);
    CHECK(scrolled);
    CHECK(key);
    CHECK(text);
    CHECK(rig.window->mouse_x() == 70.0f);
}

TEST_CASE("a window keeps its title, its clipboard and the state of keys") {
    WindowRig rig;
    if (!rig) return;
    rig.window->set_title("another title");
    rig.window->set_clipboard("Proxima \xc3\xbc");
    CHECK(rig.window->clipboard() == "Proxima \xc3\xbc");
    CHECK_FALSE(rig.window->down(Key::space));
    CHECK_FALSE(rig.window->down(Key::unknown));
    CHECK_FALSE(rig.window->down(MouseButton::left));
    rig.window->capture_mouse(true);
    rig.window->capture_mouse(false);
    CHECK(rig.window->native() != nullptr);
}
