"""Reading and writing times."""

from __future__ import annotations

import calendar
import locale
import math
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.errors import DataError
from memforest.core.times import iso_date, long_date, parse_time, spoken_time, written_time

MONTHS = calendar.month_name[1:]


def seconds(*parts: int) -> float:
    return datetime(*parts, tzinfo=UTC).timestamp()  # type: ignore[arg-type,misc]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:56 pm on 8 May, 2023", seconds(2023, 5, 8, 13, 56)),
        ("1:56 PM on 8 may 2023", seconds(2023, 5, 8, 13, 56)),
        ("1:56pm on 08 May, 2023", seconds(2023, 5, 8, 13, 56)),
        ("  1:56 pm on 8 May, 2023 ", seconds(2023, 5, 8, 13, 56)),
        ("11:59 am on 31 December, 1999", seconds(1999, 12, 31, 11, 59)),
        ("8 May 2023", seconds(2023, 5, 8)),
        ("8 May, 2023", seconds(2023, 5, 8)),
        ("29 February 2024", seconds(2024, 2, 29)),
        ("2023/05/08 (Mon) 13:56", seconds(2023, 5, 8, 13, 56)),
        ("2023/05/08 13:56", seconds(2023, 5, 8, 13, 56)),
        ("2023/05/08 (Mon)", seconds(2023, 5, 8)),
        ("2023-05-08", seconds(2023, 5, 8)),
        ("2023-05-08T13:56:00", seconds(2023, 5, 8, 13, 56)),
        ("2023-05-08 13:56", seconds(2023, 5, 8, 13, 56)),
        ("2023-05-08T13:56:00.5", seconds(2023, 5, 8, 13, 56) + 0.5),
    ],
)
def test_every_written_form_is_read(text: str, expected: float) -> None:
    assert parse_time(text, where="here") == expected


@pytest.mark.parametrize(
    ("text", "hour", "minute"),
    [
        ("12:00 am", 0, 0),
        ("12:59 am", 0, 59),
        ("1:00 am", 1, 0),
        ("12:00 pm", 12, 0),
        ("12:30 pm", 12, 30),
        ("11:59 pm", 23, 59),
    ],
)
def test_twelve_am_is_midnight_and_twelve_pm_is_noon(text: str, hour: int, minute: int) -> None:
    assert parse_time(f"{text} on 8 May, 2023", where="here") == seconds(2023, 5, 8, hour, minute)


@pytest.mark.parametrize("number", range(1, 13))
@pytest.mark.parametrize("form", ["{0}", "{0:.3}", "{0:.3}."])
def test_months_are_read_in_full_and_abbreviated(number: int, form: str) -> None:
    text = f"3 {form.format(MONTHS[number - 1])} 2023"
    assert parse_time(text, where="here") == seconds(2023, number, 3)


def test_month_names_do_not_depend_on_the_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calendar, "month_name", ["", *["mois"] * 12])
    monkeypatch.setattr(locale, "getlocale", lambda *_: ("fr_FR", "UTF-8"))
    assert parse_time("8 May 2023", where="here") == seconds(2023, 5, 8)
    assert long_date(seconds(2023, 5, 8)) == "08 May 2023"


@pytest.mark.parametrize(
    ("zone", "hours"), [("Z", 0.0), ("+00:00", 0.0), ("+02:00", -2.0), ("-07:30", 7.5), ("+0530", -5.5)]
)
def test_a_zone_is_counted_and_an_absent_one_is_utc(zone: str, hours: float) -> None:
    plain = parse_time("2023-05-08T12:00:00", where="here")
    assert parse_time(f"2023-05-08T12:00:00{zone}", where="here") == plain + 3600 * hours


def test_a_time_without_a_zone_does_not_depend_on_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        assert parse_time("2023-05-08T12:00:00", where="here") == seconds(2023, 5, 8, 12)
        assert parse_time("12:00 pm on 8 May, 2023", where="here") == seconds(2023, 5, 8, 12)
        assert long_date(seconds(2023, 5, 8, 23, 59)) == "08 May 2023"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("value", [0, 1683554160, 1683554160.25, -5.0])
def test_numbers_are_seconds(value: float) -> None:
    assert parse_time(value, where="here") == float(value)


@pytest.mark.parametrize(
    "value",
    [
        "", " ", "soon", "2023", "31 April 2023", "29 February 2023", "8 Mayo 2023", "8 M 2023", "8 May 23",
        "0:30 am on 8 May, 2023", "13:56 pm on 8 May, 2023", "1:60 pm on 8 May, 2023", "1:56 on 8 May, 2023",
        "1:56 pm 8 May, 2023", "2023-13-01", "05/08/2023", "8 May 0000", "1:56 pm on 8 May, 2023 or so",
        None, True, [], {}, math.nan, math.inf, -math.inf,
    ],
)  # fmt: skip
def test_what_is_no_time_is_an_error_that_names_place_and_value(value: object) -> None:
    with pytest.raises(DataError) as caught:
        parse_time(value, where="file.json, u1, session_3_date_time")
    assert str(caught.value).startswith(f"file.json, u1, session_3_date_time: cannot read the time {value!r}")


def test_a_number_beyond_any_float_is_an_error_that_names_the_place() -> None:
    with pytest.raises(DataError, match="here"):
        parse_time(10**400, where="here")


def test_a_number_outside_the_calendar_is_an_error_that_names_the_place() -> None:
    with pytest.raises(DataError, match="here"):
        parse_time(1_683_554_160_000, where="here")


@given(minutes=st.integers(0, 2_000_000))
def test_the_spoken_form_is_read_as_it_is_written(minutes: int) -> None:
    moment = datetime(2021, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    half = "am" if moment.hour < 12 else "pm"
    day = f"{moment.day} {MONTHS[moment.month - 1]}, {moment.year}"
    text = f"{moment.hour % 12 or 12}:{moment.minute:02d} {half} on {day}"
    assert parse_time(text, where="here") == moment.timestamp()


@given(time=st.integers(-60_000_000_000, 250_000_000_000))
def test_a_written_time_is_read_back(time: int) -> None:
    assert parse_time(datetime.fromtimestamp(time, tz=UTC).isoformat(), where="here") == time


@pytest.mark.parametrize(
    ("time", "text"), [(0, "01 January 1970"), (seconds(2023, 5, 8, 23, 59), "08 May 2023"), (-1, "31 December 1969")]
)
def test_a_long_date_has_two_digits_and_the_month_in_full(time: float, text: str) -> None:
    assert long_date(time) == text


@pytest.mark.parametrize(
    ("time", "written"),
    [
        (seconds(2023, 5, 8, 13, 56), "Monday 8 May 2023, 1:56 pm"),
        (seconds(2023, 5, 30, 0, 5), "Tuesday 30 May 2023, 12:05 am"),
        (seconds(2024, 2, 29, 12, 0), "Thursday 29 February 2024, 12:00 pm"),
        (seconds(2024, 2, 29), "Thursday 29 February 2024"),
        (None, None),
    ],
)
def test_a_time_is_written_out_for_a_reader(time: float | None, written: str | None) -> None:
    assert written_time(time, clock="calendar") == written


@pytest.mark.parametrize(
    ("time", "written"), [(0, "clip 0 (0 s)"), (29.9, "clip 0 (29 s)"), (371.0, "clip 12 (371 s)"), (None, None)]
)
def test_a_time_in_a_video_is_a_clip(time: float | None, written: str | None) -> None:
    assert written_time(time, clock="video") == written


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ((2023, 5, 8, 13, 56), "1:56 pm on 8 May, 2023"),
        ((2023, 12, 31, 0, 0), "12:00 am on 31 December, 2023"),
        ((2024, 2, 29, 12, 5), "12:05 pm on 29 February, 2024"),
    ],
)
def test_a_time_is_spoken_as_locomo_writes_it(parts: tuple[int, ...], said: str) -> None:
    assert spoken_time(seconds(*parts)) == said
    assert iso_date(seconds(*parts)) == f"{parts[0]}-{parts[1]:02d}-{parts[2]:02d}"


@given(st.integers(-62_135_596_800 // 60 + 1, 253_402_300_799 // 60))
def test_a_spoken_time_is_read_back_to_the_minute(minutes: int) -> None:
    assert parse_time(spoken_time(minutes * 60), where="") == minutes * 60
