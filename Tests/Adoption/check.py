"""Adopts every store of the corpus that Core Data wrote, and compares each with what the new one
says through the runtime.

    check.py CAMBIUM OBJECTDUMP CORPUS WORK

CAMBIUM and OBJECTDUMP are the programs, WORK is an empty folder. Prints a table of all stores, and
one of the stores of Wire migrated to the newest version. Ends with 1 where a store is not adopted
that should be, or the other way round, where a difference is not told, or where a source changed.
"""

import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys

import stores


class Check:
    def __init__(self, cambium, dump, corpus, work):
        self.cambium, self.dump, self.work = cambium, dump, work
        self.stores = stores.find(corpus, work)
        self.failures = []

    # Programs

    def adopt(self, store, suffix, *options):
        """Runs the adopter: exit code, report, what it printed of errors, and the new store."""
        number = self.stores.index(store)
        target = os.path.join(self.work, "%d-%s.sqlite" % (number, suffix))
        place = [] if suffix == "plan" else ["--to", target]
        run = subprocess.run(
            [self.cambium, "adopt", store.path, "--model", store.bundle, "--format", "json",
             "--proofs", os.path.join(self.work, "proofs"), *place, *options],
            capture_output=True, check=False)
        try:
            report = json.loads(run.stdout)
        except ValueError:
            report = None
        return run.returncode, report, run.stderr.decode(errors="replace"), target

    def dumps(self, wanted):
        """What the runtime says of new stores: (bundle, version, store) → path of the lines."""
        outputs = {}
        for bundle in sorted({w[0] for w in wanted}):
            lines = ""
            for entry in [w for w in wanted if w[0] == bundle]:
                outputs[entry] = entry[2] + ".lines"
                lines += "%s\t%s\t%s\n" % (entry[1], entry[2], outputs[entry])
            run = subprocess.run(
                [self.dump, bundle], input=lines.encode(), capture_output=True, check=False)
            if run.returncode != 0:
                self.fail("ObjectDump", run.stderr.decode(errors="replace").strip())
        return {k: v for k, v in outputs.items() if os.path.exists(v)}

    def fail(self, name, text):
        self.failures.append("%s: %s" % (name, text))

    # Sources

    @staticmethod
    def fingerprint(store):
        """All that lies in the store's folder, and the store's own bytes."""
        folder = os.path.dirname(store.path)
        with open(store.path, "rb") as content:
            digest = hashlib.sha256(content.read()).hexdigest()
        return digest, sorted(os.listdir(folder))

    # The first table: as they were written

    def adopted(self, store):
        """Adopts a store at the version that wrote it."""
        before = self.fingerprint(store)
        code, plan, errors, target = self.adopt(store, "plan", "--plan")
        result = {"store": store, "code": code, "report": plan, "errors": errors}
        if plan is not None and not plan.get("refused") and "writtenBy" in plan:
            code, report, errors, target = self.adopt(
                store, "same", "--until", plan["writtenBy"])
            result = {
                "store": store, "code": code, "report": report, "errors": errors,
                "target": target, "version": plan["writtenBy"]}
        if self.fingerprint(store) != before:
            self.fail(store.name, "the source was changed")
        return result

    def compare(self, result, lines):
        """The independent comparison: rows, values, links, told differences, others."""
        store, report = result["store"], os.path.join(result["target"] + ".json")
        with open(report, "w", encoding="utf-8") as file:
            json.dump(result["report"], file)
        contents = os.path.join(
            store.bundle, result["version"] + ".xcdatamodel", "contents")
        run = subprocess.run(
            [sys.executable, "-B", os.path.join(os.path.dirname(__file__), "compare.py"),
             store.path, contents, lines, report], capture_output=True, check=False, text=True)
        output = run.stdout.splitlines()
        if not output:
            self.fail(store.name, "the comparison failed: " + run.stderr.strip()[-500:])
            return ["", "", "", "", ""]
        for difference in output[1:]:
            self.fail(store.name, difference)
        return output[0].split("\t")

    def first_table(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(self.adopted, self.stores))
        done = [r for r in results if r["code"] in (0, 6) and "target" in r]
        lines = self.dumps([(r["store"].bundle, r["version"], r["target"]) for r in done])
        table = [("store", "model", "version found", "verdict", "rows", "values", "links", "told",
                  "differences")]
        for result in results:
            store, report = result["store"], result["report"] or {}
            row = [store.short_name, store.model]
            if result in done:
                row += [result["version"], "adopted" + (", with losses" if result["code"] else "")]
                path = lines.get((store.bundle, result["version"], result["target"]))
                row += self.compare(result, path) if path else ["", "", "", "", "not read"]
                if path is None:
                    self.fail(store.name, "the new store cannot be read")
                if store.is_refused:
                    self.fail(store.name, "was adopted, and should have been refused")
            elif report.get("refused"):
                differences = len(report.get("differences", []))
                row += ["none; nearest %s" % report.get("nearest"),
                        "refused, %d differences" % differences, "", "", "", "", ""]
                if not store.is_refused:
                    self.fail(store.name, "was refused: " + "; ".join(report["differences"][:5]))
                if not report.get("nearest") or differences == 0:
                    self.fail(store.name, "was refused without the nearest version and differences")
            else:
                row += ["", "error, exit code %s" % result["code"], "", "", "", "", ""]
                self.fail(store.name, result["errors"].strip()[-500:] or "no report")
            table.append(row)
        count = sum(1 for r in results if r in done)
        show("Stores that Core Data wrote, adopted at the version that wrote them", table)
        print("%d stores, %d adopted, %d refused" % (
            len(results), count, sum(1 for r in results if (r["report"] or {}).get("refused"))))
        return done

    # The second table: migrated

    def second_table(self, done):
        chosen = [r for r in done if r["store"].is_of_wire]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            migrated = list(pool.map(lambda r: self.adopt(r["store"], "newest"), chosen))
        wanted = [
            (r["store"].bundle, report["version"], target)
            for r, (code, report, _, target) in zip(chosen, migrated) if code in (0, 6)]
        lines = self.dumps(wanted)
        table = [("store", "from", "to", "verdict", "rows before", "rows after", "why not all")]
        for result, (code, report, errors, target) in zip(chosen, migrated):
            store = result["store"]
            row = [store.short_name, result["version"]]
            if code not in (0, 6):
                table.append(row + ["", "error, exit code %s" % code, "", "", ""])
                self.fail(store.name, "migrating: " + (errors.strip()[-500:] or "no report"))
                continue
            path = lines.get((store.bundle, report["version"], target))
            after = "not read"
            if path:
                with open(path, "rb") as content:
                    after = sum(1 for _ in content)
            else:
                self.fail(store.name, "the migrated store cannot be read")
            before = sum(e["written"] for e in report["entities"])
            migration = report["migration"] or {}
            verdict = "migrated" if code == 0 else "migrated, with losses"
            if migration.get("stoppedAt"):
                verdict = "stopped at " + migration["stoppedAt"]
            elif report["version"] != report["current"]:
                self.fail(store.name, "is not of the current version, and no reason is told")
            table.append(row + [
                report["version"], verdict, before, after, (migration.get("reason") or "")[:100]])
        show("Stores of Wire, migrated to the newest version", table)

    def run(self):
        done = self.first_table()
        self.second_table(done)
        for failure in self.failures:
            print("FAILED: " + failure)
        return 1 if self.failures else 0


def show(title, table):
    widths = [max(len(str(row[i])) for row in table) for i in range(len(table[0]))]
    print("\n%s\n" % title)
    for index, row in enumerate(table):
        print("  ".join(str(cell).ljust(width) for cell, width in zip(row, widths)).rstrip())
        if index == 0:
            print("  ".join("-" * width for width in widths))
    print()


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(Check(*sys.argv[1:]).run())
