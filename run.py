"""Run one configuration: `python run.py compressor=memforest ratio=0.5`."""

from __future__ import annotations

from memforest.config.front import main

if __name__ == "__main__":
    main()
