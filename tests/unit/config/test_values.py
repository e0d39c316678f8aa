"""Values have the kind of their defaults, and are null only where a file says that they may be."""

from __future__ import annotations

import pytest

from memforest.config.compose import compose
from memforest.core.errors import ConfigError


def test_what_may_be_null_is_null_also_where_an_option_has_a_value() -> None:
    assert compose(["answerer=m3_agent_released"])["answerer"]["exempt"] is not None
    assert compose(["answerer=m3_agent_released", "answerer.exempt=null"])["answerer"]["exempt"] is None


@pytest.mark.parametrize("override", ["answerer.order=null", "answerer.rounds=null", "answerer.exempt=3"])
def test_a_value_of_another_kind_is_refused(override: str) -> None:
    with pytest.raises(ConfigError, match=override.replace("null", "None")):
        compose(["answerer=m3_agent_released", override])
