"""How is one step of a sum worked out on paper, in few words and in many?

Columns from the right for addition and subtraction, a number cut into tens and ones for
multiplication and division. `terse` says only what a step needs to be easy; `full` names every
column. Both end in the whole equation: `243 + 158 = 401.`
"""

from __future__ import annotations

from itertools import zip_longest

__all__ = ["applied", "full", "terse", "undone"]

_PLACES = ("ones", "tens", "hundreds", "thousands", "ten thousands")


def applied(a: int, sign: str, b: int) -> int:
    """The result; a division must come out whole.

    Raises:
        ValueError: it does not, or `sign` is none of `+ - x /`.
    """
    if sign == "+":
        return a + b
    if sign == "-":
        return a - b
    if sign == "x":
        return a * b
    if sign != "/" or b == 0 or a % b:
        message = f"{a} {sign} {b} has no whole result"
        raise ValueError(message)
    return a // b


def undone(a: int, sign: str, b: int) -> str:
    """The equation that takes a step back, to check it: `401 - 158 = 243`."""
    back = {"+": "-", "-": "+", "x": "/", "/": "x"}[sign]
    result = applied(a, sign, b)
    if back == "/" and b == 0:
        return f"0 x {a} = 0"
    return f"{result} {back} {b} = {a}"


def terse(a: int, sign: str, b: int) -> str:
    """A step in as few words as it stays easy in."""
    equation = f"{a} {sign} {b} = {applied(a, sign, b)}."
    small = max(a, b) < 100 if sign in "+-" else _in_tables(a, sign, b)
    if small or _trivial(a, sign, b):
        return equation
    parts = _parts(a, sign, b)
    return equation if parts == [equation[:-1]] else ", ".join([*parts, equation])


def full(a: int, sign: str, b: int) -> str:
    """A step with every column named."""
    equation = f"{a} {sign} {b} = {applied(a, sign, b)}."
    if _trivial(a, sign, b) or (max(a, b) < 10 if sign in "+-" else _in_tables(a, sign, b)):
        return equation
    parts = _parts(a, sign, b)
    if parts == [equation[:-1]]:
        return equation
    if sign in "+-":
        parts = [f"{place} {part}" for place, part in zip(_PLACES, parts, strict=False)]
    return f"{a} {sign} {b}: {', '.join(parts)}. So {equation}"


def _in_tables(a: int, sign: str, b: int) -> bool:
    result = applied(a, sign, b)
    return max(a, b) <= 12 if sign == "x" else max(b, result) <= 12


def _trivial(a: int, sign: str, b: int) -> bool:
    if sign in "+-":
        return 0 in {a, b} or max(a, b) <= 20 or (sign == "-" and a < b)
    return min(a, b) < 2 or b == 10 or (sign == "x" and a == 10)


def _parts(a: int, sign: str, b: int) -> list[str]:
    if sign == "+":
        return _columns_added(a, b)
    if sign == "-":
        return _columns_taken(a, b)
    return _products(a, b) if sign == "x" else _quotients(a, b)


def _digits(a: int, b: int) -> list[tuple[int, int]]:
    pairs = zip_longest(reversed(str(a)), reversed(str(b)), fillvalue="0")
    return [(int(one), int(other)) for one, other in pairs]


def _columns_added(a: int, b: int) -> list[str]:
    carry, parts = 0, []
    for one, other in _digits(a, b):
        total = one + other + carry
        parts.append(f"{one} + {other}{' + 1' if carry else ''} = {total}")
        carry = total // 10
    return parts


def _columns_taken(a: int, b: int) -> list[str]:
    borrowed, parts = 0, []
    for one, other in _digits(a, b):
        lent = 10 if one - other - borrowed < 0 else 0
        left = one + lent - other - borrowed
        parts.append(f"{one + lent} - {other}{' - 1' if borrowed else ''} = {left}")
        borrowed = 1 if lent else 0
    return parts


def _cut(number: int) -> list[int]:
    """A number as its digits' worth: 246 is 200, 40 and 6."""
    text = str(number)
    worth = (int(digit) * 10 ** (len(text) - k - 1) for k, digit in enumerate(text))
    return [part for part in worth if part]


def _products(a: int, b: int) -> list[str]:
    parts, rows = [], []
    for factor in _cut(b):
        if str(factor).strip("0") == "1":
            parts.append(f"{a} x {factor} = {a * factor}")
            rows.append(a * factor)
            continue
        pieces = [(piece, piece * factor) for piece in _cut(a)]
        parts += [f"{piece} x {factor} = {product}" for piece, product in pieces]
        rows.append(a * factor)
        parts += _running([product for _, product in pieces])
    return parts + _running(rows)


def _running(numbers: list[int]) -> list[str]:
    total, parts = numbers[0], []
    for number in numbers[1:]:
        parts.append(f"{total} + {number} = {total + number}")
        total += number
    return parts


def _quotients(a: int, b: int) -> list[str]:
    pieces = [piece * b for piece in _cut(a // b)]
    parts = [f"{piece} / {b} = {piece // b}" for piece in pieces]
    return parts + _running([piece // b for piece in pieces])
