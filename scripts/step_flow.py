#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws physics/docs/step-flow.svg from the signatures of the stages: which owner each stage of physics/step.cpp reads
(const&) and which it writes (&). With --check nothing is written; the exit code says whether the picture is current."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
picture = root / "physics/docs/step-flow.svg"

# Owners in the order in which the step meets them; types that are no owners (parameters, tools) are left out.
OWNERS = ["entt::registry", "StructureLog", "Bodies", "Colliders", "Pairs", "Joints", "Graph", "Plan",
          "SweepSolver", "DirectSolver", "GeneralSolver", "Events"]
GROUPS = {"StructureLists": [("Bodies", True), ("Colliders", True), ("Pairs", True)],
          "ConstraintStores": [("Pairs", None), ("Joints", None)]}


def stages():
    """Names of the stages, in the order of step.cpp."""
    text = (root / "physics/step.cpp").read_text()
    found = []
    for name in re.findall(r"\b([a-z_]+)\(s\.", text):
        if name not in found and name not in ("find_solver", "make_soft_contact", "knows_settings"):
            found.append(name)
    return found


def signature(name):
    """The parameter list of a function, from the headers of physics/."""
    for header in sorted((root / "physics").rglob("*.h")):
        match = re.search(r"^[A-Za-z][\w:<> ]* " + name + r"\(([^;{]*)\);", header.read_text(), re.M)
        if match:
            return " ".join(match.group(1).split())
    return None


def flow(parameters):
    """{owner: writes} of a parameter list."""
    out = {}
    for parameter in parameters.split(","):
        writes = "const" not in parameter.split("&")[0].split("*")[0]
        kind = re.sub(r"const|&|\*", " ", parameter).split()
        kind = kind[0].split("::")[-1] if kind and kind[0] != "entt::registry" else "entt::registry"
        for owner, forced in GROUPS.get(kind, [(kind, None)]):
            if owner in OWNERS:
                by_value = "&" not in parameter and "*" not in parameter
                out[owner] = out.get(owner, False) or (writes or by_value if forced is None else forced)
    return out


def draw(rows):
    names = [o.split("::")[-1] for o in OWNERS]
    left, top, width, height = 190, 120, 58, 30
    total_w, total_h = left + width * len(names) + 20, top + height * len(rows) + 60
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{total_w}" height="{total_h}" font-family="sans-serif" '
           f'font-size="14">', f'<rect width="{total_w}" height="{total_h}" fill="white"/>']
    for c, name in enumerate(names):
        x = left + c * width + width / 2
        svg.append(f'<text x="{x}" y="{top - 12}" transform="rotate(-50 {x} {top - 12})">{name}</text>')
        svg.append(f'<line x1="{x}" y1="{top}" x2="{x}" y2="{top + height * len(rows)}" stroke="#dddddd"/>')
    for r, (stage, cells) in enumerate(rows):
        y = top + r * height + height / 2
        svg.append(f'<text x="{left - 20}" y="{y + 5}" text-anchor="end">{stage}</text>')
        svg.append(f'<line x1="{left}" y1="{y}" x2="{left + width * len(names)}" y2="{y}" stroke="#eeeeee"/>')
        for c, owner in enumerate(OWNERS):
            x = left + c * width + width / 2
            if cells.get(owner) is True:
                svg.append(f'<rect x="{x - 9}" y="{y - 9}" width="18" height="18" rx="3" fill="#d9742b"/>')
            elif cells.get(owner) is False:
                svg.append(f'<circle cx="{x}" cy="{y}" r="7" fill="#5496c4"/>')
    y = top + height * len(rows) + 30
    svg.append(f'<circle cx="{left}" cy="{y - 5}" r="7" fill="#5496c4"/><text x="{left + 14}" y="{y}">reads</text>')
    svg.append(f'<rect x="{left + 80}" y="{y - 14}" width="18" height="18" rx="3" fill="#d9742b"/>'
               f'<text x="{left + 104}" y="{y}">writes (and reads)</text>')
    svg.append("</svg>")
    return "\n".join(svg) + "\n"


def main():
    rows = []
    for stage in stages():
        parameters = signature(stage)
        if parameters and not parameters.startswith("Simulation"):
            rows.append((stage, flow(parameters)))
    text = draw(rows)
    if "--check" in sys.argv:
        current = picture.exists() and picture.read_text() == text
        if not current:
            print(f"{picture.relative_to(root)} is not what the signatures say: run scripts/step_flow.py")
        return 0 if current else 1
    picture.write_text(text)
    print(f"{picture.relative_to(root)}: {len(rows)} stages")
    return 0


sys.exit(main())
