import Foundation
import Synchronization
import Testing

/// A socket that forwards what goes to a server's, message by message, and cuts connections where a test
/// wants that. It has threads of its own.
final class CutProxy: Sendable {
    struct Message {
        let isToServer: Bool
        /// The type of the message, as the protocol has it.
        let kind: Character
        /// How many came before in this direction, since ``begin(_:)``.
        let number: Int
        /// Whether it wants COMMIT to be run, or says that it was.
        let isOfCommit: Bool
    }

    enum Decision {
        case forward
        /// Closes both ends. The message is lost.
        case cut
        /// Closes the end of the client. The server waits until ``end()``, and never gets the message.
        case hang
    }

    /// The URL that programs connect to.
    let url: String
    private let folder: String
    private let target: String
    private let listener: Int32
    private let state = Mutex(State())

    private struct State {
        var decide: @Sendable (Message) -> Decision = { _ in .forward }
        var sent = 0
        var received = 0
        var isDown = false
        var isStopped = false
        /// Raised by ``end()``.
        var round = 0
    }

    init(to server: PostgresServer) throws {
        let target = try #require(server.url.firstMatch(of: /host=(.*)/)?.1)
        // The name of a socket has at most 107 bytes.
        folder = "/tmp/cut-\(UUID().uuidString.prefix(8))"
        url = server.url.replacing(target, with: folder)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        self.target = "\(target)/.s.PGSQL.5432"
        listener = Self.socket()
        let isListening = Self.withAddress("\(folder)/.s.PGSQL.5432") { address, size in
            bind(listener, address, size) == 0 && listen(listener, 64) == 0
        }
        guard isListening else { throw POSIXError(.ENOTCONN) }
        start { [self] in accept() }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Asks what to do about each message from now on.
    func begin(_ decide: @escaping @Sendable (Message) -> Decision) {
        state.withLock { state in
            (state.decide, state.sent, state.received) = (decide, 0, 0)
        }
    }

    /// Forwards everything from now on, and ends connections that hang.
    func end() {
        state.withLock { state in
            state.decide = { _ in .forward }
            state.isDown = false
            state.round += 1
        }
    }

    /// Lets nobody connect any more.
    func goDown() { state.withLock { $0.isDown = true } }

    // MARK: Sockets

    private static func socket() -> Int32 {
        #if canImport(Darwin)
            own(Darwin.socket(AF_UNIX, SOCK_STREAM, 0))
        #else
            own(Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        #endif
    }

    /// Keeps a socket from programs that another test starts: it would stay open with them.
    private static func own(_ socket: Int32) -> Int32 {
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        return socket
    }

    private static func withAddress<Result>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        return withUnsafePointer(to: &address) { pointer in
            // Safety: an address is known by its first field.
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, size) }
        }
    }

    private func start(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread { body() }
        thread.stackSize = 1 << 19
        thread.start()
    }

    private func accept() {
        while true {
            #if canImport(Darwin)
                let client = Darwin.accept(listener, nil, nil)
            #else
                let client = Glibc.accept(listener, nil, nil)
            #endif
            let (isStopped, isDown) = state.withLock { ($0.isStopped, $0.isDown) }
            if client < 0 || isStopped { return }
            _ = Self.own(client)
            if isDown {
                close(client)
                continue
            }
            start { [self] in serve(client) }
        }
    }

    private func serve(_ client: Int32) {
        let server = Self.socket()
        defer { close(server) }
        let isConnected = Self.withAddress(target) { connect(server, $0, $1) == 0 }
        var connection = Connection(client: client, server: server)
        if isConnected { forward(&connection) }
        connection.closeClient()
    }

    // MARK: Messages

    /// What has come from one side and was not forwarded yet.
    private struct Stream {
        var bytes: [UInt8] = []

        /// The next message; nil where it has not come as a whole.
        mutating func next(hasType: Bool) -> ArraySlice<UInt8>? {
            let start = hasType ? 1 : 0
            guard bytes.count >= start + 4 else { return nil }
            let size = bytes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
            guard bytes.count >= start + size else { return nil }
            defer { bytes.removeFirst(start + size) }
            return bytes[..<(start + size)]
        }
    }

    private struct Connection {
        var client: Int32
        let server: Int32
        var toServer = Stream()
        var toClient = Stream()
        var hasBegun = false
        /// The names of statements that run COMMIT.
        var commits: Set<[UInt8]> = []

        mutating func closeClient() {
            if client >= 0 { close(client) }
            client = -1
        }

        /// Whether a message of the client's binds a statement that runs COMMIT.
        mutating func isOfCommit(_ message: ArraySlice<UInt8>) -> Bool {
            let parts = message.dropFirst(5)
                .split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return false }
            switch message.first {
            case UInt8(ascii: "P"):
                // Name, text, types.
                if parts[1].elementsEqual("COMMIT".utf8) { commits.insert([UInt8](parts[0])) }
                return false
            case UInt8(ascii: "B"): return commits.contains([UInt8](parts[1]))
            default: return false
            }
        }
    }

    private func forward(_ connection: inout Connection) {
        while true {
            var polled = [
                pollfd(fd: connection.client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: connection.server, events: Int16(POLLIN), revents: 0),
            ]
            poll(&polled, 2, 1_000)
            if state.withLock({ $0.isStopped }) { return }
            for index in 0..<2 where polled[index].revents != 0 {
                var buffer = [UInt8](repeating: 0, count: 1 << 16)
                let count = read(polled[index].fd, &buffer, buffer.count)
                guard count > 0 else { return }
                if index == 0 {
                    connection.toServer.bytes += buffer[..<count]
                } else {
                    connection.toClient.bytes += buffer[..<count]
                }
            }
            guard forwardMessages(&connection) else { return }
        }
    }

    /// - Returns: Whether the connection lives on.
    private func forwardMessages(_ connection: inout Connection) -> Bool {
        while let message = connection.toServer.next(hasType: connection.hasBegun) {
            guard connection.hasBegun else {
                connection.hasBegun = true
                guard Self.write(message, to: connection.server) else { return false }
                continue
            }
            let isOfCommit = connection.isOfCommit(message)
            switch decision(message, isToServer: true, isOfCommit: isOfCommit) {
            case .forward:
                guard Self.write(message, to: connection.server) else { return false }
            case .cut: return false
            case .hang:
                connection.closeClient()
                let round = state.withLock { $0.round }
                while state.withLock({ $0.round == round && !$0.isStopped }) {
                    Thread.sleep(forTimeInterval: 0.005)
                }
                return false
            }
        }
        while let message = connection.toClient.next(hasType: true) {
            let isOfCommit =
                message.first == UInt8(ascii: "C")
                && message.dropFirst(5).dropLast().elementsEqual("COMMIT".utf8)
            guard decision(message, isToServer: false, isOfCommit: isOfCommit) == .forward,
                Self.write(message, to: connection.client)
            else { return false }
        }
        return true
    }

    private func decision(
        _ message: ArraySlice<UInt8>, isToServer: Bool, isOfCommit: Bool
    ) -> Decision {
        let (decide, number) = state.withLock { state in
            defer { if isToServer { state.sent += 1 } else { state.received += 1 } }
            return (state.decide, isToServer ? state.sent : state.received)
        }
        return decide(
            Message(
                isToServer: isToServer, kind: Character(UnicodeScalar(message.first ?? 0)),
                number: number, isOfCommit: isOfCommit))
    }

    private static func write(_ message: ArraySlice<UInt8>, to socket: Int32) -> Bool {
        var rest = message
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                #if canImport(Darwin)
                    send(socket, bytes.baseAddress, bytes.count, 0)
                #else
                    send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
                #endif
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

/// Says once that something is to happen.
final class Once: Sendable {
    private let isDone = Mutex(false)
    var isOver: Bool { isDone.withLock { $0 } }

    func take() -> Bool {
        isDone.withLock { isDone in
            defer { isDone = true }
            return !isDone
        }
    }
}
