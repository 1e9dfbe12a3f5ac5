"""P̃ → Y: where items start, what pulls and pushes them, and the descent that brings them to rest.

Internal: see ``docs/architecture.md`` for what is public.
"""

from mrsne.layout.embed import embed
from mrsne.layout.gradient import kl_gradient

__all__ = ["embed", "kl_gradient"]
