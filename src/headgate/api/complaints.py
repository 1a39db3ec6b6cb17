"""Say what is wrong with the shape of an object: msgspec's words in, a field and a sentence out.

The surprising part is "put it in quotes": YAML reads `true`, `80` and `no` as something else than text, and an
annotation that needs quotes is the most common mistake of all.
"""

import re
from typing import Any

_WORDS = {
    "str": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}
_WRONG_TYPE = re.compile(r"Expected `(?P<wanted>[^`]*)`, got `(?P<found>[^`]*)`")
_MISSING = re.compile(r"Object missing required field `(?P<name>[^`]*)`")


def complaint(raw: dict[str, Any], words: str) -> tuple[str, str]:
    """The field, as `spec.rules[1].host`, and what is wrong there."""
    text, _, where = words.partition(" - at `")
    path = where.removesuffix("`").removeprefix("$").removeprefix(".")
    if path.startswith("key` in `"):
        return path.removeprefix("key` in `$."), "every key must be text: put it in quotes"
    if path.endswith("[...]"):
        path = _with_key(raw, path.removesuffix("[...]"))
    if missing := _MISSING.match(text):
        return f"{path}.{missing['name']}".removeprefix("."), "is missing"
    if wrong := _WRONG_TYPE.match(text):
        return path, _wrong_type(wrong["wanted"], wrong["found"])
    sentence = text.replace("`", "")
    return path, sentence[:1].lower() + sentence[1:]


def _wrong_type(wanted: str, found: str) -> str:
    names = [_WORDS.get(name, name) for name in wanted.split(" | ") if name != "null"]
    sentence = f"must be {' or '.join(names)}, not {_WORDS.get(found, found)}"
    return f"{sentence}: put it in quotes" if "str" in wanted and found in ("int", "float", "bool") else sentence


def _with_key(raw: dict[str, Any], path: str) -> str:
    """msgspec does not say which key of a mapping has the wrong value: the first one that is not text."""
    inner: Any = raw
    for name in path.split("."):
        inner = inner.get(name) if isinstance(inner, dict) else None
    if not isinstance(inner, dict):
        return path
    return next((f"{path}[{key}]" for key, value in inner.items() if not isinstance(value, str)), path)
