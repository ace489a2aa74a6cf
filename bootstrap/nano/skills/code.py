"""How does it write a small Python function?

A table of tasks: what the function does, the name it gets where the user gives none, its
parameters with their types, the type of the result, and the body, in which `{f}` stands for the
function's name and `{a}`, `{b}`, `{c}` for its parameters. With type hints or a docstring only
where they are asked for. A test runs every function.
"""

# ruff: noqa: E501  (a row of the table is one task)

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from bootstrap.nano.lexicon import VERBS, WORDS, made_up
from bootstrap.nano.replies import Exchange, Reply, think

if TYPE_CHECKING:
    from random import Random

__all__ = ["TASKS", "Task", "code", "written"]


class Task(NamedTuple):
    """A row of the table."""

    does: str  # "add two numbers": what comes after `to`
    name: str
    parameters: str  # "a: int, b: int"
    returns: str
    body: str  # lines without the first indentation


TASKS = (
    Task("add two numbers", "add", "a: int, b: int", "int", "return {a} + {b}"),
    Task("subtract one number from another", "subtract", "a: int, b: int", "int", "return {a} - {b}"),
    Task("multiply two numbers", "multiply", "a: int, b: int", "int", "return {a} * {b}"),
    Task("divide one number by another", "divide", "a: float, b: float", "float", "return {a} / {b}"),
    Task("compute the remainder of a division", "remainder", "a: int, b: int", "int", "return {a} % {b}"),
    Task("square a number", "square", "n: int", "int", "return {a} * {a}"),
    Task("cube a number", "cube", "n: int", "int", "return {a} ** 3"),
    Task("double a number", "double", "n: int", "int", "return 2 * {a}"),
    Task("halve a number", "halve", "n: float", "float", "return {a} / 2"),
    Task("raise a number to a power", "power", "base: int, exponent: int", "int", "return {a} ** {b}"),
    Task("compute the factorial of a number", "factorial", "n: int", "int", "result = 1\nfor k in range(2, {a} + 1):\n    result *= k\nreturn result"),
    Task("compute the n-th Fibonacci number", "fibonacci", "n: int", "int", "x, y = 0, 1\nfor _ in range({a}):\n    x, y = y, x + y\nreturn x"),
    Task("check whether a number is prime", "is_prime", "n: int", "bool", "if 2 > {a}:\n    return False\nfor k in range(2, int({a} ** 0.5) + 1):\n    if {a} % k == 0:\n        return False\nreturn True"),
    Task("check whether a number is even", "is_even", "n: int", "bool", "return {a} % 2 == 0"),
    Task("check whether a number is odd", "is_odd", "n: int", "bool", "return {a} % 2 == 1"),
    Task("check whether a number is positive", "is_positive", "n: int", "bool", "return {a} > 0"),
    Task("check whether one number is divisible by another", "is_divisible", "a: int, b: int", "bool", "return {a} % {b} == 0"),
    Task("compute the absolute value of a number", "absolute", "n: int", "int", "return {a} if {a} > 0 else -{a}"),
    Task("find the larger of two numbers", "larger", "a: int, b: int", "int", "return {a} if {a} > {b} else {b}"),
    Task("find the smaller of two numbers", "smaller", "a: int, b: int", "int", "return {b} if {a} > {b} else {a}"),
    Task("find the greatest common divisor of two numbers", "gcd", "a: int, b: int", "int", "while {b}:\n    {a}, {b} = {b}, {a} % {b}\nreturn {a}"),
    Task("find the least common multiple of two numbers", "lcm", "a: int, b: int", "int", "x, y = {a}, {b}\nwhile y:\n    x, y = y, x % y\nreturn {a} * {b} // x"),
    Task("sum the digits of a number", "digit_sum", "n: int", "int", "return sum(int(digit) for digit in str({a}))"),
    Task("count the digits of a number", "count_digits", "n: int", "int", "return len(str({a}))"),
    Task("list the divisors of a number", "divisors", "n: int", "list[int]", "return [k for k in range(1, {a} + 1) if {a} % k == 0]"),
    Task("sum the numbers from one to n", "sum_to", "n: int", "int", "return {a} * ({a} + 1) // 2"),
    Task("count down from a number to zero", "countdown", "n: int", "list[int]", "return list(range({a}, -1, -1))"),
    Task("swap two values", "swap", "a: int, b: int", "tuple[int, int]", "return {b}, {a}"),
    Task("keep a number between two bounds", "clamp", "n: int, low: int, high: int", "int", "return max({b}, min({a}, {c}))"),
    Task("reverse a string", "reverse", "text: str", "str", "return {a}[::-1]"),
    Task("check whether a word is a palindrome", "is_palindrome", "text: str", "bool", "return {a} == {a}[::-1]"),
    Task("count the vowels in a string", "count_vowels", "text: str", "int", 'return sum(letter in "aeiou" for letter in {a}.lower())'),
    Task("remove the vowels from a string", "remove_vowels", "text: str", "str", 'return "".join(letter for letter in {a} if letter not in "aeiou")'),
    Task("count the words in a text", "count_words", "text: str", "int", "return len({a}.split())"),
    Task("find the longest word in a text", "longest_word", "text: str", "str", "return max({a}.split(), key=len)"),
    Task("count how often each word occurs", "word_count", "text: str", "dict[str, int]", "counts = {{}}\nfor word in {a}.split():\n    counts[word] = counts.get(word, 0) + 1\nreturn counts"),
    Task("count how often a letter occurs in a text", "count_letter", "text: str, letter: str", "int", "return {a}.count({b})"),
    Task("convert a text to upper case", "to_upper", "text: str", "str", "return {a}.upper()"),
    Task("convert a text to lower case", "to_lower", "text: str", "str", "return {a}.lower()"),
    Task("capitalise every word of a text", "capitalise", "text: str", "str", "return {a}.title()"),
    Task("remove the spaces from a text", "remove_spaces", "text: str", "str", 'return {a}.replace(" ", "")'),
    Task("repeat a text n times", "repeat", "text: str, n: int", "str", "return {a} * {b}"),
    Task("join words with commas", "join_words", "words: list[str]", "str", 'return ", ".join({a})'),
    Task("split a text at its commas", "split_commas", "text: str", "list[str]", 'return {a}.split(",")'),
    Task("check whether two words are anagrams", "are_anagrams", "a: str, b: str", "bool", "return sorted({a}) == sorted({b})"),
    Task("greet a person by name", "greet", "name: str", "str", 'return f"Hello, {{{a}}}!"'),
    Task("find the first letter of a word", "first_letter", "word: str", "str", "return {a}[0]"),
    Task("sum the numbers in a list", "total", "numbers: list[int]", "int", "return sum({a})"),
    Task("multiply all numbers in a list", "product", "numbers: list[int]", "int", "result = 1\nfor number in {a}:\n    result *= number\nreturn result"),
    Task("compute the average of a list", "average", "numbers: list[float]", "float", "return sum({a}) / len({a})"),
    Task("find the median of a list", "median", "numbers: list[float]", "float", "ordered = sorted({a})\nhalf = len(ordered) // 2\nif len(ordered) % 2:\n    return ordered[half]\nreturn (ordered[half - 1] + ordered[half]) / 2"),
    Task("find the maximum of a list", "maximum", "numbers: list[int]", "int", "best = {a}[0]\nfor number in {a}:\n    if number > best:\n        best = number\nreturn best"),
    Task("find the minimum of a list", "minimum", "numbers: list[int]", "int", "best = {a}[0]\nfor number in {a}:\n    if best > number:\n        best = number\nreturn best"),
    Task("sort a list", "sort_list", "items: list[int]", "list[int]", "return sorted({a})"),
    Task("sort a list from high to low", "sort_down", "items: list[int]", "list[int]", "return sorted({a}, reverse=True)"),
    Task("reverse a list", "reverse_list", "items: list[int]", "list[int]", "return {a}[::-1]"),
    Task("remove duplicates from a list", "unique", "items: list[int]", "list[int]", "return list(dict.fromkeys({a}))"),
    Task("flatten a list of lists", "flatten", "lists: list[list[int]]", "list[int]", "return [item for inner in {a} for item in inner]"),
    Task("keep the even numbers of a list", "keep_even", "numbers: list[int]", "list[int]", "return [number for number in {a} if number % 2 == 0]"),
    Task("keep the odd numbers of a list", "keep_odd", "numbers: list[int]", "list[int]", "return [number for number in {a} if number % 2 == 1]"),
    Task("square every number in a list", "squares", "numbers: list[int]", "list[int]", "return [number * number for number in {a}]"),
    Task("find the second largest number in a list", "second_largest", "numbers: list[int]", "int", "return sorted(set({a}))[-2]"),
    Task("count how often an item is in a list", "count_item", "items: list[int], item: int", "int", "return {a}.count({b})"),
    Task("check whether a list contains an item", "contains", "items: list[int], item: int", "bool", "return {b} in {a}"),
    Task("find the common items of two lists", "common", "a: list[int], b: list[int]", "list[int]", "return [item for item in {a} if item in {b}]"),
    Task("merge two dictionaries", "merge", "a: dict, b: dict", "dict", "return {{**{a}, **{b}}}"),
    Task("find the last item of a list", "last", "items: list[int]", "int", "return {a}[-1]"),
    Task("convert Celsius to Fahrenheit", "to_fahrenheit", "celsius: float", "float", "return {a} * 9 / 5 + 32"),
    Task("convert Fahrenheit to Celsius", "to_celsius", "fahrenheit: float", "float", "return ({a} - 32) * 5 / 9"),
    Task("convert kilometres to miles", "to_miles", "kilometres: float", "float", "return {a} / 1.609344"),
    Task("convert hours to minutes", "to_minutes", "hours: int", "int", "return {a} * 60"),
    Task("compute the area of a rectangle", "rectangle_area", "width: float, height: float", "float", "return {a} * {b}"),
    Task("compute the perimeter of a rectangle", "perimeter", "width: float, height: float", "float", "return 2 * ({a} + {b})"),
    Task("compute the area of a circle", "circle_area", "radius: float", "float", "return 3.14159 * {a} ** 2"),
    Task("check whether a year is a leap year", "is_leap_year", "year: int", "bool", "return {a} % 4 == 0 and ({a} % 100 != 0 or {a} % 400 == 0)"),
    Task("convert a number to binary", "to_binary", "n: int", "str", "return bin({a})[2:]"),
    Task("convert a binary text to a number", "from_binary", "text: str", "int", "return int({a}, 2)"),
    Task("play fizz buzz with a number", "fizz_buzz", "n: int", "str", 'if {a} % 15 == 0:\n    return "FizzBuzz"\nif {a} % 3 == 0:\n    return "Fizz"\nif {a} % 5 == 0:\n    return "Buzz"\nreturn str({a})'),
)  # fmt: skip


def written(task: Task, name: str, parameters: tuple[str, ...], *, hints: bool, doc: bool) -> str:
    """The function's source, under the given names."""
    types = [one.partition(": ")[2] for one in _split(task.parameters)]
    listed = ", ".join(
        f"{parameter}: {kind}" if hints else parameter
        for parameter, kind in zip(parameters, types, strict=True)
    )
    slots = dict(zip("abc", parameters, strict=False))
    lines = [f"def {name}({listed}){f' -> {task.returns}' if hints else ''}:"]
    if doc:
        lines.append(f'    """{task.does[0].upper()}{task.does[1:]}."""')
    lines += [f"    {line}" for line in task.body.format(f=name, **slots).split("\n")]
    return "\n".join(lines)


def _split(parameters: str) -> list[str]:
    return parameters.split(", ")


_THIRD = {"multiply": "multiplies", "do": "does", "square": "squares", "flatten": "flattens"}

# {to} is "add two numbers", {does} "adds two numbers".
_PLAIN = (
    "Write a Python function to {to}.", "Write a Python function that {does}.",
    "Write a function that {does}.", "Write Python code to {to}.",
    "How do I {to} in Python?", "Please write a Python function that {does}.",
    "I need a Python function that {does}.", "Give me a Python function to {to}.",
    "Can you write a function to {to}?", "Show me how to {to} in Python.",
    "Python function: {to}", "Code a function that {does}.",
    "Implement a function that {does}.", "Write a small Python function that {does}.",
    "A Python function that {does}, please.",
)  # fmt: skip
_NAMED = (
    "Write a Python function {f} that {does}.", "Write a function called {f} that {does}.",
    "Write a Python function named {f} to {to}.", "Define a function {f} that {does}.",
    "Write a Python function that {does}. Call it {f}.", "Implement {f}, which {does}, in Python.",
    "I need a function {f} to {to} in Python.", "Give me a Python function {f} that {does}.",
    "Write a function that {does} and name it {f}.",
)  # fmt: skip
_SIGNED = (
    "Write a Python function {f}({p}) that {does}.", "Define {f}({p}) in Python so that it {does}.",
    "Implement {f}({p}), which {does}.", "Write {f}({p}) to {to}.",
    "Please write a Python function {f}({p}) to {to}.", "Complete this function: def {f}({p}). It {does}.",
    "I need {f}({p}) in Python; it {does}.",
)  # fmt: skip
_WITH = {
    (False, False): ("", "", "", " No docstring, please.", " Without type hints."),
    (False, True): (" Include a docstring.", " Add a docstring.", " With a docstring, please.", " Document it with a docstring."),
    (True, False): (" Use type hints.", " Add type hints.", " With type hints, please.", " Include type hints."),
    (True, True): (" Use type hints and a docstring.", " Add a docstring and type hints.", " With type hints and a docstring, please.", " Include a docstring and type hints."),
}  # fmt: skip


def _third(to: str) -> str:
    verb, _, rest = to.partition(" ")
    said = _THIRD.get(verb) or verb + ("es" if verb.endswith(("ch", "sh", "x", "ss")) else "s")
    return f"{said} {rest}"


def _new_names(rng: Random, task: Task) -> tuple[str, tuple[str, ...]]:
    """A name and parameters of the user's own, none of which the body needs for itself."""
    taken = set(task.body.replace("{", " ").split())

    def word() -> str:
        one = rng.choice(WORDS) if rng.random() < 0.7 else made_up(rng)
        return one if one.isidentifier() and one not in _RESERVED and one not in taken else word()

    first = rng.choice((*VERBS, "do", "compute", "get", "make", "my", "calc", "find"))
    name = f"{first}_{word()}" if rng.random() < 0.7 else word()
    if rng.random() < 0.5:
        return name, tuple(rng.sample(_LETTERS, len(_split(task.parameters))))
    chosen: list[str] = []
    for _ in _split(task.parameters):
        new = word()
        while new in chosen or new == name:
            new = word()
        chosen.append(new)
    return name, tuple(chosen)


# What a parameter must not be called: Python's words, and what the bodies use.
_RESERVED = frozenset(
    [
        "and",
        "as",
        "assert",
        "async",
        "await",
        "break",
        "class",
        "continue",
        "def",
        "del",
        "elif",
        "else",
        "except",
        "finally",
        "for",
        "from",
        "global",
        "if",
        "import",
        "in",
        "is",
        "lambda",
        "nonlocal",
        "not",
        "or",
        "pass",
        "raise",
        "return",
        "try",
        "while",
        "with",
        "yield",
        "number",
        "result",
        "inner",
        "item",
        "ordered",
        "half",
        "best",
        "letter",
        "digit",
        "word",
        "counts",
        "sum",
        "len",
        "str",
        "int",
        "list",
        "dict",
        "set",
        "sorted",
        "max",
        "min",
        "range",
        "bin",
        "k",
        "x",
        "y",
        "true",
        "false",
        "none",
    ]
)
_LETTERS = ("a", "b", "c", "d", "m", "n", "p", "q", "r", "s", "t", "u", "v", "w", "z")


def code(rng: Random) -> Exchange:
    """A request for a function, and the function in a fenced block."""
    task = rng.choice(TASKS)
    name = task.name
    parameters = tuple(one.partition(": ")[0] for one in _split(task.parameters))
    hints, doc = rng.choice(
        ((False, False), (False, False), (False, True), (True, False), (True, True))
    )
    draw = rng.random()
    if draw < 0.5:
        asked = rng.choice(_PLAIN)
    else:
        own, theirs = _new_names(rng, task)
        if rng.random() < 0.75:
            name = own
        asked = rng.choice(_NAMED)
        if draw > 0.75:
            asked = rng.choice(_SIGNED)
            parameters = theirs if rng.random() < 0.7 else parameters
    user = asked.format(to=task.does, does=_third(task.does), f=name, p=", ".join(parameters))
    user += rng.choice(_WITH[hints, doc])
    source = written(task, name, parameters, hints=hints, doc=doc)
    extras = [text for text, on in (("type hints", hints), ("a docstring", doc)) if on]
    thoughts = think(
        wants=f"The user wants a Python function to {task.does}.",
        work=f"{name}({', '.join(parameters)}), {' and '.join(extras) or 'plain'}.",
        so="I write it in a fenced block.",
        check=f"The last line is: {source.rpartition(chr(10))[2].strip()}",
        restated=f"The function does this: {task.does}.",
    )
    answer = f"```python\n{source}\n```"
    pattern = rf"^```python\ndef {name}\("
    return Exchange(user, Reply("python code", thoughts, answer, source, pattern))
