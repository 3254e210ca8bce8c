"""The pages of the manual, as man(1) sets them on narrow terminals."""

import os
import re
import shutil
import subprocess
import sys

from harness import ROOT, expect, main

PAGES = sorted((ROOT / "docs/man").glob("*.1"))


def page_of(path, width):
    """Its lines, without the marks for bold and underlined letters."""
    done = subprocess.run(
        ["man", "--warnings", "-l", str(path)], capture_output=True,
        encoding="utf-8", check=False,
        env=dict(os.environ, MANWIDTH=str(width), LC_ALL="C.UTF-8",
                 MAN_KEEP_FORMATTING=""))
    expect(done.returncode == 0 and not done.stderr,
           f"{path.name} at {width} columns: {done.stderr}")
    return re.sub(".\b|\x1b\\[[0-9;]*m", "", done.stdout).splitlines()


def test_no_line_of_a_page_is_wider_than_its_terminal():
    expect(len(PAGES) == 3, f"{PAGES}")
    for path in PAGES:
        for width in (60, 80):
            wide = [line for line in page_of(path, width) if len(line) > width]
            expect(not wide, f"{path.name} at {width} columns: {wide}")


def test_no_name_is_divided_at_the_end_of_a_line():
    for path in PAGES:
        divided = [line for line in page_of(path, 60)
                   if re.search("\\w[\u2010\u00ad]$", line)]
        expect(not divided, f"{path.name}: {divided}")


def test_a_page_says_what_its_program_is_and_where_to_read_on():
    for path in PAGES:
        heads = [line for line in page_of(path, 80) if re.match("[A-Z]", line)]
        expect(heads[1:4] == ["NAME", "SYNOPSIS", "DESCRIPTION"] and
               "SEE ALSO" in heads, f"{path.name}: {heads}")


if __name__ == "__main__":
    if not shutil.which("man"):
        print("SKIPPED: there is no man: apt-get install man-db")
        sys.exit(77)
    main(globals())
