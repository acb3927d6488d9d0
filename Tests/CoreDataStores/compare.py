"""Compares a store that Core Data wrote with what the imported one says through the runtime.

    compare.py STORE CONTENTS DUMP REPORT

STORE is the file that Core Data wrote, CONTENTS the XML of the version that wrote it, DUMP what
ObjectDump printed of the new store, REPORT what `cambium import-coredata` reported as JSON. Prints the rows,
values and links that are equal and the differences, separated by tabs; then each difference in a
line. A difference that the report tells is counted apart. Ends with 1 where one is not told.
"""

import base64
import json
import sys
from decimal import Decimal

import coredata


class Comparison:
    def __init__(self, store, dump, report):
        self.store, self.model = store, store.model
        self.objects = {}
        for line in dump:
            value = json.loads(line)
            root = self.model.root(value["entity"])
            self.objects[(root, value["id"])] = value
        self.told = set()
        for name in ("refusedRows", "changedValues", "missingFiles"):
            for entry in report[name]:
                self.told.add((entry["entity"], entry["id"], entry.get("property")))
        for entry in report["lostLinks"]:
            self.told.add((entry["entity"], entry["id"], entry["relationship"]))
        self.told_of_all = " ".join(report["differences"])
        self.rows = self.values = self.links = self.explained = 0
        self.differences = []

    def run(self):
        seen = set()
        for root, rows in self.store.rows.items():
            for key, row in rows.items():
                seen.add((root, key))
                if (root, key) not in self.objects:
                    self.differ(row, None, "the row is missing")
                    continue
                self.compare(row, self.objects[(root, key)])
        for root, key in set(self.objects) - seen:
            self.differences.append("%s %s: no such row in the old store" % (root, key))
        for root, key, number in self.store.strangers:
            if not any(t[1] == key and t[2] is None for t in self.told):
                self.differences.append(
                    "%s %s: a row of the unknown entity %s was not told" % (root, key, number))
        for place in sorted(self.store.missing):
            if place not in self.told_of_all.replace(",", " ").split():
                self.differences.append("%s: that it has no column was not told" % place)

    def compare(self, row, found):
        self.rows += 1
        if found["entity"] != row.entity:
            self.differ(row, None, "is a %s" % found["entity"])
            return
        for declarer in self.model.lineage(row.entity):
            for attribute in declarer.attributes:
                if not attribute.is_transient:
                    self.compare_value(row, declarer, attribute, found["values"])
            for relationship in declarer.relationships:
                if not relationship.is_transient:
                    self.compare_links(row, declarer, relationship, found["links"])

    def compare_value(self, row, declarer, attribute, values):
        name = attribute.name
        if attribute.type == "Composite":
            self.differ(row, name, "composite values are not compared")
            return
        if name not in values:
            self.differ(row, name, "the new model has no such attribute")
            return
        old = self.store.value(row, declarer, attribute)
        new = values[name]
        if self.is_equal(old, new):
            self.values += 1
        else:
            self.differ(row, name, "%s became %s" % (shortened(old), shortened(new)))

    @staticmethod
    def is_equal(old, new):
        if old is None or new is None:
            return old is None and new is None
        (kind, value), (new_kind, text) = old, new
        if kind == "float":
            return new_kind == "double" and float(text) == value
        if kind == "decimal":
            # The column has a number of 64 bits, or a text: its shortest decimal is meant.
            number = value.decode() if isinstance(value, bytes) else repr(value)
            return new_kind == "decimal" and Decimal(text) == Decimal(number)
        if kind != new_kind:
            return False
        if kind in ("double", "date"):
            return float(text) == value
        if kind == "int":
            return int(text) == value
        if kind == "data":
            return value is not None and base64.b64decode(text) == value
        return text == value

    def compare_links(self, row, declarer, relationship, links):
        name = relationship.name
        if name not in links:
            self.differ(row, name, "the new model has no such relationship")
            return
        old = self.store.links(row, declarer, relationship)
        new = links[name]
        if not relationship.is_to_many:
            new = [] if new is None else [new]
        if not relationship.is_ordered:
            old = [sorted(key for group in old for key in group)] if old else []
            new = sorted(new)
        flat, rest = [], new
        for group in old:
            part, rest = rest[:len(group)], rest[len(group):]
            flat += group
            if sorted(part) != group:
                rest = None
                break
        if rest == []:
            self.links += len(flat)
        else:
            self.differ(row, name, "%s became %s" % (shortened(old), shortened(new)))

    def differ(self, row, name, text):
        entities = [e.name for e in self.model.lineage(row.entity)]
        if any((e, row.key, n) in self.told for e in entities for n in (name, None)):
            self.explained += 1
        else:
            place = "%s %s" % (row.entity, row.key) + ("." + name if name else "")
            self.differences.append("%s: %s" % (place, text))


def shortened(value):
    text = repr(value)
    return text if len(text) <= 120 else text[:117] + "..."


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    store = coredata.Store(sys.argv[1], coredata.Model(sys.argv[2]))
    with open(sys.argv[3], encoding="utf-8") as dump, open(sys.argv[4], encoding="utf-8") as report:
        comparison = Comparison(store, dump, json.load(report))
    try:
        comparison.run()
    except coredata.Unclear as error:
        comparison.differences.append("not compared: %s" % error)
    print("\t".join(str(n) for n in (
        comparison.rows, comparison.values, comparison.links, comparison.explained,
        len(comparison.differences))))
    for difference in comparison.differences:
        print(difference)
    sys.exit(1 if comparison.differences else 0)


if __name__ == "__main__":
    main()
