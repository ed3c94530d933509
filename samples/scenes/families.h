// SPDX-License-Identifier: MIT
// One function per family of built-in scenes. `name` is the name that was asked for, `number` the one at its
// end (0 where the family has none).
#pragma once

#include <string>

#include "physics/scene/scene.h"

namespace proxima::samples {

// benchmark_scenes.cpp: the scenes that other engines are measured on; sleeping is off in all of them
physics::SceneDesc pyramid(const std::string& name, double number);
physics::SceneDesc pile(const std::string& name, double number);
physics::SceneDesc grid(const std::string& name, double number);
physics::SceneDesc hulls(const std::string& name, double number);
physics::SceneDesc benchmark_arch(const std::string& name, double number);
physics::SceneDesc cards(const std::string& name, double number);
physics::SceneDesc mass_ratio(const std::string& name, double number);
physics::SceneDesc tower(const std::string& name, double number);

// growth_scenes.cpp: scenes of any number of bodies
physics::SceneDesc growth(const std::string& name, double number);
physics::SceneDesc heap(const std::string& name, double number);
physics::SceneDesc gpu_pile(const std::string& name, double number);

// churn.cpp: a pit that bodies come to and go from while it runs (churn.h)
physics::SceneDesc churn(const std::string& name, double number);

// course_scenes.cpp: textbook situations with known answers
physics::SceneDesc sphere_on_box(const std::string& name, double number);
physics::SceneDesc marble_box(const std::string& name, double number);
physics::SceneDesc incline(const std::string& name, double number);
physics::SceneDesc leaning_rod(const std::string& name, double number);
physics::SceneDesc newtons_cradle(const std::string& name, double number);
physics::SceneDesc spin(const std::string& name, double number);
physics::SceneDesc ball_chain(const std::string& name, double number);

// sample_scenes.cpp: things to look at
physics::SceneDesc dominoes(const std::string& name, double number);
physics::SceneDesc card_house(const std::string& name, double number);
physics::SceneDesc arch(const std::string& name, double number);
physics::SceneDesc spinning_top(const std::string& name, double number);
physics::SceneDesc turntable(const std::string& name, double number);
physics::SceneDesc tilting_ramp(const std::string& name, double number);

// bowling_scene.cpp, castle_scene.cpp, domino_scene.cpp, jenga_scene.cpp, marble_scene.cpp: the games by themselves
// (game_scenes.h)
physics::SceneDesc bowling(const std::string& name, double number);
physics::SceneDesc castle(const std::string& name, double number);
physics::SceneDesc domino_run(const std::string& name, double number);
physics::SceneDesc jenga(const std::string& name, double number);
physics::SceneDesc marble_run(const std::string& name, double number);

// shared by families
class SceneBuilder;
/// A house of leaning and flat cards, `levels` high, standing on y = 0.
void build_cards(SceneBuilder& builder, int levels);
/// A semicircular ring of touching wedges about the z axis, its feet at height `spring`.
void build_arch_ring(SceneBuilder& builder, int wedges, double inner, double outer, double half_depth, double spring);

}  // namespace proxima::samples
