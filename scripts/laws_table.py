#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the table of physics/docs/laws.md anew from what `proxima laws --json` says at the seeds 1, 2 and 3, and prints
which laws hold at all their tries.

usage: scripts/laws_table.py PROXIMA        the program, such as build/release/bin/proxima
"""
import json
import pathlib
import subprocess
import sys

SEEDS = (1, 2, 3)
DOC = pathlib.Path(__file__).resolve().parent.parent / "physics/docs/laws.md"
HEAD = "| law | sentence | tries that hold | the worst try |"


def number(x):
    return f"{x:.4g}"


def off(point):
    """How far a try is off, in units of what it may be."""
    difference = abs(point["measured"] - point["expected"])
    if not difference >= 0.0:
        return float("inf")
    return difference / point["tolerance"] if point["tolerance"] > 0.0 else (float("inf") if difference else 0.0)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    laws = {}
    for seed in SEEDS:
        # The exit code says that some law does not hold.
        run = subprocess.run([sys.argv[1], "laws", "--json", "--seed", str(seed)], capture_output=True, text=True)
        for law in json.loads(run.stdout):
            entry = laws.setdefault(law["name"], {**law, "tries": []})
            entry["tries"] += law["tries"]
    rows, good = [HEAD, "|---|---|---|---|"], []
    for name, law in laws.items():
        held = sum(p["holds"] for p in law["tries"])
        worst = max(law["tries"], key=off)
        rows.append(
            f"| `{name}` | {law['sentence']} | {held} of {len(law['tries'])} | {worst['parameters']}: "
            f"{number(worst['measured'])} instead of {number(worst['expected'])} (within {number(worst['tolerance'])}) {law['unit']} |"
        )
        if held == len(law["tries"]):
            good.append(name)
    text = DOC.read_text()
    begin = text.index(HEAD)
    end = text.index("\n\n", begin)
    DOC.write_text(text[:begin] + "\n".join(rows) + text[end:])
    print(f"{len(good)} of {len(laws)} laws hold at all tries: {', '.join(good)}")


main()
