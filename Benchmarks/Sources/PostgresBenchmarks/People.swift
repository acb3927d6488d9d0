import CambiumPostgres
import Foundation
import RawPostgres

/// The people that all sides use.
struct People {
    static let departments = 50

    let count: Int
    private var names: [String] = []
    private var emails: [String] = []
    private var notes: [String?] = []
    private(set) var salary: [Double] = []
    private var ages: [Int32] = []
    private var levels: [Int64] = []
    private var points: [Int64] = []
    private var active: [Bool] = []
    /// Seconds since 2000.
    private var hired: [Int64] = []
    private var codes: [UUID] = []
    private var department: [Int64] = []
    /// The distinct numbers of some people in random order, for reading them one by one.
    private(set) var sample: [Int] = []

    init(count: Int) {
        self.count = count
        var random = SplitMix64(state: 20_261_129)
        for number in 0..<count {
            let word = String(random.next(), radix: 36)
            names.append("Person \(word.prefix(8))")
            emails.append("\(word)@example.org")
            notes.append(
                random.next() % 2 == 0
                    ? nil : String(repeating: "note \(word) ", count: 1 + Int(random.next() % 4)))
            salary.append(20_000 + Double(random.next() % 18_000_000) / 100)
            ages.append(18 + Int32(random.next() % 52))
            levels.append(Int64(random.next() % 1_000))
            points.append(Int64(random.next() % 1_000_000_000))
            active.append(random.next() % 2 == 0)
            hired.append(Int64(random.next() % 800_000_000))
            var bytes: [UInt8] = []
            for _ in 0..<2 {
                withUnsafeBytes(of: random.next()) { bytes.append(contentsOf: $0) }
            }
            codes.append(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
            department.append(Int64(1 + number % Self.departments))
        }
        var numbers = Array(0..<count)
        for place in 0..<min(10_000, count) {
            numbers.swapAt(place, place + Int(random.next() % UInt64(count - place)))
            sample.append(numbers[place])
        }
    }

    /// Returns the sum for some of the people.
    func sum(of rows: some Collection<Int>) -> (rows: Int, values: UInt64) {
        func sum(ofText text: String) -> UInt64 {
            UInt64(text.utf8.count) + UInt64(text.utf8.first ?? 0)
        }
        var values: UInt64 = 0
        for row in rows {
            values &+= UInt64(sum(ofText: names[row])) &+ UInt64(sum(ofText: emails[row]))
            values &+= notes[row].map { sum(ofText: $0) } ?? 0
            values &+= salary[row].bitPattern &+ UInt64(ages[row])
            values &+= UInt64(levels[row]) &+ UInt64(points[row]) &+ (active[row] ? 1 : 0)
            values &+= UInt64(hired[row]) &+ UInt64(codes[row].uuid.15)
        }
        return (rows.count, values)
    }

    /// Creates an object for each person.
    func insert(into context: ManagedObjectContext, _ departments: [Department]) -> [Person] {
        (0..<count).map { row in
            let person = Person(
                in: context, name: names[row], email: emails[row], salary: salary[row],
                age: ages[row], level: levels[row], points: points[row], isActive: active[row],
                hiredAt: Date(
                    timeIntervalSinceReferenceDate: Double(hired[row]) - 366 * 86_400 + 0.5),
                code: codes[row])
            person.note = notes[row]
            person.department = departments[Int(department[row]) - 1]
            return person
        }
    }

    /// Calls a body with the rows in the form for the C side.
    func withRaw<Result>(_ body: (UnsafePointer<RawPeople>) throws -> Result) rethrows -> Result {
        let lists = RawLists()
        var people = RawPeople(
            count: Int64(count), first_key: 1, name: lists.texts(names), email: lists.texts(emails),
            note: lists.texts(notes), salary: lists.list(salary), age: lists.list(ages),
            level: lists.list(levels), points: lists.list(points), is_active: lists.list(active),
            hired_at: lists.list(hired.map { $0 * 1_000_000 + 500_000 }),
            code: lists.list(
                codes.flatMap { code in withUnsafeBytes(of: code.uuid) { Array($0) } }),
            department: lists.list(department))
        return try withExtendedLifetime(lists) { try body(&people) }
    }
}

/// Lists in memory that C reads. They exist as long as this object.
private final class RawLists {
    private var freeing: [() -> Void] = []

    deinit {
        for free in freeing { free() }
    }

    func list<Value: BitwiseCopyable>(_ values: [Value]) -> UnsafePointer<Value> {
        // Safety: it is filled before it is handed out, and freed once.
        let list = UnsafeMutablePointer<Value>.allocate(capacity: max(1, values.count))
        list.initialize(from: values, count: values.count)
        freeing.append { list.deallocate() }
        return UnsafePointer(list)
    }

    func texts(_ texts: [String?]) -> UnsafePointer<UnsafePointer<CChar>?> {
        let copies = texts.map { $0.flatMap { strdup($0) } }
        freeing.append { for copy in copies { free(copy) } }
        return list(copies.map { UnsafePointer($0) })
    }
}

/// A small generator with a fixed sequence, so that people are equal on every machine.
struct SplitMix64 {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
