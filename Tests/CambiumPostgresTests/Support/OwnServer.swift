import Foundation

/// A server that only one test uses, to stop, start and change it.
final class OwnServer: Sendable {
    /// Whether there is one: its programs are Debian's.
    static let isAvailable = FileManager.default.isExecutableFile(atPath: "\(programs)/pg_ctl")
    private static let programs = "/usr/lib/postgresql/15/bin"

    let url: String
    private let checkout: URL
    private let folder: String
    private var data: String { "\(folder)/data" }

    init() throws {
        // The script keeps what it has started in the folder beside its own.
        checkout = FileManager.default.temporaryDirectory
            .appending(path: "own-server-\(UUID().uuidString)")
        let scripts = checkout.appending(path: "Scripts")
        try FileManager.default.createDirectory(at: scripts, withIntermediateDirectories: true)
        let script = URL(filePath: #filePath)
            .appending(path: "../../../../Scripts/postgres.sh").standardized
        try FileManager.default.copyItem(at: script, to: scripts.appending(path: "postgres.sh"))
        url = try Self.run("sh", [scripts.appending(path: "postgres.sh").path, "start"])
        folder = url.components(separatedBy: "host=").last ?? ""
    }

    deinit {
        _ = try? Self.run(
            "sh", [checkout.appending(path: "Scripts/postgres.sh").path, "stop", "--version", "15"])
        try? FileManager.default.removeItem(at: checkout)
    }

    /// Stops the server as if it had crashed.
    func stop() throws { try control("stop", "--mode=immediate") }

    /// Stops it in order.
    func shutDown() throws { try control("stop", "--mode=fast") }

    /// - Parameter settings: Such as `max_connections=4`.
    func start(_ settings: [String] = []) throws {
        let options =
            (["unix_socket_directories=\(folder)", "listen_addresses=", "fsync=off"] + settings)
            .map { "-c \($0)" }.joined(separator: " ")
        try control("start", "--log=\(folder)/log", "--options=\(options)")
    }

    func reload() throws { try control("reload") }

    /// Makes a standby of it at the next start, or ends that.
    func setStandby(_ isStandby: Bool) throws {
        let path = "\(data)/standby.signal"
        if isStandby {
            try Data().write(to: URL(filePath: path))
        } else {
            try FileManager.default.removeItem(atPath: path)
        }
    }

    /// Who may connect, and how.
    func setAccess(_ lines: String) throws {
        let file = try FileHandle(forWritingTo: URL(filePath: "\(data)/pg_hba.conf"))
        try file.truncate(atOffset: 0)
        try file.write(contentsOf: Data((lines + "\n").utf8))
        try file.close()
        try reload()
    }

    private func control(_ command: String, _ arguments: String...) throws {
        // The server refuses to run as root.
        let asUser = """
            if [ "$(id -u)" -eq 0 ]; then \
            exec setpriv --reuid=nobody --regid=nogroup --clear-groups -- "$@"; fi; exec "$@"
            """
        _ = try Self.run(
            "sh",
            ["-c", asUser, "sh", "\(Self.programs)/pg_ctl", command, "--pgdata=\(data)", "--wait"]
                + arguments)
    }

    private struct Failure: Error, CustomStringConvertible { let description: String }

    /// Runs a program, and returns what it prints. Foundation's `Process` waits for a server that the
    /// program has started, too.
    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        let output = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: output) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output.path, O_WRONLY | O_CREAT, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        let variables =
            ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + variables { free(text) } }
        var process: pid_t = 0
        var status: Int32 = -1
        guard posix_spawnp(&process, program, &actions, nil, words, variables) == 0,
            waitpid(process, &status, 0) == process, status == 0
        else { throw Failure(description: "\(program) \(arguments): status \(status)") }
        return try String(contentsOf: output, encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
