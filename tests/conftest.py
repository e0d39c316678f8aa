"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

# Whether an example takes longer than usual says how busy the machine is, not whether the code is right.
settings.register_profile("memforest", deadline=None)
settings.load_profile("memforest")
