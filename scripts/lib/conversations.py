"""Compares what the example Conversations has with what its server has; scripts/conversations runs it at the end.

    conversations.py URL WORK

WORK has the sealed files (directory), what the program exported in clear (exported), what it showed (shown), its commands
(opened), the answers of the server before and after it was shown (answers.json, answers-after.json), and the number of answers at each kill (kills).
"""
import bisect
import collections
import json
import pathlib
import re
import sys
import urllib.request

url, work = sys.argv[1], pathlib.Path(sys.argv[2])
TRANSFERS = 4  # that run at once
MARKER = b"in clear"


def get(path):
    request = urllib.request.Request(f"{url}/{path}", headers={"X-Uncounted": "1"})
    with urllib.request.urlopen(request) as answer:
        return answer.read(), answer.headers["ETag"]


# What the server has: the lines that the program has to show, and the files that it has to export.
opened = set(re.findall(r"^open (\w+)$", (work / "opened").read_text(), re.M))
places, files, versions = [], {}, {}
for conversation in json.loads(get("conversations")[0])["entries"]:
    places.append(f"{conversation['id']}: {conversation['name']}")
    for item in json.loads(get(f"conversations/{conversation['id']}/items")[0])["entries"]:
        places.append(f"{conversation['id']} {item['id']}: {item['name']}")
        for component in ["header", "thumbnail"] + (["data"] if item["id"] in opened else []):
            bytes, etag = get(f"items/{item['id']}/{component}")
            files[f"{item['id']}.{component}"] = bytes
            versions[f"{item['id']}/{component}/{etag.strip(chr(34)).split('-')[1]}"] = 0

# What the program shows and has.
shown, conversation = [], None
for line in (work / "shown").read_text().splitlines():
    if found := re.match(r"(c\d+): (.*)$", line):
        conversation = found[1]
        shown.append(line)
    elif found := re.match(r"  (\w+: .*?) \|", line):
        shown.append(f"{conversation} {found[1]}")
assert sorted(shown) == sorted(places), set(shown) ^ set(places)
exported = {path.name: path.read_bytes() for path in (work / "exported").iterdir()}
missing = {name for name in files if exported.get(name) != files[name]}
assert not missing, f"missing or different: {missing}"
# Data that was opened and is no longer wanted by this run is there as well, but nothing else is.
assert exported.keys() <= files.keys(), exported.keys() - files.keys()

# What was sent. An answer that repeats an earlier one needs a kill between the two, and each kill excuses a few.
report = json.loads((work / "answers.json").read_text())
after = json.loads((work / "answers-after.json").read_text())
assert after == report, "something was fetched that was there"
kills = [int(line) for line in (work / "kills").read_text().split()]
latest, excused = {}, collections.Counter()
for number, answer in enumerate(report["answers"]):
    what = answer["what"]
    if what in versions and answer["extent"] != "cut":
        versions[what] += 1
    if what in latest:
        kill = bisect.bisect_right(kills, latest[what])
        assert kill < len(kills) and kills[kill] <= number, f"{what} was sent twice without a kill"
        excused[kill] += 1
    latest[what] = number
assert all(versions.values()), [what for what, count in versions.items() if count == 0]
most = max(excused.values(), default=0)
assert most <= TRANSFERS, f"one kill cut {most} transfers"

# Nothing is on the disk in clear. The same search finds all that was exported.
def in_clear(folder):
    return {path.name for path in folder.rglob("*") if path.is_file() and MARKER in path.read_bytes()}

assert in_clear(work / "exported") == exported.keys()
sealed = list((work / "directory" / "items").iterdir())
assert len(sealed) == len(exported), "there are other files beside the sealed ones"
assert not in_clear(work / "directory"), in_clear(work / "directory")
extents = collections.Counter(answer["extent"] for answer in report["answers"])
print(
    f"{len(places)} conversations and items, {len(files)} components. Answers: {extents['whole']} whole, {extents['cut']} cut, "
    f"{extents['part']} resumed; {sum(excused.values())} followed an earlier one after a kill, at most {most} after one kill."
)
