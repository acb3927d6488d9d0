import CambiumModel
import CambiumSQL
import CambiumSQLite

/// How many rows and keys a table of Core Data's has.
struct SourceCounts {
    /// How many rows there are.
    let rows: Int
    /// The least and the greatest key.
    let (first, last): (Int64, Int64)
    /// How many there are of each entity.
    let entities: [(entity: String, count: Int)]
    /// How many have a key, for each to-one.
    let keys: [Int]

    /// Reads the row of ``ObjectAdoptionSQL/counts``, or its beginning.
    init(_ object: CoreDataLayout.ObjectSource, _ rows: [[StoredValue]]) {
        let numbers = (rows.first ?? []).map { value -> Int64 in
            if case .integer(let number) = value { number } else { 0 }
        }
        func number(_ index: Int) -> Int64 { index < numbers.count ? numbers[index] : 0 }
        self.rows = Int(number(0))
        (first, last) = (number(1), number(2))
        entities = object.entities.enumerated().map { index, pair in
            (pair.entity.name, Int(number(3 + index)))
        }
        let start = 3 + object.entities.count
        keys = object.keys.indices.map { Int(number(start + $0)) }
    }
}

extension Connection {
    /// The one number that a query gives.
    func number(_ sql: String) throws(SQLiteError) -> Int {
        if case .integer(let number)? = try rows(sql).first?.first { Int(number) } else { 0 }
    }
}
