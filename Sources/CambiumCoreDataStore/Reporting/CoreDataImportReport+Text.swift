extension CoreDataImportReport {
    /// The report for people: the imported data, and the first items of each kind that were not
    /// imported.
    public var text: String {
        var lines = [header]
        if !alsoFits.isEmpty {
            lines.append(
                "These versions can have written it too: \(alsoFits.joined(separator: ", ")) "
                    + "(--version takes one)")
        }
        if let choice { lines.append("It is imported as '\(writtenBy)': \(choice)") }
        add("Remarks:", remarks, to: &lines)
        add("Differences from the version that was named:", differences, to: &lines)
        add("Under former names:", formerNames, to: &lines)
        add("Rows:", entities.filter { $0.read > 0 }.map(\.line), to: &lines, isFull: true)
        add("Links:", linkLines, to: &lines, isFull: true)
        add(
            "Refused rows:",
            refusedRows.map { row in
                "\(row.entity) \(row.id)\(row.property.map { ".\($0)" } ?? ""): \(row.reason)"
            }, to: &lines)
        add(
            "Lost links:",
            lostLinks.map { link in
                "\(link.entity) \(link.id).\(link.relationship)"
                    + (link.target.map { " → \($0)" } ?? "") + ": \(link.reason)"
            }, to: &lines)
        add(
            "Changed values:",
            changedValues.map { "\($0.entity) \($0.id).\($0.property): \($0.reason)" }, to: &lines)
        add(
            "Imported although invalid (changes of such an object cannot be saved before it is valid):",
            invalidObjects.map { "\($0.entity) \($0.id).\($0.property): \($0.reason)" }, to: &lines)
        add(
            "Missing files:",
            missingFiles.map { "\($0.entity) \($0.id).\($0.property): \($0.file)" }, to: &lines)
        add("Not imported:", omittedLines, to: &lines)
        if let migration { lines += migration.lines }
        lines.append(footer)
        return lines.joined(separator: "\n") + "\n"
    }

    private var header: String {
        let evidence =
            switch VersionEvidence(rawValue: foundBy) {
            case .hashes: "its hashes are those of the store"
            case .identifier: "its identifier names the version, and its tables fit"
            case .structure: "its tables fit"
            case .forced, nil: "as requested"
            }
        return "\(store) was written by version '\(writtenBy)' of \(model): \(evidence)"
    }

    private var footer: String {
        let contents = "\(objects) object\(objects == 1 ? "" : "s") and version '\(version)'"
        let start =
            destination.map { "\($0) has \(contents)" }
            ?? "Nothing was written. A store with \(contents) would be"
        let (isPlan, remark) = (destination == nil, versionRemark)
        let imported = isPlan ? "would be imported" : "was imported"
        guard hasAllData else { return "\(start): not all data \(imported), see above\(remark)" }
        guard migration?.losesNothing == false else {
            return "\(start): all data \(imported)\(remark)"
        }
        return "\(start): all data \(imported) into '\(writtenBy)', and the later versions "
            + (isPlan ? "would drop" : "dropped") + " some of it, see above\(remark)"
    }

    private var versionRemark: String {
        migration?.stoppedAt == nil ? "" : ", but the version is not the requested one, see above"
    }

    /// Both sides of a relationship in one line, as their links are the same.
    private var linkLines: [String] {
        let lines = relationships.filter { $0.read > 0 }
        return lines.enumerated().compactMap { index, count in
            let isListed = lines[..<index].contains {
                $0.inverse == "\(count.entity).\(count.relationship)"
                    && count.inverse == "\($0.entity).\($0.relationship)" && $0.read == count.read
                    && $0.written == count.written
            }
            return isListed ? nil : count.line
        }
    }

    /// Bookkeeping is listed last, each kind in one line.
    private var omittedLines: [String] {
        let lost = omittedParts.filter { !$0.isBookkeeping }
        var kinds: [(reason: String, names: [String])] = []
        for part in omittedParts where part.isBookkeeping {
            if let index = kinds.firstIndex(where: { $0.reason == part.reason }) {
                kinds[index].names.append(part.label)
            } else {
                kinds.append((part.reason, [part.label]))
            }
        }
        return lost.map { "\($0.label): \($0.reason)" }
            + kinds.map { "\($0.names.joined(separator: ", ")): \($0.reason)" }
    }

    private static let shownLines = 20

    private func add(
        _ title: String, _ entries: [String], to lines: inout [String], isFull: Bool = false
    ) {
        guard !entries.isEmpty else { return }
        lines.append(title)
        let shown = isFull ? entries[...] : entries.prefix(Self.shownLines)
        lines += shown.map { "  \($0)" }
        let more = entries.count - shown.count
        if more > 0 { lines.append("  … and \(more) more (--format json has all)") }
    }
}

extension CoreDataImportReport.OmittedPart {
    fileprivate var label: String { name + (rows.map { " (\($0))" } ?? "") }
}

extension CoreDataImportReport.EntityCount {
    fileprivate var line: String {
        "\(entity): \(written)" + (written == read ? "" : " of \(read), \(refused) refused")
    }
}

extension CoreDataImportReport.RelationshipCount {
    fileprivate var line: String {
        "\(entity).\(relationship)\(inverse.map { " ↔ \($0)" } ?? ""): \(written)"
            + (written == read ? "" : " of \(read)")
    }
}

extension CoreDataImportReport.MigrationCount {
    private static let shownKeys = 20

    /// Whether all copied data still exists.
    fileprivate var losesNothing: Bool { losses.isEmpty && objects.isEmpty && links.isEmpty }

    fileprivate var lines: [String] {
        var lines = [
            versions.isEmpty
                ? "Not migrated"
                : "Migrated from version '\(from)' to '\(to)' in \(versions.count) "
                    + "step\(versions.count == 1 ? "" : "s")"
        ]
        lines += losses.map { "  lost in the migration: \($0)" }
        lines += objects.map { taken in
            let keys = taken.ids.prefix(Self.shownKeys).map(String.init).joined(separator: ", ")
            return "  deleted by '\(taken.version)': \(taken.count) \(taken.entity) (\(keys)"
                + (taken.ids.count > Self.shownKeys ? ", …)" : ")")
        }
        lines += links.map {
            "  deleted by '\($0.version)': \($0.count) link\($0.count == 1 ? "" : "s") of "
                + "\($0.entity).\($0.relationship)"
        }
        if let stoppedAt {
            lines.append("Stopped at '\(stoppedAt)': \(reason ?? "no migration starts from it")")
        }
        return lines
    }
}
