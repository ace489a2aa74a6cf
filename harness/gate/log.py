"""Where does a line go in `reports/LOG.md`, newest first?"""

from __future__ import annotations

import re

__all__ = ["with_entry"]

EMPTY = "# Log of measurements\n\nNewest first; negative results are kept.\n"


def with_entry(text: str, day: str, about: str, line: str) -> str:
    """The log with one more line, under the heading `## <day>: <about>`, which may be new.

    An entry of the same day and heading goes behind those that are there; a new heading goes
    before the first that is not of a later day.  A line that is there already is not added.
    """
    told = f"- {line}"
    lines = (text or EMPTY).rstrip("\n").splitlines()
    if told in lines:
        return "\n".join(lines) + "\n"
    heading = f"## {day}: {about}"
    heads = [at for at, each in enumerate(lines) if each.startswith("## ")]
    if heading in lines:
        begins = lines.index(heading)
        ends = next((at for at in heads if at > begins), len(lines))
        while not lines[ends - 1].strip():
            ends -= 1
        lines.insert(ends, told)
    else:
        place = next((at for at in heads if _day(lines[at]) <= day), len(lines))
        section = [heading, "", told]
        before = [] if place < len(lines) or not lines[-1].strip() else [""]
        lines[place:place] = [*before, *section, *([""] if place < len(lines) else [])]
    return "\n".join(lines) + "\n"


def _day(heading: str) -> str:
    found = re.match(r"## (\d{4}-\d{2}-\d{2})", heading)
    return found[1] if found else ""
