import CambiumEngineSpecification
import CambiumPostgres
import CambiumRecords
import EverythingModel
import Foundation
import Testing

@testable import CambiumPostgresStore

/// Rows that are read while the server is sending them.
struct StreamingTests {
    private struct Stop: Error {}

    /// So many rows need more than one message of the network.
    private static let many = PostgresStatement("SELECT generate_series(1, 20000)::bigint AS n")
    /// More than a test waits for.
    private static let endless = PostgresStatement("SELECT generate_series(1, 10000000000) AS n")

    private func numbers(
        _ statement: PostgresStatement, _ connection: PostgresConnection
    ) throws -> [Int64] {
        var numbers: [Int64] = []
        try connection.stream(statement, interruption: nil) { bytes in
            var row = try #require(CopiedRow(bytes))
            numbers.append(row.next()?.wholeNumber ?? 0)
            #expect(row.isAtEnd)
        }
        return numbers
    }

    @Test(arguments: PostgresServer.some())
    func `all rows come in one round trip, in their order`(_ server: PostgresServer) throws {
        let connection = try server.connect()
        #expect(connection.streams(Self.many))
        #expect(try numbers(Self.many, connection) == Array(1...20_000))
        #expect(connection.roundTrips == 1)
        #expect(connection.isUsable)
        #expect(try numbers(PostgresStatement("SELECT 1 WHERE false"), connection) == [])
        #expect(try connection.run("SELECT 7::bigint").integer(0, 0) == 7)
    }

    @Test(arguments: PostgresServer.some())
    func `a statement that has returned few rows is prepared the next time`(
        _ server: PostgresServer
    ) throws {
        let connection = try server.connect()
        let few = PostgresStatement("SELECT 1::bigint")
        #expect(connection.streams(few))
        _ = try numbers(few, connection)
        #expect(!connection.streams(few))
        connection.note(5_000, of: few)
        #expect(connection.streams(few))
        _ = try numbers(Self.many, connection)
        #expect(connection.streams(Self.many))
        // Without parameters, and where nothing has to be set before.
        var parameters = PostgresParameters()
        parameters.append(1)
        #expect(!connection.streams(PostgresStatement("SELECT $1", parameters)))
        connection.setup.settings = TransactionSettings(["app.tenant": "1"])
        #expect(!connection.streams(Self.many))
    }

    @Test(arguments: PostgresServer.some())
    func `an error behind many rows is thrown, and the connection stays usable`(
        _ server: PostgresServer
    ) throws {
        let connection = try server.connect()
        let sql = "SELECT 1 / (15000 - n) FROM generate_series(1, 20000) AS n"
        let error = #expect(throws: PostgresError.self) {
            try numbers(PostgresStatement(sql), connection)
        }
        #expect(error?.state == "22012")
        #expect(error?.sql == sql)
        #expect(connection.isUsable)
        let unknown = #expect(throws: PostgresError.self) {
            try numbers(PostgresStatement("SELECT unknown"), connection)
        }
        #expect(unknown?.state == "42703")
        #expect(try numbers(Self.many, connection).count == 20_000)
    }

    @Test(arguments: PostgresServer.some())
    func `who cannot read a row leaves the connection and its transaction usable`(
        _ server: PostgresServer
    ) throws {
        let connection = try server.connect()
        _ = try connection.run([PostgresConnection.begin(isReadOnly: true)])
        var count = 0
        #expect(throws: Stop.self) {
            try connection.stream(Self.many, interruption: nil) { _ in
                count += 1
                if count == 100 { throw Stop() }
            }
        }
        #expect(count == 100)
        #expect(try connection.run("SELECT 7::bigint").integer(0, 0) == 7)
        _ = try connection.run("COMMIT")
        #expect(connection.isUsable)
    }

    @Test(arguments: PostgresServer.some())
    func `rows end where their end is requested, or the time is over`(
        _ server: PostgresServer
    ) throws {
        let connection = try server.connect()
        let interruption = Interruption()
        let cancelled = #expect(throws: PostgresError.self) {
            try connection.stream(Self.endless, interruption: interruption) { _ in
                interruption.request()
            }
        }
        #expect(cancelled?.state == PostgresError.cancelled)
        #expect(cancelled?.isOverdue == false)
        connection.setup.statementTimeout = .milliseconds(200)
        let overdue = #expect(throws: PostgresError.self) {
            try connection.stream(Self.endless, interruption: nil) { _ in }
        }
        #expect(overdue?.failure == .statementTimeout)
        #expect(connection.isUsable)
        // In a transaction the server looks at the time.
        _ = try connection.run([PostgresConnection.begin(isReadOnly: true)])
        let ended = #expect(throws: PostgresError.self) {
            try connection.stream(Self.endless, interruption: nil) { _ in }
        }
        #expect(ended?.failure == .statementTimeout)
        _ = try connection.run("ROLLBACK")
        connection.setup.statementTimeout = nil
        #expect(try numbers(Self.many, connection).count == 20_000)
    }

    @Test(arguments: PostgresServer.some())
    func `a server that ends the connection says why`(_ server: PostgresServer) throws {
        let connection = try server.connect()
        let other = try server.connect()
        let process = try connection.run("SELECT pg_backend_pid()::bigint").integer(0, 0)
        var isEnding = false
        let error = #expect(throws: PostgresError.self) {
            try connection.stream(Self.endless, interruption: nil) { _ in
                if isEnding { return }
                isEnding = true
                _ = try other.run("SELECT pg_terminate_backend(\(process))")
            }
        }
        #expect(error?.isOfLostConnection == true)
        #expect(!connection.isUsable)
    }

    // MARK: Objects

    /// A container with so many objects of an entity and of a family.
    private func container(_ url: String, _ count: Int) throws -> PersistentContainer {
        let container = try PersistentContainer(
            model: Everything.model, at: .postgres(url, schema: PostgresServer.newSchema))
        let context = container.newContext()
        for number in 0..<count {
            let sample = Sample(in: context, long: Int64(number))
            sample.text = String(repeating: "e\u{301}", count: number % 90)
            sample.maybeText = number % 2 == 0 ? nil : ""
            sample.maybeLong = number % 3 == 0 ? .min : nil
            sample.bytes = number % 4 == 0 ? nil : Data(repeating: 7, count: number % 400)
            sample.amount = Decimal(number - 600) / 100
            sample.double = Double(number) / 3
            sample.flag = number % 2 == 0
            sample.moment = Date(timeIntervalSinceReferenceDate: Double(number) * 86_400)
            if number % 3 == 0 {
                Person(in: context, name: "person \(number)").age = Int16(number % 150)
            } else {
                _ = Robot(in: context, name: "robot \(number)", serial: "\(number)")
            }
        }
        try context.save()
        return container
    }

    private func values(_ samples: [Sample]) -> [String] {
        samples.map { sample in
            "\(sample.long) \(sample.text) \(sample.maybeText ?? "-") \(sample.maybeLong ?? 0) "
                + "\(sample.bytes.map { "\($0.count)" } ?? "-") \(sample.amount) \(sample.double) "
                + "\(sample.flag) \(sample.moment) \(sample.token)"
        }
    }

    private func names(_ beings: [Being]) -> [String] {
        beings.map { being in
            "\(being.name) \((being as? Person)?.age ?? -1) \((being as? Robot)?.serial ?? "-")"
        }
    }

    /// Those of a condition have a parameter, so they come in a result.
    @Test(arguments: PostgresServer.some(), [3, 1_500])
    func `objects have the values that they have in a result`(
        _ server: PostgresServer, _ count: Int
    ) throws {
        let container = try container(server.url, count)
        let (one, other) = (container.newContext(), container.newContext())
        let streamed = try one.fetch(Sample.fetchRequest())
        let inResult = try other.fetch(Sample.fetchRequest().filter(Sample.long >= 0))
        #expect(streamed.count == count)
        #expect(values(streamed) == values(inResult))
        let beings = try one.fetch(Being.fetchRequest())
        #expect(
            try names(beings) == names(other.fetch(Being.fetchRequest().filter(Being.name != "-"))))
        #expect(beings.count == count)
        let descending = try one.fetch(Sample.fetchRequest().sorted(by: Sample.long.descending))
        #expect(descending.map(\.long) == (0..<Int64(count)).reversed())
        // Those are known to the context, and are the same objects.
        #expect(try one.fetch(Sample.fetchRequest()) == streamed)
    }

    @Test(arguments: PostgresServer.some())
    func `a fetch whose connection is lost among its rows finds each object once`(
        _ server: PostgresServer
    ) throws {
        let proxy = try CutProxy(to: server)
        defer { proxy.stop() }
        let container = try container(proxy.url, 1_500)
        let context = container.newContext()
        // One of the messages with rows is lost, and the connection with it.
        let cut = proxy.cut { !$0.isToServer && $0.kind == "d" && $0.number > 1_000 }
        #expect(try context.fetch(Sample.fetchRequest()).count == 1_500)
        #expect(cut.isOver)
        #expect(context.registeredObjects.count == 1_500)
    }

    // MARK: Bytes

    @Test func `no bytes of a row are read behind its end`() {
        let header: [UInt8] =
            Array("PGCOPY\n\u{FF}\r\n\0".utf8.prefix(6)) + [10, 255, 13, 10, 0]
            + [0, 0, 0, 0, 0, 0, 0, 3, 1, 2, 3]
        let row: [UInt8] =
            [0, 3] + [0, 0, 0, 2, 5, 6] + [255, 255, 255, 255] + [0, 0, 0, 0]
        (header + row).withUnsafeBytes { bytes in
            let rest = CopiedRow.withoutHeader(bytes)
            #expect(Array(rest) == row)
            #expect(CopiedRow.isRow(rest))
            #expect(!CopiedRow.isRow(CopiedRow.withoutHeader(.init(rebasing: bytes[..<22]))))
        }
        for length in 0...row.count {
            Array(row[..<length]).withUnsafeBytes { bytes in
                guard var read = CopiedRow(bytes) else { return #expect(length < 2) }
                let values = (0..<3).map { _ in read.next().map { Array($0) } }
                #expect(read.isAtEnd == (length == row.count), "\(length)")
                if read.isAtEnd { #expect(values == [[5, 6], nil, []]) }
            }
        }
        // A size beyond the end, and one beyond all memory.
        for size: [UInt8] in [[0, 0, 0, 4], [127, 255, 255, 255]] {
            ([0, 1] + size + [1, 2, 3]).withUnsafeBytes { bytes in
                var read = CopiedRow(bytes)
                #expect(read?.next() == nil)
                #expect(read?.isBroken == true)
            }
        }
        let end: [UInt8] = [255, 255]
        end.withUnsafeBytes { #expect(!CopiedRow.isRow($0)) }
    }
}
