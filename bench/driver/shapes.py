"""What a workload is: its rows, and the sides that are measured."""

from typing import Callable, NamedTuple

ALL = 1000  # rounds


class Row(NamedTuple):
    name: str
    title: str
    unit: str
    better: str  # "less" or "more"


class Side(NamedTuple):
    name: str
    kind: str  # "ours", "peer" or "limit"
    measure: Callable
    absent: Callable = lambda place: None
    rounds: int = ALL  # what takes long is measured in the first ones only


class Workload(NamedTuple):
    name: str
    rows: list
    measures: str
    omits: str
    sides: list

    @property
    def title(self):
        return self.rows[0].title
