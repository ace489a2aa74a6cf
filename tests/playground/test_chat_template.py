"""The embedded model's chat template says what the publisher's says, character for character."""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from playground.settings import MODEL_DIR
from playground.template import sandbox

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jinja2 import Template

ROOT = Path(__file__).parents[2]
OURS = MODEL_DIR / "chat_template.jinja"
MUSE = ROOT.parent / "shared" / "data" / "muse"
PUBLISHED_SHA256 = "cfc67e5f349f37690dfd31ed1f18bc4442a9dd32fe39a648f993cb4eb3cae678"

Json = dict[str, Any]


@functools.cache
def compiled(path: Path) -> Template:
    """A template as Hugging Face compiles it."""
    return sandbox().from_string(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def published() -> Template:
    """The publisher's template, where the material is at hand."""
    path = MUSE / "chat_template.jinja"
    if not path.exists():
        pytest.skip(f"the publisher's template is not at hand ({path.name} beside the repository)")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == PUBLISHED_SHA256
    return compiled(path)


WORDS = st.text(max_size=12) | st.sampled_from(
    [
        "Reasoning effort: low",
        "REASONING EFFORT",
        "the Reasoning Effort counts",
        "reasoning strength",
        "Reasoning Strength: xhigh.",
        "Reasoning eFFort",
        "<|eot|>",
        "a\n\nb ",
        'say "é"',
    ]
)
PARTS = st.lists(
    st.builds(lambda text: {"type": "text", "text": text}, WORDS)
    | st.sampled_from([{"type": "image"}, {"type": "video"}, {"type": "audio", "text": "x"}]),
    max_size=3,
)
CONTENT = WORDS | PARTS | st.none()
NAMES = st.sampled_from(["f", "math.add", "math.sub", "web.search.deep", "a-b"])
IDS = st.sampled_from(["call_1", "call_2", ""])
ARGUMENTS = st.dictionaries(
    st.sampled_from(["city", "n", "items", "values"]),
    st.recursive(
        WORDS | st.booleans() | st.none() | st.integers() | st.floats(allow_nan=False),
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(WORDS, inner, max_size=2),
        max_leaves=4,
    ),
    max_size=3,
)


def record(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[Json]:
    """A dictionary whose fields may each be missing, unless named `must_…`."""
    return st.fixed_dictionaries(
        {name.removeprefix("must_"): of for name, of in fields.items() if name.startswith("must_")},
        optional={name: of for name, of in fields.items() if not name.startswith("must_")},
    )


FUNCTIONS = record(must_name=NAMES, must_arguments=ARGUMENTS)
CALLS = st.lists(record(must_function=FUNCTIONS, id=IDS), max_size=2)
MESSAGES = st.one_of(
    record(must_role=st.just("system"), must_content=CONTENT),
    record(must_role=st.just("user"), must_content=CONTENT),
    record(must_role=st.just("developer"), must_content=CONTENT),
    record(
        must_role=st.just("tool"),
        must_content=CONTENT,
        name=NAMES | st.none(),
        tool_call_id=IDS | st.none(),
    ),
    record(
        must_role=st.just("assistant"),
        must_content=CONTENT,
        reasoning_content=WORDS | st.none(),
        tool_calls=CALLS | st.none(),
        recipient=NAMES | st.just("user") | st.just("") | st.none(),
        end_turn=st.booleans() | st.none(),
    ),
)
SCHEMAS = record(
    must_name=NAMES,
    must_description=WORDS | st.none(),
    must_parameters=st.just({"type": "object", "properties": {"é": {"type": "string"}}}),
)
TOOLS = st.lists(
    SCHEMAS | st.builds(lambda of: {"type": "function", "function": of}, SCHEMAS), max_size=3
)
VARIABLES = record(
    must_add_generation_prompt=st.booleans(),
    bos_token=st.just("<|begin_of_text|>"),
    tools=TOOLS | st.none(),
    tool_namespace_descriptions=st.just({"math": "Sums."}),
    reasoning_strength=st.sampled_from(["low", "xhigh", ""]),
    knowledge_cutoff=st.sampled_from(["2025-12-31", ""]),
    current_date=st.sampled_from(["2026-11-29", ""]),
    strftime_now=st.just(lambda form: f"today as {form}"),
)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(messages=st.lists(MESSAGES, max_size=6), variables=VARIABLES)
def test_any_conversation_renders_as_the_publisher_renders_it(
    published: Template, messages: list[Json], variables: Json
) -> None:
    """Roles, parts, tools, calls, results, recipients and every variable come out the same."""
    expected = published.render(messages=messages, **variables)

    assert expected == compiled(OURS).render(messages=messages, **variables)


@pytest.mark.parametrize(
    "name", ["harmony_with_system", "harmony_multi_turn", "harmony_single_turn"]
)
def test_golden_prompts_keep_their_skeleton(published: Template, name: str) -> None:
    """Roles and turn ends stand where ExecuTorch's golden prompts have them."""
    golden = json.loads((MUSE / "prompt_golden.json").read_text())["cases"][name]["prompt"]
    messages = []
    for message in golden.removesuffix("<|start|>assistant").split("<|start|>")[1:]:
        role, _, body = message.removesuffix("<|eot|>").partition("<|message|>")
        messages.append({"role": role, "content": body})

    rendered = compiled(OURS).render(messages=messages, add_generation_prompt=True)

    # The goldens are older than the addressed header and bring their system text whole.
    skeleton = rendered.replace("assistant to=user<", "assistant<")
    assert golden.split("<|start|>")[-1] == skeleton.split("<|start|>")[-1]
    for message in messages:
        if message["role"] != "system":
            spelled = f"<|start|>{message['role']}<|message|>{message['content']}<|eot|>"
            assert spelled in skeleton


DEFAULT_SYSTEM = (
    "<|start|>system<|message|>You are a helpful AI assistant."
    "\nKnowledge cutoff: 2026-01-04."
    "\nCurrent date: 2026-11-29."
    "\n\nReasoning strength: low."
    '\n\n# Valid recipients: "self", "user".<|eot|>'
)


def rendered(*messages: Json, **variables: Any) -> str:  # noqa: ANN401 - template variables
    """What our template makes of messages, ready for the assistant to speak."""
    return compiled(OURS).render(messages=list(messages), add_generation_prompt=True, **variables)


def test_a_conversation_without_system_message_gets_a_dated_one() -> None:
    """The default system message names cutoff, date, strength and recipients."""
    expected = DEFAULT_SYSTEM + "<|start|>user<|message|>Hi<|eot|><|start|>assistant"

    actual = rendered(
        {"role": "user", "content": "Hi"}, reasoning_strength="low", current_date="2026-11-29"
    )

    assert expected == actual


def test_a_system_message_gets_the_default_strength_and_the_recipients() -> None:
    """A caller's system text is followed by strength, high where none is given, and recipients."""
    expected = (
        "<|start|>system<|message|>Be brief.\n\nReasoning strength: high."
        '\n\n# Valid recipients: "self", "user".<|eot|><|start|>assistant'
    )

    assert expected == rendered({"role": "system", "content": "Be brief."})


def test_a_strength_in_the_system_text_wins_over_the_setting() -> None:
    """Text that speaks of reasoning effort is read as strength, and no second line is written."""
    expected = (
        "<|start|>system<|message|>Reasoning strength: low."
        '\n\n# Valid recipients: "self", "user".<|eot|><|start|>assistant'
    )

    actual = rendered(
        {"role": "system", "content": "Reasoning effort: low."}, reasoning_strength="xhigh"
    )

    assert expected == actual


def test_tool_calls_are_written_in_atem_and_results_name_their_function() -> None:
    """Parallel calls are messages of one turn, and a result finds its function by the call's id."""
    calls = [
        {"id": "1", "function": {"name": "math.add", "arguments": {"a": 1, "exact": True}}},
        {"id": "2", "function": {"name": "look", "arguments": {"at": ["é"], "why": "a b"}}},
    ]
    expected = (
        "<|start|>assistant to=math.add<|message|><atem:function_calls>\n"
        '<atem:invoke name="math.add">\n'
        '<atem:parameter name="a">1</atem:parameter>\n'
        '<atem:parameter name="exact">true</atem:parameter>\n'
        "</atem:invoke>\n</atem:function_calls><|eom|>"
        "<|start|>assistant to=look<|message|><atem:function_calls>\n"
        '<atem:invoke name="look">\n'
        '<atem:parameter name="at">["é"]</atem:parameter>\n'
        '<atem:parameter name="why">a b</atem:parameter>\n'
        "</atem:invoke>\n</atem:function_calls><|eot|>"
        '<|start|>tool look<|message|><tool_output name="look">\nseen\n</tool_output><|eot|>'
        "<|start|>assistant"
    )

    actual = rendered(
        {"role": "system", "content": ""},
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "2", "content": "seen"},
    )

    assert expected == actual.partition("<|eot|>")[2]


class Conversation(list[Json]):
    """Messages that count how often they are read through."""

    times_read = 0

    def __iter__(self) -> Iterator[Json]:
        self.times_read += 1
        return super().__iter__()


def test_results_that_name_their_function_do_not_search_the_conversation() -> None:
    """Thousands of results would else take time in proportion to the square of their number."""
    result = {"role": "tool", "content": "seen", "name": "look"}
    few, many = Conversation([result]), Conversation([result] * 20)
    for messages in (few, many):
        compiled(OURS).render(messages=messages, add_generation_prompt=True)

    assert few.times_read == many.times_read


def test_tools_are_listed_by_namespace_and_become_recipients() -> None:
    """Each namespace is told once, each function with its schema."""
    tools = [
        {"function": {"name": "math.add", "description": "Adds.", "parameters": {}}},
        {"function": {"name": "math.sub", "description": "", "parameters": {"a": [1]}}},
    ]

    actual = rendered({"role": "system", "content": "S"}, tools=tools)

    assert '// Tool metadata\n{"name": "math", "description": ""}\n// Function schemas' in actual
    assert '\n{"name": "math.sub", "description": "", "parameters": {"a": [1]}}\n' in actual
    assert '# Valid recipients: "self", "math.*", "user".<|eot|>' in actual


def test_history_keeps_reasoning_recipients_and_open_turns() -> None:
    """Reasoning is a message to self, another recipient or an open turn ends with <|eom|>."""
    expected = (
        "<|start|>assistant to=self<|message|>hm<|eom|>"
        "<|start|>assistant to=user<|message|>A<|eot|>"
        "<|start|>assistant to=notes<|message|>N<|eom|>"
        "<|start|>assistant to=user<|message|>B<|eom|>"
        "<|start|>assistant"
    )

    actual = rendered(
        {"role": "system", "content": ""},
        {"role": "assistant", "reasoning_content": "hm", "content": "A"},
        {"role": "assistant", "content": "N", "recipient": "notes"},
        {"role": "assistant", "content": "B", "end_turn": False},
    )

    assert expected == actual.partition("<|eot|>")[2]
