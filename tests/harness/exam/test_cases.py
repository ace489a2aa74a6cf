"""A file of cases is read whole, or told with line and key what is wrong in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from harness.errors import ScenarioError
from harness.exam.cases import load_cases, parse_cases
from harness.scenario_files import SCENARIOS

FILE = Path("some.jsonl")
ONE: dict[str, Any] = {
    "id": "sums-01",
    "skill": "sums",
    "messages": [{"role": "user", "content": "1 + 1?"}],
    "expect": {"contains": ["2"]},
}


def lines(*cases: dict[str, Any]) -> str:
    """The text of a file of these."""
    return "".join(json.dumps(case) + "\n" for case in cases)


def test_a_line_becomes_a_case() -> None:
    """What is not said has its default; what is null is nothing."""
    text = lines(
        ONE | {"system": None, "strength": "high", "expect": {"calls": None} | ONE["expect"]}
    )

    (case,) = parse_cases(text, FILE)

    assert (case.id, case.skill, case.strength, case.system) == ("sums-01", "sums", "high", None)
    assert (case.expect.contains, case.expect.calls, case.tools) == (("2",), None, ())


def test_empty_lines_are_no_cases() -> None:
    """And line separators within a text are not ends of lines."""
    inner = ONE | {"messages": [{"role": "user", "content": "a\u2028b"}]}

    cases = parse_cases("\n" + json.dumps(inner, ensure_ascii=False) + "\n\n", FILE)

    assert [case.messages[0]["content"] for case in cases] == ["a\u2028b"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"expect": None}, "some.jsonl:2: expect: "),
        ({"skil": "x"}, "some.jsonl:2: skil: no such key"),
        ({"expect": {"contian": ["2"]}}, "some.jsonl:2: expect.contian: no such key"),
        ({"expect": {}}, "some.jsonl:2: expect: asks for nothing"),
        ({"expect": {"matches": "("}}, "some.jsonl:2: expect.matches: not a regular expression"),
        ({"expect": {"matches": f"a{{{10**20}}}"}}, "some.jsonl:2: expect.matches: not a regular"),
        ({"expect": {"contains": ["2", " "]}}, "some.jsonl:2: expect.contains[2]: holds no word"),
        ({"expect": {"excludes": ["\t"]}}, "some.jsonl:2: expect.excludes[1]: holds no word"),
        ({"messages": [{"role": ["user"]}]}, "some.jsonl:2: messages[1].role: user, assistant or"),
        (
            {"expect": {"contains": ["2"], "calls": [{"name": "f", "arguments": {}}]}},
            "some.jsonl:2: expect.calls: goes without contains",
        ),
        ({"expect": {"calls": [{"name": "f"}]}}, "some.jsonl:2: expect.calls[1].arguments: is mis"),
        ({"messages": []}, "some.jsonl:2: messages: tuple should have at least 1 item"),
        ({"messages": [{"role": "system"}]}, "some.jsonl:2: messages[1].role: user, assistant or"),
        ({"messages": [{"role": "assistant"}]}, "some.jsonl:2: messages[1].role: the last message"),
        (
            {"strength": "huge"},
            "some.jsonl:2: strength: input should be 'low', 'medium', 'high' or",
        ),
        ({"id": "sums-01"}, "some.jsonl:1: id: 2 cases are called 'sums-01'"),
        ({"pair": "p"}, "some.jsonl:2: pair: 1 cases share 'p'; a pair is two"),
    ],
)
def test_a_mistake_is_told_with_line_and_key(change: dict[str, Any], message: str) -> None:
    """In one line, as for scenario files."""
    text = lines(ONE, ONE | {"id": "sums-02"} | change)

    with pytest.raises(ScenarioError) as caught:
        parse_cases(text, FILE)

    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_missing_field_is_told_by_name() -> None:
    """The one that is not there."""
    with pytest.raises(ScenarioError, match=r"^some\.jsonl:1: skill: is missing$"):
        parse_cases(lines({key: ONE[key] for key in ONE if key != "skill"}), FILE)


def test_a_line_that_is_no_json_is_told_by_its_number() -> None:
    """Cut short, say."""
    with pytest.raises(ScenarioError, match=r"^some\.jsonl:2: invalid JSON"):
        parse_cases(lines(ONE) + '{"id": \n', FILE)


def test_a_pair_is_of_one_group() -> None:
    """Its two halves are reported together."""
    two = [ONE | {"id": name, "skill": name, "pair": "p"} for name in ("one", "other")]

    with pytest.raises(ScenarioError, match=r"some\.jsonl:2: pair: the two cases of 'p' are of"):
        parse_cases(lines(*two), FILE)


def test_a_file_without_a_case_is_refused(tmp_path: Path) -> None:
    """As is one that is not there."""
    with pytest.raises(ScenarioError, match="holds no case"):
        parse_cases("\n", FILE)
    with pytest.raises(ScenarioError, match="cannot be read"):
        load_cases(tmp_path / "no.jsonl")


@pytest.mark.parametrize(
    "path", sorted((SCENARIOS / "cases").glob("*.jsonl")), ids=lambda p: p.stem
)
def test_every_shipped_file_is_well_formed(path: Path) -> None:
    """It loads, and every group is large enough to say something of."""
    file = load_cases(path)

    sizes = {group: sum(case.skill == group for case in file.cases) for group in file.groups}

    assert len(file.cases) == sum(sizes.values())
    assert min(sizes.values()) >= 20
