"""`python -m tests.golden.regenerate [CASE…]`: write `out.conf` and `findings.txt` again; without a case, of all of them.

Read what appeared before you commit it: a golden case must not bless a bug.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from tests.golden.cases import HERE, Case, all_cases


def regenerate(case: Case) -> bool:
    """Whether anything is different now."""
    answer = case.run()
    changed = [_put(case.out, answer.out), _put(case.findings, answer.findings)]
    return any(changed)


def _put(file: Path, text: str) -> bool:
    before = file.read_text() if file.exists() else ""
    if text:
        file.write_text(text)
    else:
        file.unlink(missing_ok=True)
    return before != text


def main(names: Sequence[str]) -> int:
    cases = [Case(name.removeprefix("tests/golden/").strip("/")) for name in names] or all_cases()
    for case in cases:
        if not (case.folder / "in.yaml").is_file():
            print(f"{case.name}: there is no {HERE.name}/{case.name}/in.yaml", file=sys.stderr)
            return 1
        if regenerate(case):
            print(f"{case.name}: changed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
