import CambiumModel
import CambiumPostgresSQL
import Testing

@testable import CambiumPostgresStore

/// Values on their way to a server and back: whatever its type can hold comes back as it was.
struct WireTests {
    /// What a server answers that is sent a value.
    private func answer(
        _ value: StoredValue, _ type: PostgresType, _ server: PostgresServer
    ) throws -> StoredValue {
        var parameters = PostgresParameters()
        parameters.append(value, as: type)
        let name = type.name.prefix { $0 != "(" }
        let rows = try server.connect().run("SELECT $1::\(name)", parameters)
        return rows.isNull(0, 0) ? .null : type.value(of: rows.bytes(0, 0))
    }

    @Test(arguments: PostgresServer.some())
    func `decimals of a scale`(_ server: PostgresServer) throws {
        let numbers: [Int64] = [0, 1, -1, 9, 10, 9_999, 10_000, 10_001, 123_456_789, .max, .min]
        for scale in [0, 1, 2, 3, 4, 5, 6, 17, 18] {
            for number in numbers {
                let value = StoredValue.integer(number)
                #expect(
                    try answer(value, .decimal(scale: scale), server) == value, "scale \(scale)")
            }
        }
    }

    @Test(arguments: PostgresServer.some())
    func `decimals of any scale`(_ server: PostgresServer) throws {
        let texts = [
            "0", "1", "-1", "0.5", "-0.000001", "12345678901234567890.12345678", "1e50", "1e-50",
            "-99999999999999999999999999999999999999", "1e-80", "10000", "0.0001",
        ]
        for text in texts {
            let value = try StoredValue.blob(#require(OrderedDecimal.bytes(spelled: text)))
            #expect(try answer(value, .anyDecimal, server) == value, "\(text)")
        }
    }

    @Test(arguments: PostgresServer.some())
    func `dates to the microsecond`(_ server: PostgresServer) throws {
        for seconds in [0, 1, -1, 0.000_001, 822_222_222.123_456, -1e9, 63_113_904_000] {
            let value = StoredValue.real(seconds)
            #expect(try answer(value, .timestamp, server) == value)
        }
        for (finer, kept) in [
            (0.000_000_4, 0), (0.000_000_6, 0.000_001), (-0.000_000_6, -0.000_001),
            (1.000_000_9, 1.000_001), (-1.000_000_9, -1.000_001),
        ] {
            #expect(try answer(.real(finer), .timestamp, server) == .real(kept), "\(finer)")
        }
    }

    @Test(arguments: PostgresServer.some())
    func `numbers, texts and bytes`(_ server: PostgresServer) throws {
        let values: [(StoredValue, PostgresType)] = [
            (.integer(.min), .bigint), (.integer(.max), .bigint), (.integer(-32_768), .smallint),
            (.integer(1), .boolean), (.integer(0), .boolean), (.integer(-5), .integer),
            (.real(-.infinity), .double), (.real(.leastNonzeroMagnitude), .double),
            (.real(-0.0), .double),
            (.real(Double(Float.greatestFiniteMagnitude)), .real),
            (.text(""), .text), (.text("e\u{301}\u{1F600}'\\%"), .text),
            (.blob(Data()), .bytea), (.blob(Data(0...255)), .bytea),
            (.blob(Data(1...16)), .uuid), (.null, .text),
        ]
        for (value, type) in values {
            #expect(try answer(value, type, server) == value, "\(type)")
        }
    }

    @Test(arguments: PostgresServer.some())
    func `an array is as long as it was, with its gaps`(_ server: PostgresServer) throws {
        var parameters = PostgresParameters()
        parameters.appendArray(of: Array(0..<10_000))
        parameters.appendArray(of: .text, count: 10_000) { index, wire in
            if index % 3 == 0 { return false }
            wire.append("text \(index)")
            return true
        }
        let rows = try server.connect().run(
            "SELECT number, word FROM unnest($1, $2) AS list(number, word)", parameters)
        #expect(rows.count == 10_000)
        #expect(rows.isNull(9_999, 1))
        #expect(rows.text(9_998, 1) == "text 9998")
    }
}
