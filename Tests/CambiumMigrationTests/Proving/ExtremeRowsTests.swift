import CambiumModel
import CambiumSQLite
import Testing

@testable import CambiumMigration
@testable import CambiumSQL

/// Rows that the compiler makes up: what is rarely thought of is among them.
@Suite struct ExtremeRowsTests {
    private static let types: [AttributeType] = [
        .bool, .int16, .int32, .int64, .float, .double, .decimal(scale: 2), .anyDecimal, .string,
        .date, .uuid, .uri, .data, .codable("[Int]"), .enumeration("Color"),
    ]

    private static let model = TestStore.model(
        "1",
        [
            Entity(
                name: "A",
                attributes: types.indices.map { index in
                    Attribute(name: "a\(index)", type: types[index], isOptional: true)
                },
                relationships: [
                    Relationship(name: "owner", destination: "B", inverse: "owned"),
                    Relationship(
                        name: "friends", destination: "B", inverse: "friends", isToMany: true),
                ]),
            Entity(
                name: "B",
                attributes: [TestStore.string("short", limits: Limits(maximumLength: 3))],
                relationships: [
                    Relationship(
                        name: "owned", destination: "A", inverse: "owner", isToMany: true),
                    Relationship(
                        name: "friends", destination: "A", inverse: "friends", isToMany: true),
                ]),
        ],
        enumerations: [
            Enumeration(
                name: "Color", rawType: .string,
                cases: ["red", "green"].map { .init(name: $0, rawValue: .string($0)) })
        ])

    /// How many objects an entity has.
    private static let count = 4 * SampleRows.objectsPerEntity

    private func makeStore(_ content: SampleRows.Content = .extremes) throws -> Connection {
        let schema = Schema(of: Self.model)
        let rows = SampleRows(of: Self.model, schema, seed: 0, content: content).rows
        return try SampleStore(of: Self.model, schema).make(with: rows.map { .init(row: $0) })
    }

    private func texts(_ query: String, in store: Connection) throws -> Set<String> {
        Set(TestStore.text(try store.rows(query)).joined())
    }

    @Test func `the least and the greatest of every type are there, and nothing`() throws {
        let store = try makeStore()
        let counts = try store.rows("SELECT count(*) FROM A")
        #expect(counts == [[.integer(Int64(Self.count))]])
        for (index, limits) in [
            (1, ["-32768", "32767"]), (2, ["-2147483648", "2147483647"]),
            (3, ["-9223372036854775808", "9223372036854775807", "9007199254740993"]),
            (5, ["1.7976931348623157e+308", "5e-324"]), (6, ["9223372036854775807"]),
            (9, ["-63114076800.0"]),
        ] {
            let found = try texts("SELECT a\(index) FROM A", in: store)
            #expect(found.isSuperset(of: limits), "\(Self.types[index]): \(found)")
        }
        for index in Self.types.indices {
            #expect(try texts("SELECT a\(index) FROM A", in: store).contains("nil"))
            let values = try store.rows("SELECT DISTINCT a\(index) FROM A WHERE a\(index) NOT NULL")
            #expect(values.count > 1, "\(Self.types[index])")
        }
    }

    @Test func `texts are empty, long, of several writings and of letters of many scalars`() throws
    {
        let found = try texts("SELECT a8 FROM A", in: makeStore())
        #expect(found.contains("") && found.contains { $0.count > 1000 })
        #expect(found.contains { $0.count != $0.unicodeScalars.count })
        #expect(found.contains { $0.contains("'") && $0.contains("\"") })
        #expect(found.contains { $0.unicodeScalars.contains { $0.value > 0xFFFF } })
        let short = try texts("SELECT short FROM B", in: makeStore())
        #expect(short.allSatisfy { $0.unicodeScalars.count <= 3 } && short.count > 3)
    }

    @Test func `relationships are empty and full`() throws {
        let store = try makeStore()
        let owned = try store.rows(
            "SELECT (SELECT count(*) FROM A WHERE A.owner = B._id) FROM B ORDER BY 1")
        #expect(owned.first == [.integer(0)])
        #expect(owned.last.map { TestStore.text([$0])[0][0] } != "1")
        let table = try #require(
            Schema(of: Self.model).tables.first {
                if case .links = $0.content { true } else { false }
            })
        let ends = table.columns.prefix(2).map { "\"\($0.name)\"" }
        for end in ends {
            let counts = try store.rows(
                "SELECT count(*) FROM \"\(table.name)\" GROUP BY \(end) ORDER BY 1 DESC")
            // The first object has no links, the second all.
            #expect(counts.first == [.integer(Int64(end == ends[0] ? Self.count : Self.count - 1))])
            #expect(counts.last == [.integer(1)])
        }
    }

    @Test func `ordinary rows are as they were`() throws {
        let store = try makeStore(.ordinary)
        #expect(
            try store.rows("SELECT count(*) FROM A")
                == [[.integer(Int64(SampleRows.objectsPerEntity))]])
        #expect(!(try texts("SELECT a3 FROM A", in: store)).contains("9223372036854775807"))
    }
}
