"""What was measured, as a table for people and as JSON for programs."""

import statistics

COLUMNS = ("median", "least", "most", "times ours")


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


def shown(number):
    if number is None:
        return ""
    if abs(number) >= 100:
        return f"{number:,.0f}"
    if abs(number) >= 10:
        return f"{number:.1f}"
    return f"{number:.2f}" if abs(number) >= 0.1 else f"{number:.2g}"


def lines_of(result):
    for row in result.workload.rows:
        yield (f"{result.workload.name}: {row.title}, {row.unit}, "
               f"{row.better} is better", ())
        for side in result.sides:
            values = result.values_of(side, row)
            name = ("limit: " if side.kind == "limit" else "") + side.name
            if values:
                ratio = result.ratio(side, row)
                yield ("    " + name, (
                    shown(statistics.median(values)), shown(min(values)),
                    shown(max(values)), f"{shown(ratio)} x" if ratio else ""))
            elif side.name in result.missing:
                yield (f"    {name}: none, {result.missing[side.name]}", ())


def as_table(results, told, rounds):
    lines = [line for result in results for line in lines_of(result)]
    width = max([len(name) for name, cells in lines if cells] or [0])
    text = [f"{key}: {value}" for key, value in told.items()]
    text += [f"rounds: {rounds}", "",
             " " * width + "".join(f"{name:>13}" for name in COLUMNS)]
    for name, cells in lines:
        text.append(f"{name:<{width}}" + "".join(
            f"{cell:>13}" for cell in cells) if cells else name)
    text += ["", "What each measures, and what it leaves out:"]
    for result in results:
        text += [f"{result.workload.name}: measures {result.workload.measures}",
                 f"    leaves out {result.workload.omits}"]
    return "\n".join(line.rstrip() for line in text)


def as_json(results, told, rounds):
    rows = []
    for result in results:
        for row in result.workload.rows:
            sides = []
            for side in result.sides:
                values = result.values_of(side, row)
                each = {"side": side.name, "kind": side.kind, "values": values}
                if values:
                    each |= {"median": statistics.median(values),
                             "min": min(values), "max": max(values),
                             "times_ours": result.ratio(side, row)}
                elif side.name in result.missing:
                    each["missing"] = result.missing[side.name]
                else:
                    continue  # it has no such row
                sides.append(each)
            rows.append({
                "workload": result.workload.name, "row": row.name,
                "title": row.title, "unit": row.unit, "better": row.better,
                "measures": result.workload.measures,
                "leaves_out": result.workload.omits, "sides": sides})
    return {"machine": told, "rounds": rounds, "rows": rows}
