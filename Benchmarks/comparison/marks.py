"""Puts what was measured between marks in a document."""

import pathlib


def put(document: pathlib.Path, name: str, text: str) -> None:
    """Replaces what stands between the marks with that name."""
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, opened, rest = document.read_text().partition(begin)
    _, closed, after = rest.partition(end)
    if not opened or not closed:
        raise SystemExit(f"{document} has no marks {begin} and {end}.")
    document.write_text(f"{before}{begin}\n{text}\n{end}{after}")
