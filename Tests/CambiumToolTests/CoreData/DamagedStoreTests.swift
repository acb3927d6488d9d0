import CambiumModel
import CambiumSQLite
import Foundation
import Testing

@testable import CambiumCompiler
@testable import CambiumTool

/// Stores of Core Data with flipped bytes and lost ends: what cannot be read is an error, what can
/// be read is imported completely, and the source stays what it was.
///
/// `CAMBIUM_DAMAGED_STORES=10000` runs that many; `CAMBIUM_SEED=…` runs one again.
struct DamagedStoreTests {
    private let folder: TemporaryFolder
    private let bundle: String
    private let files: [String: Data]

    init() throws {
        folder = try TemporaryFolder()
        bundle = try CoreDataSample.makeBundle(in: folder)
        files = try CoreDataSample.files(in: folder)
    }

    @Test func `a whole store is imported with all that it holds`() throws {
        let outcome = try importStore(files)
        #expect(outcome.code == .fine)
        try expectAllRows(from: outcome)
        #expect(outcome.oldRows.map(\.count) == [160, 30, 20, 200])
    }

    @Test func `a damaged store is an error or imported completely, and never changed`() throws {
        var codes: [Int32: Int] = [:]
        for seed in Seeds() {
            do {
                let damaged = damage(seed)
                let outcome = try importStore(damaged)
                codes[outcome.code.rawValue, default: 0] += 1
                try check(outcome, damaged, seed)
            } catch {
                Issue.record("Replay with CAMBIUM_SEED=\(seed): \(error)")
                throw error
            }
        }
        print("damaged stores by exit code: \(codes.sorted { $0.key < $1.key })")
    }

    // MARK: Damage

    /// The store's files with some bytes changed, or without an end, or with a hole.
    private func damage(_ seed: UInt64) -> [String: Data] {
        var random = SplitMix(state: seed)
        var files = files
        let suffix = Int.random(in: 0..<4, using: &random) == 0 ? "-wal" : ""
        guard var data = files[suffix] else { return files }
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
            data = data.prefix(Int.random(in: 0..<data.count, using: &random))
        case 1:
            let start = Int.random(in: 0..<data.count, using: &random)
            let end = min(data.count, start + Int.random(in: 1..<2000, using: &random))
            data.replaceSubrange(start..<end, with: Data(count: end - start))
        default:
            // Most damage is to the beginning of a page, where it says what the rest is.
            for _ in 0..<Int.random(in: 1..<6, using: &random) {
                var place = Int.random(in: 0..<data.count, using: &random)
                if Bool.random(using: &random) { place = place & ~1023 + place % 64 }
                data[min(place, data.count - 1)] ^= UInt8.random(in: 1...255, using: &random)
            }
        }
        files[suffix] = data
        return files
    }

    // MARK: Importing

    private struct Outcome {
        let code: ExitCode
        let output: String
        let errors: String
        /// The rows of the old store, table by table; empty where it cannot be read.
        var oldRows: [[[StoredValue]]] = []
        /// The same of the new one, where there is one.
        var newRows: [[[StoredValue]]] = []
        /// The names of all files in the folder afterwards.
        var names: Set<String> = []
        /// The source's files afterwards.
        var source: [String: Data] = [:]
    }

    private func importStore(_ files: [String: Data]) throws -> Outcome {
        let work = try TemporaryFolder()
        let store = work.path("old.sqlite")
        for (suffix, data) in files { try data.write(to: URL(fileURLWithPath: store + suffix)) }
        let run = ToolRun(
            "import-coredata", store, "--model", bundle, "--to", work.path("new.sqlite"),
            "--format", "json")
        var outcome = Outcome(code: run.code, output: run.output, errors: run.errors)
        outcome.names = Set(try FileManager.default.contentsOfDirectory(atPath: work.url.path))
        for suffix in files.keys {
            outcome.source[suffix] = FileManager.default.contents(atPath: store + suffix)
        }
        if outcome.names.contains("new.sqlite") {
            let connection = try Connection(path: work.path("new.sqlite"), mode: .readOnly)
            outcome.newRows = try Self.newQueries.map { try connection.rows($0) }
            let broken = try connection.rows("PRAGMA foreign_key_check")
            let misnamed = try connection.rows(
                "SELECT i._id FROM Item AS i JOIN Party AS p ON p._id = i.owner "
                    + "WHERE i.owner_entity IS NOT p._entity")
            let faults = try connection.rows("PRAGMA integrity_check")
            #expect(broken.isEmpty)
            #expect(misnamed.isEmpty)
            #expect(faults == [[.text("ok")]])
            // A connection to the old one makes files beside it, so it is the last. Where something
            // was lost, it may be what nobody can read.
            if run.code == .fine {
                let old = try Connection(path: store, mode: .readWrite)
                outcome.oldRows = try Self.oldQueries.map { try old.rows($0) }
            }
        }
        return outcome
    }

    private func check(_ outcome: Outcome, _ files: [String: Data], _ seed: UInt64) throws {
        #expect(outcome.source == files)
        let isImported = outcome.names.contains("new.sqlite")
        let known: Set<String> = ["old.sqlite", "old.sqlite-wal", "new.sqlite"]
        #expect(outcome.names.isSubset(of: known), "\(outcome.names)")
        switch outcome.code.rawValue {
        case 0:
            #expect(isImported)
            try expectAllRows(from: outcome, "Replay with CAMBIUM_SEED=\(seed)")
        case 8:
            // What is lost is told.
            #expect(isImported)
            #expect(outcome.output.contains("\"isComplete\""))
        case 4, 7:
            #expect(!isImported)
            #expect(!(outcome.errors + outcome.output).isEmpty)
        default:
            Issue.record("exit code \(outcome.code): \(outcome.errors)")
        }
    }

    private func expectAllRows(from outcome: Outcome, _ note: Comment = "") throws {
        for (old, new) in zip(outcome.oldRows, outcome.newRows) { #expect(old == new, note) }
        #expect(outcome.oldRows.count == Self.oldQueries.count)
    }

    /// The tables themselves: a damaged index may say something else. A link that damage made equal
    /// to another one is one link.
    private static let oldQueries = [
        """
        SELECT Z_PK, CAST(ZCOUNT AS INTEGER), CAST(ZISNEW AS INTEGER), CAST(ZOWNER AS INTEGER),
            CAST(ZWEIGHT AS REAL), CAST(ZMADE AS REAL), ZPRICE IS NULL, CAST(ZLINK AS TEXT),
            CAST(ZTITLE AS TEXT), ZBYTES, ZTOKEN FROM ZITEM NOT INDEXED ORDER BY Z_PK
        """,
        """
        SELECT p.Z_PK, e.Z_NAME, CAST(p.ZCODE AS INTEGER), CAST(p.ZBORN AS REAL),
            CAST(p.ZNAME AS TEXT),
            (SELECT group_concat(Z_PK) FROM (SELECT Z_PK FROM ZITEM NOT INDEXED WHERE +ZOWNER = p.Z_PK
                ORDER BY Z_FOK_OWNER NULLS LAST, Z_PK))
            FROM ZPARTY AS p NOT INDEXED JOIN Z_PRIMARYKEY AS e ON e.Z_ENT = p.Z_ENT ORDER BY p.Z_PK
        """,
        "SELECT Z_PK, CAST(ZLABEL AS TEXT) FROM ZTAG NOT INDEXED ORDER BY Z_PK",
        """
        SELECT DISTINCT Z_1ITEMS, Z_5TAGS FROM Z_1TAGS NOT INDEXED
            WHERE Z_1ITEMS + Z_5TAGS IS NOT NULL ORDER BY 1, 2
        """,
    ]

    private static let newQueries = [
        """
        SELECT _id, "count", isNew, owner, weight, made, price IS NULL, link, title, bytes, token
            FROM Item ORDER BY _id
        """,
        """
        SELECT _id, _entity, code, born, name, (SELECT group_concat(_id) FROM (SELECT _id FROM Item
            WHERE owner = p._id ORDER BY owner_position NULLS LAST, _id)) FROM Party AS p ORDER BY _id
        """,
        "SELECT _id, label FROM Tag ORDER BY _id",
        "SELECT _source, _destination FROM Item_tags ORDER BY 1, 2",
    ]
}

/// The seed of `CAMBIUM_SEED`, or as many as are asked for, or as many as two seconds allow.
private struct Seeds: Sequence, IteratorProtocol {
    private let environment = ProcessInfo.processInfo.environment
    private let end = ContinuousClock.now + .seconds(2)
    private var count = 0
    /// Those that found something: a row whose beginning is damaged, so that it seems to be of no
    /// entity; a link that cannot be read, so that it seems to be none.
    private static let known: [UInt64] = [503_739_702, 794_797_206]

    mutating func next() -> UInt64? {
        defer { count += 1 }
        if let seed = environment["CAMBIUM_SEED"].flatMap(UInt64.init) {
            return count == 0 ? seed : nil
        }
        let isEnough =
            environment["CAMBIUM_DAMAGED_STORES"].flatMap(Int.init).map { count >= $0 }
            ?? (ContinuousClock.now > end)
        guard !isEnough else { return nil }
        return count < Self.known.count ? Self.known[count] : .random(in: 0..<1_000_000_000)
    }
}

/// A generator that a seed decides.
private struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
