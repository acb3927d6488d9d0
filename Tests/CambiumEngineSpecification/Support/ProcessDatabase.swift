import Foundation
import Synchronization
import Testing

/// A database of this process's own on a server, which is made when it is first asked for and dropped
/// when the process ends: what tests leave in it is gone then.
final class ProcessDatabase: Sendable {
    private static let made = Mutex<[ProcessDatabase]>([])
    private static let prefix = "cambium_tests_"
    private static let name = "\(prefix)\(ProcessInfo.processInfo.processIdentifier)"
    private let server: String
    private let isMade = Mutex(false)

    /// - Parameter url: The URL of another database of the server.
    init(beside url: String) { server = url }

    /// The URL of the database, which exists from now on.
    var url: String {
        isMade.withLock { isMade in
            if !isMade { make() }
            isMade = true
        }
        // A parameter overrides the name in the path.
        return "\(server)\(server.contains("?") ? "&" : "?")dbname=\(Self.name)"
    }

    private func make() {
        dropLeftDatabases()
        if let failure = EngineEntry.run("CREATE DATABASE \(Self.name)", at: server) {
            Issue.record("\(failure)")
        }
        let isFirst = Self.made.withLock { made in
            made.append(self)
            return made.count == 1
        }
        if isFirst {
            atexit {
                for database in ProcessDatabase.made.withLock({ $0 }) { database.drop() }
            }
        }
    }

    private func drop() {
        EngineEntry.run("DROP DATABASE \(Self.name) WITH (FORCE)", at: server)
    }

    /// Drops what processes have left that crashed. One that somebody uses stays: that may be a process
    /// of another machine.
    private func dropLeftDatabases() {
        let names = "SELECT datname FROM pg_database WHERE starts_with(datname, '\(Self.prefix)')"
        let found = (try? EngineEntry.rows(names, at: server)) ?? []
        for case .text(let name)? in found.map(\.first) {
            guard let process = Int32(name.dropFirst(Self.prefix.count)) else { continue }
            if name == Self.name || (kill(process, 0) == -1 && errno == ESRCH) {
                EngineEntry.run("DROP DATABASE \"\(name)\"", at: server)
            }
        }
    }
}
