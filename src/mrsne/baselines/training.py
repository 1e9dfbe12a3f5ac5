"""PMvGE's training in torch: minibatches of linked and unlinked pairs, networks, and the descent."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import torch
from scipy import sparse
from torch import nn
from torch.nn import functional

from mrsne.arrays import Float32, Float64, Int64
from mrsne.data.outline import Pair
from mrsne.layout.progress import progress_bar

CHECK_EVERY = 50  # minibatches between two evaluations of the validation loss
VALIDATION_NEGATIVES = 20_000  # unlinked pairs, at most, in the validation loss
OPTIMIZERS: dict[str, Any] = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}
BATCH_OF_ITEMS = 4096  # items that are mapped at a time when training is done
Pairs: TypeAlias = Int64  # of shape (m, 2): positions of items of two domains


class PairSampler:
    """Draws linked pairs in proportion to their weights, and unlinked pairs uniformly; a share is kept for validation.

    A link inside a domain has no direction and counts once.
    """

    def __init__(self, graph: dict[Pair, sparse.csr_matrix], held_out: float, random: np.random.RandomState) -> None:
        self.random = random
        self.shapes = {pair: W.shape for pair, W in graph.items()}
        self.links: dict[Pair, Pairs] = {}
        self.validation: dict[Pair, Pairs] = {}
        self._cumulative_weights: dict[Pair, Float64] = {}
        self._keys: dict[Pair, Int64] = {}
        for pair, W in graph.items():
            edges = sparse.coo_matrix(sparse.triu(W) if pair[0] == pair[1] else W)
            ends = np.stack([edges.row, edges.col], axis=1).astype(np.int64)
            self._keys[pair] = np.sort(ends @ [W.shape[1], 1])
            is_held_out = random.random_sample(edges.nnz) < held_out
            if is_held_out.all():
                is_held_out[:] = False
            self.validation[pair], self.links[pair] = ends[is_held_out], ends[~is_held_out]
            self._cumulative_weights[pair] = np.cumsum(edges.data[~is_held_out])
        totals = np.array([cumulative[-1] for cumulative in self._cumulative_weights.values()])
        self._shares = totals / totals.sum()
        self._totals = dict(zip(graph, totals.tolist(), strict=True))

    def linked(self, count: int) -> dict[Pair, Pairs]:
        counts = self.random.multinomial(count, self._shares)
        batch = {}
        for (pair, cumulative), number in zip(self._cumulative_weights.items(), counts, strict=True):
            if number:
                links = np.searchsorted(cumulative, self.random.random_sample(number) * cumulative[-1], side="right")
                batch[pair] = self.links[pair][links]
        return batch

    def weight_of_unlinked(self, pair: Pair, draws_per_link: int) -> float:
        """Return how much each unlinked pair must count for the expected loss to be the likelihood of all pairs.

        Of N possible draws ``draws_per_link`` are made for each of T linked pairs, so each stands for N/(T · draws).
        Inside a domain of n items N is n²/2: a pair may be drawn either way round, and an item with itself.
        """
        rows, columns = self.shapes[pair]
        draws = rows * columns / (2 if pair[0] == pair[1] else 1)
        return float(draws / (self._totals[pair] * draws_per_link))

    @property
    def pairs_per_link(self) -> float:
        """All pairs that the likelihood has a term for, over the total weight of the links."""
        shapes = self.shapes.items()
        pairs = sum(rows * (rows - 1) / 2 if a == b else rows * columns for (a, b), (rows, columns) in shapes)
        return float(pairs / sum(self._totals.values()))

    def unlinked(self, pair: Pair, count: int) -> Pairs:
        """Draw ``count`` pairs and return those without a link: fewer where many pairs are linked."""
        rows, columns = self.shapes[pair]
        left, right = self.random.randint(rows, size=count), self.random.randint(columns, size=count)
        linked_keys = self._keys[pair]
        if pair[0] == pair[1]:
            left, right = np.minimum(left, right), np.maximum(left, right)
        keys = left * columns + right
        is_unlinked = linked_keys[np.minimum(np.searchsorted(linked_keys, keys), len(linked_keys) - 1)] != keys
        if pair[0] == pair[1]:
            is_unlinked &= left != right
        return np.asarray(np.stack([left, right], axis=1)[is_unlinked])


class Encoder(nn.Module):
    """f: from a vector, or the position of an item without one, to K coordinates, with one hidden layer."""

    def __init__(self, vectors: Float32 | None, size: int, hidden: int, K: int) -> None:
        super().__init__()
        self.vectors = None if vectors is None else torch.from_numpy(vectors)
        # a linear layer of one-hot vectors is a table with a row for each item
        self.first = nn.Embedding(size, hidden) if vectors is None else nn.Linear(vectors.shape[1], hidden)
        self.second = nn.Linear(hidden, K)

    def forward(self, items: torch.Tensor) -> torch.Tensor:
        inputs = items if self.vectors is None else self.vectors[items]
        coordinates: torch.Tensor = self.second(torch.relu(self.first(inputs)))
        return coordinates


class Model(nn.Module):
    """One encoder for each domain, and the log-odds of a link between two items."""

    def __init__(
        self,
        vectors: Mapping[str, Float32 | None],
        sizes: Mapping[str, int],
        pairs: Sequence[Pair],
        hidden: int,
        K: int,
        similarity: str,
        intercept: bool = True,
    ) -> None:
        super().__init__()
        self.domains = list(vectors)
        self.encoders = nn.ModuleList([Encoder(vectors[name], sizes[name], hidden, K) for name in self.domains])
        self.pairs = list(pairs)
        self.intercepts = nn.Parameter(torch.zeros(len(self.pairs)), requires_grad=intercept)
        self.similarity = similarity

    def encode(self, name: str, items: Int64) -> torch.Tensor:
        """Return the coordinates of the given items of a domain; each item is encoded once."""
        distinct, positions = np.unique(items, return_inverse=True)
        encoded: torch.Tensor = self.encoders[self.domains.index(name)](torch.from_numpy(distinct))
        return encoded[torch.from_numpy(positions)]

    def log_odds(self, pair: Pair, pairs: Pairs) -> torch.Tensor:
        """Return c − ‖y − y'‖² or c + ⟨y, y'⟩, with an intercept c for each pair of domains, 0 unless it is learned."""
        left, right = self.encode(pair[0], pairs[:, 0]), self.encode(pair[1], pairs[:, 1])
        similarity = (left * right).sum(dim=1) if self.similarity == "inner" else -((left - right) ** 2).sum(dim=1)
        return self.intercepts[self.pairs.index(pair)] + similarity

    def loss(self, pair: Pair, linked: Pairs, unlinked: Pairs, weight: float = 1.0) -> torch.Tensor:
        """Return −log σ(s) of linked pairs plus ``weight`` times −log σ(−s) of the others, with log-odds s."""
        s = self.log_odds(pair, np.concatenate([linked, unlinked]))
        return functional.softplus(-s[: len(linked)]).sum() + weight * functional.softplus(s[len(linked) :]).sum()

    @torch.no_grad()
    def coordinates(self, name: str, size: int) -> Float32:
        starts = range(0, size, BATCH_OF_ITEMS)
        batches = [self.encode(name, np.arange(start, min(start + BATCH_OF_ITEMS, size))) for start in starts]
        return torch.cat(batches).numpy()


def train(model: Model, sampler: PairSampler, settings: Mapping[str, Any]) -> tuple[int, list[float]]:
    """Train until the validation loss, if links are held out, stops falling, and restore the best state."""
    optimizer = OPTIMIZERS[settings["optimizer"]](model.parameters(), lr=settings["learning_rate"])
    negatives = settings["n_negatives"]
    weights, terms_per_link = dict.fromkeys(sampler.validation, 1.0), 1.0
    if settings["negatives"] == "likelihood":
        weights = {pair: sampler.weight_of_unlinked(pair, negatives) for pair in weights}
        terms_per_link += sampler.pairs_per_link
    validation = {
        pair: (held_out, sampler.unlinked(pair, min(VALIDATION_NEGATIVES, negatives * max(len(held_out), 1))))
        for pair, held_out in sampler.validation.items()
    }
    has_validation = sum(len(held_out) for held_out, _ in validation.values()) > 0
    losses: list[float] = []
    best_loss, best_at, best_state = float("inf"), 0, None
    step = 0
    with progress_bar(settings["max_iter"], 0, settings["verbose"], "PMvGE", "loss") as report:
        while step < settings["max_iter"]:
            optimizer.zero_grad()
            terms = [
                model.loss(pair, linked, sampler.unlinked(pair, negatives * len(linked)), weights[pair])
                for pair, linked in sampler.linked(settings["batch_size"]).items()
            ]
            loss = torch.stack(terms).sum() / (settings["batch_size"] * terms_per_link)
            loss.backward()
            optimizer.step()
            step += 1
            if step % CHECK_EVERY:
                continue
            if has_validation:
                losses.append(_validation_loss(model, validation, weights))
                report(step, losses[-1])
                if losses[-1] < best_loss - settings["tol"]:
                    best_loss, best_at = losses[-1], len(losses)
                    best_state = {name: value.clone() for name, value in model.state_dict().items()}
                elif len(losses) - best_at >= settings["n_iter_no_change"]:
                    break
            else:
                report(step, float(loss.detach()))
    if best_state is not None:
        model.load_state_dict(best_state)
    return step, losses


@torch.no_grad()
def _validation_loss(
    model: Model, validation: Mapping[Pair, tuple[Pairs, Pairs]], weights: Mapping[Pair, float]
) -> float:
    total = sum(float(model.loss(pair, *pairs, weights[pair])) for pair, pairs in validation.items())
    return total / max(sum(len(linked) + len(unlinked) for linked, unlinked in validation.values()), 1)
