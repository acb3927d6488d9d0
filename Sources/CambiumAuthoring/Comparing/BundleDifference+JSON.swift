import CambiumCompiler
import CambiumSQL

extension BundleDifference {
    /// `{"format": 1, "model", "steps": [{"from", "to", "class", "losesData", "hasShipped",
    /// "changes": [{"of", "property", "change", "summary", "before", "after", "class", "losesData", "isUndecided",
    /// "reason", "tables"}], "tables": [{"name", "effect", "causes", "madeIndexes",
    /// "droppedIndexes"}], "obstacles": [{"message", "fixes"}], "findings": [{"code", "message",
    /// "path", "line", "column", "notes"}]}]}`.
    ///
    /// `class` is `additive`, `reversible`, `lossy`, `destructive`, `needsData` or `needsCode`, and
    /// of a change that only the program sees `program`; that of a step is the gravest of its
    /// changes, and `needsCode` where it has shipped and has obstacles. `effect` is `constant`, `scan`,
    /// `update`, `rebuild`, `new` or `dropped`. `property`, `before`, `after` and `reason` are missing
    /// where there is none; the words of `before` and `after` are for people. `hasShipped` is true
    /// for a version that is frozen, and for all versions of Xcode's but the current one. Members,
    /// and words for changes, may be added; `format` changes when any is removed or changes its
    /// meaning.
    func json(relativeTo folder: String?) -> String {
        let json: JSONValue = [
            "format": .number(1), "model": .string(name),
            "steps": .array(steps.map { Self.value(of: $0, relativeTo: folder) }),
        ]
        return json.text
    }

    private static func value(
        of step: VersionChanges, relativeTo folder: String?
    ) -> JSONValue {
        [
            "from": .string(step.from), "to": .string(step.to),
            "class": .string(step.kind.rawValue), "losesData": .bool(step.losesData),
            "hasShipped": .bool(step.hasShipped || step.isFrozen),
            "changes": .array(
                step.subjects.flatMap(\.changes).map { change in
                    value(of: change, tables: change.tables.map { step.tables[$0].table })
                }),
            "tables": .array(step.tables.map(value)),
            "obstacles": .array(
                step.obstacles.map {
                    ["message": .string($0.message), "fixes": .strings($0.fixes)]
                }),
            "findings": .array(step.findings.map { value(of: $0, relativeTo: folder) }),
        ]
    }

    private static func value(of change: VersionChanges.Change, tables: [String]) -> JSONValue {
        [
            "of": .string(change.subject), "property": change.property.map(JSONValue.string),
            "change": .string(change.word), "summary": .string(change.summary),
            "before": change.before.map(JSONValue.string),
            "after": change.after.map(JSONValue.string),
            "class": .string(change.kind?.rawValue ?? "program"),
            "losesData": .bool(change.losesData), "isUndecided": .bool(change.isUndecided),
            "reason": change.reason.map(JSONValue.string), "tables": .strings(tables),
        ]
    }

    private static func value(of table: TableWork) -> JSONValue {
        [
            "name": .string(table.table), "effect": .string(table.effect.rawValue),
            "causes": .strings(table.causes), "madeIndexes": .strings(table.madeIndexes),
            "droppedIndexes": .strings(table.droppedIndexes),
        ]
    }

    private static func value(
        of finding: Diagnostic, relativeTo folder: String?
    ) -> JSONValue {
        let report = DiagnosticReport([finding], relativeTo: folder)
        return [
            "code": .string(finding.code.name), "message": .string(finding.message),
            "path": .string(report.path(finding.position)),
            "line": .number(finding.position.line), "column": .number(finding.position.column),
            "notes": .strings(finding.notes),
        ]
    }
}
