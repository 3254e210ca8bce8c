"""The halves of a key's file, a certificate of zcert: as common/link/key_file.h
draws it."""


def halves(path):
    found = {}
    for line in path.read_text().splitlines():
        name, _, value = line.strip().partition(" = ")
        if name in ("public-key", "secret-key"):
            found[name.split("-")[0]] = value.strip('"')
    return found
