// SPDX-License-Identifier: MIT
// Which folder may know which, checked over #include lines:
//
//     third_party -> engine -> physics -> compute -+
//                        +---> render  ------------+-> samples        tests may see all; nothing sees tests
//
// render sees physics only through physics/components.h, physics/shapes/shape.h,
// physics/shapes/shape_classes.h and physics/debug/.
#pragma once

#include <string>
#include <vector>

#include "tests/conventions/source_tree.h"

namespace proxima::conventions {

/// Every include of `files` that goes against the arrows, is not written from the root of the project, or
/// brings a window or a GPU into a folder that must run without.
std::vector<Finding> check_layering(const std::vector<SourceFile>& files);

/// Lines that compare a ShapeType outside of physics/shapes and physics/narrowphase: everybody else asks the
/// row of shape_classes.h. Making a shape of a type, and a table of types, are no questions.
std::vector<Finding> check_shape_types(const std::vector<SourceFile>& files);

}  // namespace proxima::conventions
