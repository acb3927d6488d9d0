/// The values of one employee before it is stored.
struct EmployeeValues {
    var name: String
    var email: String
    var salary: Double
    var age: Int16
    var isActive: Bool
    /// Seconds since 2001.
    var hiredAt: Double
    /// 1 to ``Workload/departments``.
    var department: Int
    var note: String?
}

/// The employees that every column uses. They are the same on every machine for the same number of
/// rows.
struct Dataset {
    private(set) var employees: [EmployeeValues] = []
    /// The indexes of all employees in random order.
    private(set) var permutation: [Int]
    /// The changes of W10. They concern active employees, so that every change affects the observed
    /// result.
    private(set) var renames: [(index: Int, name: String)] = []

    init(rows: Int) {
        var random = SplitMix64(state: 20_240_607)
        employees.reserveCapacity(rows)
        for number in 1...rows {
            employees.append(EmployeeValues(number: number, using: &random))
        }
        permutation = Array(0..<rows)
        permutation.shuffle(using: &random)
        for index in permutation
        where employees[index].isActive && renames.count < Workload.renames {
            renames.append((index, "Renamed \(renames.count + 100) B"))
        }
    }
}

extension EmployeeValues {
    /// Names have 15.6 bytes on average, and a bit more than half of them fit into a string without
    /// an allocation. E-mail addresses have 24 bytes. Every second employee has a note of 60 bytes.
    fileprivate init(number: Int, using random: inout SplitMix64) {
        let first = random.pick(Words.first)
        let last = random.pick(Words.last)
        let digits = random.number(below: 100)
        name = "\(first) \(last) \(digits < 10 ? "0" : "")\(digits)"
        email = "\(first.prefix(1).lowercased()).\(last.lowercased())\(number)@acme.co.uk"
        salary = 20_000 + Double(random.number(below: 18_000_000)) / 100
        age = 18 + Int16(random.number(below: 52))
        isActive = random.number(below: 2) == 1
        hiredAt = Double(random.number(below: 800_000_000)) + 0.5
        department = 1 + random.number(below: Workload.departments)
        note = random.number(below: 2) == 1 ? Self.note(using: &random) : nil
    }

    private static func note(using random: inout SplitMix64) -> String {
        let length = 40 + random.number(below: 41)
        var text = ""
        while text.utf8.count < length {
            text += random.pick(Words.note) + " "
        }
        return String(text.prefix(length))
    }
}

private enum Words {
    static let first = words(
        """
        Ada Benno Cleo Dora Emil Fritz Gunther Hugo Iris Jakob Klara Lena Milo Nora Otto Piet
        Ravi Sofia Theo Ursula Verena Willem Xenia Yusuf Zelda Amir Beatrice Cornelius Dimitri
        Eleonora Ferdinand Gabriella
        """)
    static let last = words(
        """
        Adler Brandt Costa Duarte Engel Farkas Garcia Holm Ivanov Jensen Kellner Larsen Moreau
        Nagy Olsen Petersen Quist Reyes Santos Torres Unger Vogel Winter Yilmaz Zeman Albrecht
        Bernardi Christensen Dombrowski Eriksson Ferreira Gallagher
        """)
    static let note = words(
        """
        moved to the new office after two years in sales and will lead a small group from
        spring on first contact for customers abroad speaks four languages
        """)

    private static func words(_ text: String) -> [String] {
        text.split { $0 == " " || $0 == "\n" }.map(String.init)
    }
}
