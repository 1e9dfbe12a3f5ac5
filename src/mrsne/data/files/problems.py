"""What was left out, and why: nothing is lost without a line here."""

from collections import Counter
from dataclasses import dataclass, field

LONGEST = 200  # characters of what was found


@dataclass(frozen=True)
class Problem:
    """Something that was left out."""

    kind: str  # in a few words, the same for all of a kind, such as "picture cannot be read"
    where: str  # the file, or the file and line
    what: str  # was found there
    count: int = field(default=1, repr=False)  # how many there are, where one line stands for several


class Problems(list[Problem]):
    def add(self, kind: str, where: str, what: str, count: int = 1) -> None:
        """Note one more, or several in one line; what was found is cut short where it is long."""
        self.append(Problem(kind, where, what if len(what) <= LONGEST else what[: LONGEST - 3] + "...", count))

    def counts(self) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for problem in self:
            counts[problem.kind] += problem.count
        return dict(counts.most_common())

    def columns(self) -> dict[str, list[str]]:
        return {
            "problem": [problem.kind for problem in self],
            "where": [problem.where for problem in self],
            "what": [problem.what for problem in self],
        }
