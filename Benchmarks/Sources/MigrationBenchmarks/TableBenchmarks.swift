import Foundation

/// Changes of one large table.
struct TableBenchmarks {
    let tool: Tool
    let rows: Int
    let rounds: Int

    /// The change of the second version of the table.
    private enum Change: String, CaseIterable {
        case column = "a column without a check is added"
        case checkedColumn = "a column with checks of its own is added"
        case ruledColumn = "a column and a rule over it and an older one are added"
        case changedCheck = "a check is changed"
        case rebuild = "a type is changed: the table is made anew"

        var attributes: String {
            let age = "<attribute name=\"age\" type=\"int32\"/>"
            return switch self {
            case .column: age + "<attribute name=\"more\" type=\"string\" optional=\"true\"/>"
            case .checkedColumn:
                age + "<attribute name=\"rank\" type=\"int64\" default=\"1\" min=\"0\" max=\"9\"/>"
            case .ruledColumn:
                age + "<attribute name=\"rank\" type=\"int64\" default=\"1\" min=\"0\"/>"
                    + "<rule name=\"ranked\">rank &lt;= age + 1000</rule>"
            case .changedCheck: "<attribute name=\"age\" type=\"int32\" max=\"200\"/>"
            case .rebuild: "<attribute name=\"age\" type=\"string\"/>"
            }
        }
    }

    func run() throws {
        print("\(rows) rows, \(rounds) rounds")
        let small = try store(rows: rows / 10)
        let large = try store(rows: rows)
        let scan = try median(
            (0..<rounds).map { _ in
                try HandDatabase(large).execute(
                    "SELECT count(*) FROM \"Item\" WHERE NOT (\"age\" <= 200)")
            })
        report("one scan by hand", scan)
        // SQLite runs the same check itself if ALTER TABLE adds a column with a check.
        let check = try median(
            (0..<rounds).map { _ in
                try HandDatabase(large).execute("PRAGMA quick_check(\"Item\")")
            })
        report("one PRAGMA quick_check of the table by hand", check)
        for change in Change.allCases {
            let model = try bundle(change)
            let time = try measure(model, on: large)
            switch change {
            case .column, .checkedColumn:
                let fewer = try measure(model, on: small)
                report("\(change.rawValue), a tenth of the rows", fewer)
                report(change.rawValue, time, "goal: the same")
            case .changedCheck, .ruledColumn:
                report(
                    change.rawValue, time,
                    String(format: "%.2f scans, goal: one", time / scan))
            case .rebuild:
                let hand = try measureByHand(model, on: large)
                report("the same INSERT … SELECT by hand", hand)
                report(
                    change.rawValue, time,
                    String(format: "%.2f times that, goal: ≤ 1.3", time / hand))
            }
        }
    }

    private func bundle(_ change: Change) throws -> String {
        let path = "\(tool.folder)/\(change)/Rows.cambium"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
        let attributes = ["<attribute name=\"age\" type=\"int32\"/>", change.attributes]
        for (index, own) in attributes.enumerated() {
            let text = """
                <model xmlns="urn:cambium:model:1" name="Rows" version="\(index + 1)">
                  <entity name="Item">
                    <attribute name="name" type="string"/>
                    <attribute name="email" type="string"/>
                    <attribute name="salary" type="double"/>
                    <attribute name="isActive" type="bool"/>
                    <attribute name="hiredAt" type="date"/>
                    <attribute name="note" type="string" optional="true"/>
                    \(own)
                  </entity>
                </model>
                """
            try text.write(toFile: "\(path)/\(index + 1).xml", atomically: true, encoding: .utf8)
        }
        return path
    }

    /// A store of the first version, the same for all changes.
    private func store(rows: Int) throws -> String {
        let model = try bundle(.column)
        let store = try tool.makeStore("rows-\(rows)", ["--model", model, "--to", "1"])
        try HandDatabase(store).fill("Item", rows: rows)
        return store
    }

    private func measure(_ model: String, on store: String) throws -> Double {
        try median(
            (0..<rounds).map { _ in
                let copy = try Self.copy(store)
                defer { Self.remove(copy) }
                return try tool.migrate(copy, ["--model", model])
            })
    }

    /// Measures the statements that create and fill the new table, and the commit, without any
    /// other work.
    private func measureByHand(_ model: String, on store: String) throws -> Double {
        let output = try tool.run(["sql", model, "--from", "1", "--to", "2"]).output
        let statements = String(decoding: output, as: UTF8.self)
            .split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n")
            .components(separatedBy: ";\n").map {
                $0.trimmingCharacters(in: .whitespacesAndNewlines)
            }
        let copying = statements.filter {
            $0.hasPrefix("CREATE TABLE") || $0.hasPrefix("INSERT INTO") && $0.contains("FROM")
        }
        guard copying.count >= 2 else { throw BenchmarkError("The table is not made anew") }
        let sql = "BEGIN; \(copying.joined(separator: "; ")); COMMIT"
        return try median(
            (0..<rounds).map { _ in
                let copy = try Self.copy(store)
                defer { Self.remove(copy) }
                return try HandDatabase(copy).execute(sql)
            })
    }

    private static func copy(_ store: String) throws -> String {
        let copy = store + ".copy"
        remove(copy)
        try FileManager.default.copyItem(atPath: store, toPath: copy)
        // Otherwise the commit would also wait until the copy is on the disk.
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: copy))
        try file.synchronize()
        try file.close()
        return copy
    }

    private static func remove(_ store: String) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            try? FileManager.default.removeItem(atPath: store + suffix)
        }
    }
}
