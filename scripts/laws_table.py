#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the tables of physics/docs/laws.md anew: that of Proxima from what `proxima laws --json` says at the seeds 1, 2 and 3,
with which laws hold at all their tries; or that of other engines from files of `proxima laws --peers ... --json`.

usage: scripts/laws_table.py PROXIMA              the program, such as build/release/bin/proxima
       scripts/laws_table.py --peers FILE.json... of one seed; engines may be spread over the files
"""
import json
import pathlib
import re
import subprocess
import sys

SEEDS = (1, 2, 3)
DOC = pathlib.Path(__file__).resolve().parent.parent / "physics/docs/laws.md"
HEAD = "| law | sentence | tries that hold | the worst try |"
PEERS_HEAD = "| law | Proxima |"
TITLES = {
    "proxima": "Proxima",
    "box3d": "Box3D",
    "jolt": "Jolt",
    "physx": "PhysX PGS",
    "physx-tgs": "PhysX TGS",
    "bullet": "Bullet",
}


def number(x):
    return f"{x:.4g}"


def off(point):
    """How far a try is off, in units of what it may be."""
    difference = abs(point["measured"] - point["expected"])
    if not difference >= 0.0:
        return float("inf")
    return difference / point["tolerance"] if point["tolerance"] > 0.0 else (float("inf") if difference else 0.0)


def replace_table(head, rows):
    """Puts rows where the table is whose first line begins so."""
    text = DOC.read_text()
    begin = text.index(head)
    end = text.index("\n\n", begin)
    DOC.write_text(text[:begin] + "\n".join(rows) + text[end:])


def write_own(program):
    laws = {}
    for seed in SEEDS:
        # The exit code says that some law does not hold.
        run = subprocess.run([program, "laws", "--json", "--seed", str(seed)], capture_output=True, text=True)
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
    replace_table(HEAD, rows)
    print(f"{len(good)} of {len(laws)} laws hold at all tries: {', '.join(good)}")


def read_peers(files):
    """Laws by name, each with what its engines make of it, and the names of the engines in the order they were met."""
    laws, engines, seeds = {}, [], set()
    for file in files:
        data = json.loads(pathlib.Path(file).read_text())
        seeds.add(data["seed"])
        engines += [e["name"] for e in data["engines"] if e["name"] not in engines]
        for law in data["laws"]:
            laws.setdefault(law["name"], {}).update(law["engines"])
    if len(seeds) != 1:
        sys.exit(f"The files are of several seeds: {sorted(seeds)}. A row would have other tries in other columns.")
    return laws, engines


def share(tries):
    tries = list(tries)
    return f"{sum(p['holds'] for p in tries)} of {len(tries)}"


def cell(result):
    """Tries that hold; bold where all do."""
    if result is None or "refused" in result:
        return "-"
    text = share(result["tries"])
    return f"**{text}**" if all(p["holds"] for p in result["tries"]) else text


def about_a_metre(parameters):
    """Whether the first length of a try is one that engines have their defaults for."""
    length = re.search(r"([0-9.e+-]+) m(?![/a-z])", parameters)
    return length is not None and 0.3 <= float(length[1]) <= 3.0


def write_peers(files):
    laws, engines = read_peers(files)
    rows = ["| law | " + " | ".join(TITLES.get(e, e) for e in engines) + " |", "|---|" + "---|" * len(engines)]
    for name, results in laws.items():
        rows.append(f"| `{name}` | " + " | ".join(cell(results.get(e)) for e in engines) + " |")
    # Totals over laws that were tried in all engines.
    common = [r for r in laws.values() if all("tries" in r.get(e, {}) for e in engines)]
    whole, held, near = [], [], []
    for engine in engines:
        tries = [r[engine]["tries"] for r in common]
        whole.append(f"{sum(all(p['holds'] for p in t) for t in tries)} of {len(tries)}")
        held.append(share(p for t in tries for p in t))
        near.append(share(p for t in tries for p in t if about_a_metre(p["parameters"])))
    for title, cells in (("laws", whole), ("tries", held), ("tries with things of 0.3 to 3 m", near)):
        rows.append(f"| {title} | " + " | ".join(cells) + " |")
    replace_table(PEERS_HEAD, rows)
    for name, results in laws.items():
        for engine in engines:
            if "refused" in results.get(engine, {}):
                print(f"{name}, {engine}: {results[engine]['refused']}")


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "--peers":
        write_peers(sys.argv[2:])
    elif len(sys.argv) == 2 and not sys.argv[1].startswith("-"):
        write_own(sys.argv[1])
    else:
        sys.exit(__doc__)


main()
