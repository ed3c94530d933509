// SPDX-License-Identifier: MIT
// Which of its two colliders has a pair in its list. Levels are the words in boxes[2 * collider].w; they follow from
// the sizes of shapes and do not change from step to step, and neither does the owner.

/// The one of the finer level, or a, which has the smaller index, when both have the same. So lists are short: a small
/// body touches few that are as large or larger, while a floor has partners without number.
uint pair_owner(uint a, uint b, uint level_a, uint level_b) { return level_b < level_a ? b : a; }
