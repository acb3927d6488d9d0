"""Imports every store of the corpus that Core Data wrote, and compares each with what the new one
says through the runtime.

    check.py CAMBIUM OBJECTDUMP CORPUS WORK

CAMBIUM and OBJECTDUMP are the programs, WORK is an empty folder. Prints a table of all stores, and
one of the stores of Wire migrated to the newest version. Ends with 1 where a store is not imported
that should be, or the other way round, where a difference is not told, or where a source changed.
"""

import concurrent.futures
import hashlib
import json
import os
import subprocess
import sys

import stores

# Exit codes: all came along or not all did, and the store fits no version.
IMPORTED, REFUSED = (0, 8), 7


class Check:
    def __init__(self, cambium, dump, corpus, work):
        self.cambium, self.dump, self.work = cambium, dump, work
        self.stores = stores.find(corpus, work)
        self.failures = []

    # Programs

    def import_store(self, store, suffix, *options):
        """Runs the importer: exit code, report, what it printed of errors, and the new store."""
        number = self.stores.index(store)
        target = os.path.join(self.work, "%d-%s.sqlite" % (number, suffix))
        place = [] if suffix == "plan" else ["--to", target]
        if store.declarations:
            place += ["--declarations", store.declarations]
        run = subprocess.run(
            [self.cambium, "import-coredata", store.path, "--model", store.bundle, "--format", "json",
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

    def imported(self, store):
        """Imports a store at the version that wrote it; that of one that was taken by force is named,
        and it must have been refused before."""
        before = self.fingerprint(store)
        # That of Wire is wanted in the newest version too, which says the same as a plan.
        suffix = "newest" if store.is_of_wire else "plan"
        code, plan, errors, target = self.import_store(
            store, suffix, *([] if store.is_of_wire else ["--plan"]))
        newest = (code, plan, errors, target)
        result = {"store": store, "code": code, "report": plan, "errors": errors}
        version, options = (plan or {}).get("writtenBy"), []
        if store.forced:
            if code != REFUSED or not plan.get("nearest") or not plan.get("differences"):
                self.fail(store.name, "was not refused")
            version, options = store.forced, ["--version", store.forced]
        if version:
            code, report, errors, target = self.import_store(store, "same", "--until", version, *options)
            result = {
                "store": store, "code": code, "report": report, "errors": errors,
                "target": target, "version": version, "newest": newest}
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

    @staticmethod
    def verdict(store, report):
        """What became of a store, in words."""
        losses = [
            "%d %s" % (len(report[name]), words) for name, words in (
                ("refusedRows", "rows refused"), ("lostLinks", "links lost"),
                ("missingFiles", "files missing"), ("changedValues", "values others"))
            if report[name]]
        return "imported" + (" by force" if store.forced else "") + "".join(", " + l for l in losses)

    def first_table(self):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(self.imported, self.stores))
        done = [r for r in results if r["code"] in IMPORTED and "target" in r]
        lines = self.dumps([(r["store"].bundle, r["version"], r["target"]) for r in done])
        table = [("store", "model", "version found", "verdict", "rows", "values", "links", "told",
                  "differences")]
        for result in results:
            store, report = result["store"], result["report"] or {}
            row = [store.short_name, store.model]
            if result in done:
                row += [result["version"], self.verdict(store, report)]
                path = lines.get((store.bundle, result["version"], result["target"]))
                row += self.compare(result, path) if path else ["", "", "", "", "not read"]
                if path is None:
                    self.fail(store.name, "the new store cannot be read")
                if store.is_refused:
                    self.fail(store.name, "was imported, and should have been refused")
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
        show("Stores that Core Data wrote, imported at the version that wrote them", table)
        print("%d stores: %d imported, %d of them by force, %d refused" % (
            len(results), count, sum(1 for r in done if r["store"].forced),
            sum(1 for r in results if (r["report"] or {}).get("refused"))))
        return done

    # The second table: migrated

    def second_table(self, done):
        chosen = [r for r in done if r["store"].is_of_wire]
        migrated = [r["newest"] for r in chosen]
        wanted = [
            (r["store"].bundle, report["version"], target)
            for r, (code, report, _, target) in zip(chosen, migrated) if code in IMPORTED]
        lines = self.dumps(wanted)
        table = [("store", "from", "to", "verdict", "rows before", "rows after", "why not all")]
        for result, (code, report, errors, target) in zip(chosen, migrated):
            store = result["store"]
            row = [store.short_name, result["version"]]
            if code not in IMPORTED or report is None:
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
            verdict = "migrated" if code == 0 else "migrated, not whole"
            if migration.get("stoppedAt"):
                verdict = "stopped at " + migration["stoppedAt"]
                self.fail(store.name, "%s: %s" % (verdict, migration.get("reason")))
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
