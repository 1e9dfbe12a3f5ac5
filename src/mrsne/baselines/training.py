"""PMvGE's networks and their training, in torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

from mrsne.baselines.sampling import Pairs, PairSampler
from mrsne.data import Pair
from mrsne.layout.progress import progress_bar

CHECK_EVERY = 50  # steps between looks at the validation links
VALIDATION_NEGATIVES = 20_000  # unlinked pairs, at most, that each look uses
AT_ONCE = 4096  # items that are mapped at a time at the end


class Encoder(nn.Module):
    """f: a vector, or the number of an item that has none, to K coordinates, through one hidden layer."""

    def __init__(self, vectors: NDArray[np.float32] | None, size: int, hidden: int, K: int) -> None:
        super().__init__()
        self.vectors = None if vectors is None else torch.from_numpy(vectors)
        # an item's row of a table is a linear layer of its one-hot vector
        self.first = nn.Embedding(size, hidden) if vectors is None else nn.Linear(vectors.shape[1], hidden)
        self.second = nn.Linear(hidden, K)

    def forward(self, items: torch.Tensor) -> torch.Tensor:
        """Return the coordinates of some items."""
        given = items if self.vectors is None else self.vectors[items]
        mapped: torch.Tensor = self.second(torch.relu(self.first(given)))
        return mapped


class Model(nn.Module):
    """One encoder for each domain, and the log-odds of a link between two items."""

    def __init__(
        self,
        vectors: Mapping[str, NDArray[np.float32] | None],
        sizes: Mapping[str, int],
        pairs: Sequence[Pair],
        hidden: int,
        K: int,
        similarity: str,
    ) -> None:
        super().__init__()
        self.order = list(vectors)
        self.encoders = nn.ModuleList([Encoder(vectors[name], sizes[name], hidden, K) for name in self.order])
        self.pairs = list(pairs)
        self.intercepts = nn.Parameter(torch.zeros(len(self.pairs)))
        self.similarity = similarity

    def encode(self, name: str, items: NDArray[np.int64]) -> torch.Tensor:
        """Return the coordinates of some items of a domain; each item is mapped once."""
        once, where = np.unique(items, return_inverse=True)
        encoded: torch.Tensor = self.encoders[self.order.index(name)](torch.from_numpy(once))
        return encoded[torch.from_numpy(where)]

    def log_odds(self, pair: Pair, pairs: Pairs) -> torch.Tensor:
        """Return c − ‖y − y'‖² or c + ⟨y, y'⟩, with an intercept c for each pair of domains."""
        left, right = self.encode(pair[0], pairs.left), self.encode(pair[1], pairs.right)
        nearness = (left * right).sum(dim=1) if self.similarity == "inner" else -((left - right) ** 2).sum(dim=1)
        return self.intercepts[self.pairs.index(pair)] + nearness

    def loss(self, pair: Pair, linked: Pairs, unlinked: Pairs) -> torch.Tensor:
        """Return the negative log-likelihood of Bernoulli links: −log σ(s) for each link, −log σ(−s) for the others."""
        both = Pairs(np.concatenate([linked.left, unlinked.left]), np.concatenate([linked.right, unlinked.right]))
        odds = self.log_odds(pair, both)
        return functional.softplus(-odds[: len(linked)]).sum() + functional.softplus(odds[len(linked) :]).sum()

    @torch.no_grad()
    def coordinates(self, name: str, size: int) -> NDArray[np.float32]:
        """Return the coordinates of all items of a domain."""
        parts = [self.encode(name, np.arange(i, min(i + AT_ONCE, size))) for i in range(0, size, AT_ONCE)]
        return torch.cat(parts).numpy()


def train(model: Model, sampler: PairSampler, settings: Mapping[str, Any]) -> tuple[int, list[float]]:
    """Fit by minibatches with negative sampling until held-out links, if any, are no longer predicted better.

    The model ends as it was when it predicted them best.

    Returns
    -------
    steps : int
        How many were done.
    losses : list of float
        Mean loss of the held-out links and of unlinked pairs, at every look; empty if none are held out.
    """
    optimizer = torch.optim.Adam(model.parameters(), lr=settings["learning_rate"])
    negatives = settings["n_negatives"]
    exam = {
        pair: (held_out, sampler.unlinked(pair, min(VALIDATION_NEGATIVES, negatives * max(len(held_out), 1))))
        for pair, held_out in sampler.validation.items()
    }
    watched = sum(len(held_out) for held_out, _ in exam.values()) > 0
    losses: list[float] = []
    best, best_at, kept = float("inf"), 0, None
    step = 0
    with progress_bar(settings["max_iter"], 0, settings["verbose"], "PMvGE", "loss") as report:
        while step < settings["max_iter"]:
            optimizer.zero_grad()
            terms = [
                model.loss(pair, linked, sampler.unlinked(pair, negatives * len(linked)))
                for pair, linked in sampler.linked(settings["batch_size"]).items()
            ]
            loss = torch.stack(terms).sum() / settings["batch_size"]
            loss.backward()
            optimizer.step()
            step += 1
            if step % CHECK_EVERY:
                continue
            if watched:
                losses.append(_examined(model, exam))
                report(step, losses[-1])
                if losses[-1] < best - settings["tol"]:
                    best, best_at = losses[-1], len(losses)
                    kept = {name: value.clone() for name, value in model.state_dict().items()}
                elif len(losses) - best_at >= settings["n_iter_no_change"]:
                    break
            else:
                report(step, float(loss.detach()))
    if kept is not None:
        model.load_state_dict(kept)
    return step, losses


@torch.no_grad()
def _examined(model: Model, exam: Mapping[Pair, tuple[Pairs, Pairs]]) -> float:
    """Return the mean loss of the pairs that are never trained on."""
    total = sum(float(model.loss(pair, *pairs)) for pair, pairs in exam.items())
    return total / max(sum(len(linked) + len(unlinked) for linked, unlinked in exam.values()), 1)
