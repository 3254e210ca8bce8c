"""What was measured, as a table for people and as JSON for programs."""

import statistics

COLUMNS = ("median", "least", "most", "rounds", "times ours")


class Result:
    """The figures of one workload, of all its sides."""

    def __init__(self, workload, sides):
        self.workload = workload
        self.sides = sides
        self.values = {}   # (side, row): list of numbers
        self.missing = {}  # side: why it has none
        self.failed = []   # sides that were there, and failed

    def add(self, side, figures):
        """A number, or {row: number} where the workload has several."""
        if not isinstance(figures, dict):
            figures = {self.workload.rows[0].name: figures}
        for row, value in figures.items():
            self.values.setdefault((side, row), []).append(value)

    def values_of(self, side, row):
        return self.values.get((side.name, row.name), [])

    def ratio(self, side, row):
        """How many times ours it is: 10 times the time, or the tenth part of
        a rate, are both 10. None: ours itself, or nothing to compare."""
        theirs = self.values_of(side, row)
        ours = next((self.values_of(each, row) for each in self.sides
                     if each.kind == "ours"), [])
        if side.kind == "ours" or not theirs or not ours:
            return None
        pair = statistics.median(theirs), statistics.median(ours)
        if 0 in pair:
            return None
        return pair[0] / pair[1] if row.better == "less" else pair[1] / pair[0]


def as_json(results, told, rounds):
    rows = []
    for result in results:
        for row in result.workload.rows:
            rows.append({
                "workload": result.workload.name, "row": row.name,
                "title": row.title, "unit": row.unit, "better": row.better,
                "measures": result.workload.measures,
                "leaves_out": result.workload.omits,
                "sides": list(sides_of(result, row))})
    return {"machine": told, "rounds": rounds, "rows": rows}


def sides_of(result, row):
    for side in result.sides:
        values = result.values_of(side, row)
        each = {"side": side.name, "kind": side.kind, "values": values}
        if values:
            yield each | {"median": statistics.median(values),
                          "min": min(values), "max": max(values),
                          "times_ours": result.ratio(side, row)}
        elif side.name in result.missing:
            yield each | {"missing": result.missing[side.name]}


# --- for people -----------------------------------------------------------------


def shown(number):
    if number is None:
        return ""
    if abs(number) >= 100:
        return f"{number:,.0f}"
    if abs(number) >= 10:
        return f"{number:.1f}"
    return f"{number:.2f}" if abs(number) >= 0.1 else f"{number:.2g}"


def lines_of(row):
    yield (f"{row['workload']}: {row['title']}, {row['unit']}, "
           f"{row['better']} is better", ())
    for side in row["sides"]:
        name = ("limit: " if side["kind"] == "limit" else "") + side["side"]
        if "missing" in side:
            yield (f"    {name}: none, {side['missing']}", ())
        else:
            ratio = side["times_ours"]
            yield ("    " + name, (
                shown(side["median"]), shown(side["min"]), shown(side["max"]),
                str(len(side["values"])),
                f"{shown(ratio)} x" if ratio else ""))


def as_table(document):
    """The text of what as_json() made."""
    rows = document["rows"]
    lines = [line for row in rows for line in lines_of(row)]
    width = max([len(name) for name, cells in lines if cells] or [0])
    text = [f"{key}: {value}" for key, value in document["machine"].items()]
    text += [f"rounds: {document['rounds']}", "",
             " " * width + "".join(f"{name:>13}" for name in COLUMNS)]
    for name, cells in lines:
        text.append(f"{name:<{width}}" + "".join(
            f"{cell:>13}" for cell in cells) if cells else name)
    text += ["", "What each measures, and what it leaves out:"]
    for name, row in {row["workload"]: row for row in rows}.items():
        text += [f"{name}: measures {row['measures']}",
                 f"    leaves out {row['leaves_out']}"]
    return "\n".join(line.rstrip() for line in text)
