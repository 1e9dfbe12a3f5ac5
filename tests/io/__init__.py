# ruff: noqa: A005 - named after mrsne.io, and only ever imported as tests.io
