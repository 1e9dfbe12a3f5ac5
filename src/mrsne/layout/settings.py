"""Settings of the layout, checked once."""

from __future__ import annotations

import hashlib
import numbers
import os
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from mrsne.arrays import Float32
from mrsne.backends.base import Backend, Phase
from mrsne.backends.kernel import StudentKernel
from mrsne.layout.inputs import check_init
from mrsne.layout.schedule import Callback, Run, Stopping, default_schedule, paper_schedule, staged_schedule
from mrsne.parameters import ParameterError, check_integer, check_number, check_option, describe, random_numbers

METHODS = ("auto", "exact", "fft")
MAX_EXACT = 20_000  # items; beyond, K > 3 would take seconds per iteration
SCHEDULES = ("default", "stages", "paper")
MAX_COMPONENTS = 10_000
MAX_ITERATIONS = 10**8


@dataclass(frozen=True)
class LayoutSettings:
    """The settings of :func:`mrsne.embed`, under the same names, and their only default values."""

    n_components: Any = 2
    init: Any = "spectral"
    max_iter: Any = 750
    method: Any = "auto"
    random_state: Any = None
    early_exaggeration: Any = 6.0
    learning_rate: Any = "auto"
    momentum: Any = "auto"
    schedule: Any = "default"
    min_grad_norm: Any = 1e-7
    n_iter_without_progress: Any = None
    max_seconds: Any = None
    callbacks: Any = ()
    checkpoint: Any = None
    verbose: Any = False
    dof: Any = 1.0

    @classmethod
    def of(cls, estimator: Any, **others: Any) -> Self:
        """Return the settings that are attributes of an estimator, except for those that are given."""
        return cls(**{**{field.name: getattr(estimator, field.name) for field in fields(cls)}, **others})

    def checked(self, n: int, backend: Backend) -> CheckedLayoutSettings:
        """Return what the settings stand for; raise an error that names the first that is wrong for n items."""
        check_integer("n_components", self.n_components, minimum=1, maximum=MAX_COMPONENTS)
        check_integer("max_iter", self.max_iter, minimum=1, maximum=MAX_ITERATIONS)
        random_numbers(self.random_state)
        check_number("min_grad_norm", self.min_grad_norm, minimum=0)
        if self.n_iter_without_progress is not None:
            check_integer("n_iter_without_progress", self.n_iter_without_progress, minimum=1)
        if self.max_seconds is not None:
            check_number("max_seconds", self.max_seconds, above=0)
        check_option("schedule", self.schedule, SCHEDULES)
        check_number("early_exaggeration", self.early_exaggeration, minimum=1)
        if not isinstance(self.learning_rate, str):
            check_number("learning_rate", self.learning_rate, above=0)
        elif self.learning_rate != "auto":
            raise ParameterError(f"learning_rate must be 'auto' or a number greater than 0, got {self.learning_rate!r}")
        if isinstance(self.momentum, str):
            if self.momentum != "auto":
                raise ParameterError(f"momentum must be 'auto' or a number from 0 to below 1, got {self.momentum!r}")
        elif check_number("momentum", self.momentum, minimum=0) >= 1:
            raise ParameterError(f"momentum must be at least 0 and less than 1, got {self.momentum!r}")
        kernel = StudentKernel.checked(self.dof)
        method = choose_method(self.method, n, self.n_components, backend)
        start = check_init(self.init, n, self.n_components)
        if self.checkpoint is not None:
            if not isinstance(self.checkpoint, (str, os.PathLike)):
                raise ParameterError(f"checkpoint must be a path or None, got {describe(self.checkpoint)}")
            if "\0" in str(self.checkpoint):
                raise ParameterError(f"checkpoint must be a path without the character 0, got {str(self.checkpoint)!r}")
            if not Path(self.checkpoint).parent.is_dir():
                raise ParameterError(f"checkpoint must be in an existing folder, got {str(self.checkpoint)!r}")
        stopping = Stopping(self.min_grad_norm, self.n_iter_without_progress, self.max_seconds)
        observers = (self._callbacks(), self.checkpoint, self._origin(start), self.verbose)
        return CheckedLayoutSettings(self, start, Run(self.phases(n), method, kernel, stopping, *observers))

    @property
    def is_paper(self) -> bool:
        """Whether the schedule is Algorithm 1 of the paper."""
        return bool(self.schedule == "paper")

    def phases(self, n: int) -> tuple[Phase, ...]:
        """Return the schedule for n items that take part."""
        if self.is_paper:
            return paper_schedule(self.max_iter, self.learning_rate, self.momentum)
        made = staged_schedule if self.schedule == "stages" else default_schedule
        return made(n, self.max_iter, self.early_exaggeration, self.learning_rate, self.momentum)

    def _origin(self, start: Float32 | None) -> object:
        """Return a fingerprint of the start; without a seed all starts are equivalent."""
        if start is not None:
            return hashlib.blake2b(start.tobytes(), digest_size=16).hexdigest()
        return self.init, self.random_state if isinstance(self.random_state, numbers.Integral) else None

    def _callbacks(self) -> Sequence[Callback]:
        given = self.callbacks
        functions = [given] if callable(given) else list(given) if isinstance(given, (list, tuple)) else None
        if functions is None or not all(callable(function) for function in functions):
            raise ParameterError(f"callbacks must be a callable or a list of callables, got {describe(given)}")
        return functions


@dataclass(frozen=True)
class CheckedLayoutSettings:
    """Checked settings, and what they stand for."""

    given: LayoutSettings
    start: Float32 | None  # where the start is given
    run: Run  # with the schedule for all items


def choose_method(method: str, n: int, n_components: int, backend: Backend) -> str:
    """Return "exact" or "fft" for a map of this size."""
    check_option("method", method, METHODS)
    backend.check_layout(method, n_components)
    if n_components <= 3:
        return method if method != "auto" else "exact" if n <= backend.exact_up_to(n_components) else "fft"
    if method == "fft":
        raise ParameterError(f"method='fft' needs n_components of 1, 2 or 3, got {n_components}; use method='exact'")
    if n > MAX_EXACT:
        raise ParameterError(
            f"n_components={n_components} can only be computed exactly, for at most {MAX_EXACT} items, "
            f"got {n}; use n_components <= 3"
        )
    return "exact"
