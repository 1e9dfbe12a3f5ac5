"""The paper's formulas, written down once more: dense, in double precision, with nothing from mrsne."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def neighbor_graph(X: Any, perplexity: float) -> Matrix:
    """P^(d), eq. (1) and the text below it; the bandwidth by bisection on its logarithm."""
    X = np.asarray(X, dtype=np.float64)
    n = len(X)
    conditional = np.zeros((n, n))
    for i in range(n):
        others = [j for j in range(n) if j != i]
        squared = np.array([float(((X[i] - X[j]) ** 2).sum()) for j in others])
        low, high = -80.0, 80.0
        for _ in range(300):
            middle = (low + high) / 2
            p = np.exp(-(squared - squared.min()) * np.exp(middle))
            p /= p.sum()
            entropy = -(p[p > 0] * np.log2(p[p > 0])).sum()
            low, high = (middle, high) if entropy > np.log2(perplexity) else (low, middle)
        conditional[i, others] = p
    return np.asarray((conditional + conditional.T) / (2 * n))


def relation(W: Any, norm: str) -> Matrix:
    """R, with the normalisations of Section 4."""
    W = np.asarray(W, dtype=np.float64)
    r, c = W.sum(axis=1), W.sum(axis=0)
    R = np.zeros_like(W)
    for i in range(W.shape[0]):
        for j in range(W.shape[1]):
            if W[i, j] > 0:
                scale = {"unnorm": 1.0, "norm": np.sqrt(r[i] * c[j]), "pmi": r[i] * c[j]}[norm]
                R[i, j] = W[i, j] / scale
    return np.asarray(R / R.sum())


def joint(
    vectors: Mapping[str, Any],
    relations: Mapping[tuple[str, str], Any],
    perplexity: Mapping[str, float],
    norm: str,
    weights: Any,
) -> Matrix:
    """P̃, eq. (2), for any number of domains; ``vectors`` holds an int for a domain without vectors."""
    sizes = {name: X if isinstance(X, int) else len(X) for name, X in vectors.items()}
    starts = dict(zip(sizes, np.concatenate([[0], np.cumsum(list(sizes.values()))]), strict=False))
    raw: dict[Any, float] = {}
    for name, X in vectors.items():
        if not isinstance(X, int):
            raw[name] = {"size": sizes[name] ** 2, "equal": 1.0, "balanced": 1.0}.get(str(weights), 0.0)
    for a, b in relations:
        raw[a, b] = {"size": sizes[a] * sizes[b], "equal": 1.0, "balanced": 1.0}.get(str(weights), 0.0)
    if isinstance(weights, Mapping):
        raw = dict(weights)
    total = sum(raw.values())
    n = sum(sizes.values())
    P = np.zeros((n, n))
    for block, value in raw.items():
        beta = value / total
        if isinstance(block, str):
            at = slice(starts[block], starts[block] + sizes[block])
            P[at, at] += beta * neighbor_graph(vectors[block], perplexity[block])
        elif block[0] == block[1]:
            at = slice(starts[block[0]], starts[block[0]] + sizes[block[0]])
            W = np.asarray(relations[block], dtype=np.float64)
            W = (W + W.T) / 2
            np.fill_diagonal(W, 0)
            P[at, at] += beta * relation(W, norm)
        else:
            rows = slice(starts[block[0]], starts[block[0]] + sizes[block[0]])
            columns = slice(starts[block[1]], starts[block[1]] + sizes[block[1]])
            R = relation(relations[block], norm)
            P[rows, columns] += beta / 2 * R
            P[columns, rows] += beta / 2 * R.T
    return sinkhorn(P) if isinstance(weights, str) and weights == "balanced" else P


def sinkhorn(P: Matrix) -> Matrix:
    """D P D with equal row sums, by Newton's method on the logarithm of D."""
    n = len(P)
    log_d = np.zeros(n)
    for _ in range(200):
        scaled = np.exp(log_d)[:, None] * P * np.exp(log_d)
        sums = scaled.sum(axis=1)
        residual = sums - 1 / n
        if np.abs(residual).max() < 1e-16:
            break
        step = np.linalg.solve(np.diag(sums) + scaled, residual)
        log_d -= step * min(1.0, 1.0 / np.abs(step).max())
    return np.asarray(np.exp(log_d)[:, None] * P * np.exp(log_d))


def divergence(P: Matrix, Y: Any) -> float:
    """KL(P̃‖Q̃), eqs. (3) to (5)."""
    Q = similarities(Y)[1]
    positive = P > 0
    return float((P[positive] * np.log(P[positive] / Q[positive])).sum())


def similarities(Y: Any) -> tuple[Matrix, Matrix]:
    Y = np.asarray(Y, dtype=np.float64)
    squared = ((Y[:, None] - Y[None]) ** 2).sum(axis=2)
    student = 1 / (1 + squared)
    np.fill_diagonal(student, 0)
    return student, student / student.sum()


def gradient(P: Matrix, Y: Any) -> Matrix:
    """4 Σ_j (p̃_ij − q̃_ij)(y_i − y_j)/(1 + ‖y_i − y_j‖²)."""
    Y = np.asarray(Y, dtype=np.float64)
    student, Q = similarities(Y)
    force = (P - Q) * student
    return np.asarray(4 * (force.sum(axis=1)[:, None] * Y - force @ Y))


def algorithm_1(P: Matrix, Y: Any, iterations: int, rate: float = 100.0, momentum: float = 0.5) -> Matrix:
    """Algorithm 1 of the supplement."""
    previous = np.asarray(Y, dtype=np.float64)
    current = previous.copy()
    for t in range(1, iterations + 1):
        current, previous = current - rate * gradient(P, current) + momentum * (current - previous), current
        if t % 400 == 0:
            rate /= 10
    return current


def student_gradient(P: Any, Y: Any, dof: float) -> tuple[float, Matrix]:
    """KL(P̃‖Q̃) and its gradient by all coordinates, for q̃_ij ∝ (1 + ‖y_i−y_j‖²/α)^−α."""
    difference = np.asarray(Y, dtype=np.float64)[:, None] - np.asarray(Y, dtype=np.float64)
    base = 1 + (difference**2).sum(axis=2) / dof
    w = base**-dof
    np.fill_diagonal(w, 0)
    Q, dense = w / w.sum(), P.toarray().astype(np.float64)
    stored = dense > 0
    kl = float((dense[stored] * np.log(dense[stored] / Q[stored])).sum())
    return kl, np.asarray(4 * (((dense - Q) / base)[:, :, None] * difference).sum(axis=1))
