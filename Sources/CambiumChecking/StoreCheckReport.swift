import CambiumEngine
import CambiumMaintenance
import CambiumModel

/// The findings and repairs of a check of a store.
///
/// ## Topics
///
/// ### Findings
///
/// - ``isClean``
/// - ``groups``
/// - ``Group``
///
/// ### Repairs
///
/// - ``repairs``
/// - ``remaining``
///
/// ### Store
///
/// - ``store``
/// - ``model``
/// - ``version``
/// - ``objectCount``
public struct StoreCheckReport: Sendable {
    /// Findings of one kind.
    public struct Group: Sendable {
        /// The kind of the findings.
        public let kind: StoreFinding.Kind
        /// The number of findings.
        public let count: Int
        /// The first ones, up to the limit of the check.
        public let findings: [StoreFinding]
    }

    /// The store: a path, or a URL without a password.
    public let store: String
    /// The name of the model.
    public let model: String
    /// The version of the model that the store is of.
    public let version: String
    /// The number of objects in the store.
    public let objectCount: Int
    /// The findings, by kind; empty if there are none.
    public let groups: [Group]
    /// The repairs; empty if nothing was repaired.
    public let repairs: [StoreRepair]

    /// Whether there are no findings, or all findings were repaired.
    public var isClean: Bool { remaining == 0 }

    /// The number of findings that were not repaired.
    public var remaining: Int {
        groups.reduce(0) { $0 + (isRepaired($1.kind) ? 0 : $1.count) }
    }

    private func isRepaired(_ kind: StoreFinding.Kind) -> Bool {
        repairs.contains { $0.kind == kind }
    }

    package init(
        store: String, model: Model, _ result: StoreCheckResult, repairs: [StoreRepair] = []
    ) {
        self.store = store
        self.model = model.name
        version = model.version
        objectCount = result.objectCount
        groups = result.findings.map {
            Group(kind: $0.kind, count: $0.count, findings: $0.findings)
        }
        self.repairs = repairs
    }
}

extension StoreCheckReport: MigrationReport {
    package var members: ReportValue {
        .object([
            "store": .text(store), "model": .text(model), "version": .text(version),
            "objects": .number(objectCount), "clean": .flag(isClean),
            "problems": .list(groups.map(members)), "repairs": .list(repairs.map(members)),
        ])
    }

    private func members(_ group: Group) -> ReportValue {
        .object([
            "kind": .text(group.kind.rawValue), "count": .number(group.count),
            "repaired": .flag(isRepaired(group.kind)), "remedy": .text(group.kind.remedy),
            "findings": .list(
                group.findings.map { finding in
                    .object([
                        "entity": .text(finding.entityName),
                        "key": .number(finding.key.map { Int($0) }),
                        "property": .text(finding.property), "message": .text(finding.message),
                    ])
                }),
        ])
    }

    private func members(_ repair: StoreRepair) -> ReportValue {
        .object([
            "kind": .text(repair.kind.rawValue), "entity": .text(repair.entityName),
            "property": .text(repair.property), "count": .number(repair.count),
        ])
    }

    package var text: String {
        let objects = "\(objectCount.counted("object")) of \(model), version \(version)"
        guard !groups.isEmpty else { return "\(store): \(objects): no problems found\n" }
        var text = "\(store): \(objects)\n"
        for group in groups {
            text += "\n\(group.kind.rawValue): \(group.count)\n"
            for finding in group.findings { text += "  \(finding)\n" }
            let others = group.count - group.findings.count
            if others > 0 { text += "  and \(others) more\n" }
            text += isRepaired(group.kind) ? "" : "  \(group.kind.remedy)\n"
        }
        for (index, repair) in repairs.enumerated() {
            if index == 0 { text += "\nRepaired:\n" }
            text += "  \(Self.words(repair))\n"
        }
        text += "\n" + (isClean ? "All problems are repaired" : remaining.counted("problem")) + "\n"
        return text
    }

    private static func words(_ repair: StoreRepair) -> String {
        let place = [repair.entityName, repair.property].compactMap(\.self).joined(separator: ".")
        return switch repair.kind {
        case .staleValue: "\(place): \(repair.count.counted("value")) computed"
        case .keyCounter: "\(place): the next key raised"
        case .unreferencedExternalData:
            "\(repair.count.counted("unreferenced large value")) removed"
        default: "\(place): \(repair.kind.rawValue)"
        }
    }
}
