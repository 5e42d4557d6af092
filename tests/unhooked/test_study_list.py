"""The list of studies, for which all of them are made once."""

import json

from arithmax import cli
from arithmax.studies import _registry, studies


def test_studies_are_listed_without_being_made(capsys, monkeypatch):
    """Titles and sources are those of the sheets, which are those of the studies."""
    made = {s.name: (s.title, s.source) for s in studies().values()}
    monkeypatch.setattr(_registry, "_made", lambda name: 1 / 0)
    cli.main(["studies", "--json"])
    listed = json.loads(capsys.readouterr().out)
    assert {s["name"]: (s["title"], s["source"]) for s in listed} == made
    cli.main(["studies"])
    assert "simple-mul" in capsys.readouterr().out
