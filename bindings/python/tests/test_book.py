"""The code of the book's chapter and of the read-me pages runs; so do the examples."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGES = ["docs/python.md", "docs/plugins.md", "bindings/python/README.md", "README.md"]
EXAMPLES = sorted((ROOT / "bindings/python/examples").glob("*.py"))


def blocks(page: Path) -> list[tuple[int, str]]:
    """The Python code of a page, with the line that it begins at."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, m.start(1)), m.group(1)) for m in found]


@pytest.mark.parametrize("page", PAGES)
def test_the_code_of_the_page_runs(
    page: str, scenes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("gymnasium")
    found = blocks(ROOT / page)
    assert found, f"{page} has no code"
    (tmp_path / "scenes").symlink_to(scenes)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for line, code in found:
        # messages of errors then show the line of the page
        exec(compile("\n" * line + code, page, "exec"), names)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.name)
def test_the_example_runs(example: Path, scenes: Path, tmp_path: Path) -> None:
    (tmp_path / "scenes").symlink_to(scenes)
    command = [sys.executable, str(example), "--quick"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
