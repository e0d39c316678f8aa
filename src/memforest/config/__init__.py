"""Composing, checking and instantiating configurations; with run.py and cli.py the only room that knows Hydra."""
