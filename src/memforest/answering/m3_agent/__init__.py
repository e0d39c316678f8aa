"""M3-Agent's way of answering: searching and answering in turn."""
