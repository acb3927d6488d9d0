extension MigrationCommand {
    /// What can be done.
    enum Action: String, CaseIterable {
        case status, plan, apply, verify, rehearse
    }

    /// How the command ends: the same numbers as the tool's.
    enum Ending: Int32 {
        case fine = 0
        case notProven = 1
        case usage = 2
        case file = 4
        case storeIsBehind = 6
        case storeRefused = 7
        case provenWithoutRows = 9
    }

    /// A mistake on the command line; without a message, the wish to see the help.
    struct Usage: Error {
        let message: String
    }

    /// What stands on the command line.
    struct Words {
        let action: Action
        /// The store's path; empty for what needs none.
        let path: String
        let isJSON: Bool
        let drift: DriftPolicy

        init(_ arguments: some Sequence<String>, of command: MigrationCommand) throws(Usage) {
            var words: [String] = []
            var isJSON = false
            var drift = DriftPolicy.refuse
            var rest = Array(arguments)[...]
            while let word = rest.popFirst() {
                switch word {
                case "--help", "-h": throw Usage(message: "")
                case "--json": isJSON = true
                case "--drift":
                    guard let policy = rest.popFirst().flatMap(DriftPolicy.init) else {
                        throw Usage(message: "--drift takes refuse, repair or report.")
                    }
                    drift = policy
                case _ where word.hasPrefix("-"):
                    throw Usage(message: "There is no option '\(word)'.")
                default: words.append(word)
                }
            }
            let all = Action.allCases.map(\.rawValue).joined(separator: ", ")
            guard let first = words.first else {
                throw Usage(message: "Say what to do: \(all).")
            }
            if first == "help" { throw Usage(message: "") }
            guard let action = Action(rawValue: first) else {
                throw Usage(message: "'\(first)' is none of \(all).")
            }
            self.action = action
            self.isJSON = isJSON
            self.drift = drift
            if action == .verify {
                guard words.count == 1 else {
                    throw Usage(message: "'verify' takes no store: it proves the steps.")
                }
                path = ""
                return
            }
            guard words.count <= 2, let path = words.dropFirst().first ?? command.storePath else {
                throw Usage(message: "'\(first)' takes one store file.")
            }
            self.path = path
        }
    }

    /// The help.
    var usage: String {
        let store = storePath == nil ? "STORE" : "[STORE]"
        let lines = [
            ("status \(store) [--json]", "which version the store has"),
            ("plan \(store) [--json]", "what a migration would do"),
            ("apply \(store) [--drift POLICY] [--json]", "migrate it, or leave it as it was"),
            ("rehearse \(store) [--drift POLICY] [--json]", "migrate a copy, and compare"),
            ("verify [--json]", "prove the program's own steps"),
        ]
        let width = lines.map(\.0.count).max() ?? 0
        let start = "Usage: "
        let text = lines.enumerated().map { index, line in
            let indent = index == 0 ? start : String(repeating: " ", count: start.count)
            let space = String(repeating: " ", count: width - line.0.count + 3)
            return "\(indent)\(name) \(line.0)\(space)\(line.1)\n"
        }
        return text.joined() + """
            POLICY is for tables that another program has changed: refuse (default), repair, report.

            """
    }
}
