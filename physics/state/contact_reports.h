// SPDX-License-Identifier: MIT
// What contacts of moving bodies say of the last step is not needed for the next, which writes it anew: snapshots of the
// physics leave it out. Contacts of what sleeps keep theirs: no step writes them.
#pragma once

#include "physics/state/state_image.h"

namespace proxima::physics {

/// Impulses, gaps, points and world frames become what derive_reports() starts from.
void take_out_reports(StateImage& image);
/// World frames, points and gaps as they follow from the poses; impulses and speeds of the last step are zero.
void derive_reports(StateImage& image);

}  // namespace proxima::physics
