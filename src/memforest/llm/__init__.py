"""Language models: client, cache, ledger and providers. Those who ask know only `core.chat`."""
