/// A measurement of Cambium alone, without a counterpart in the C columns.
enum Figure: String, CaseIterable {
    case registered = "F1"
    case registeredObject = "F2"
    case getter = "F3"
    case observableGetter = "F4"
    case memory = "F5"
    case statement = "F6"
    case watchedStatement = "F7"

    var title: String {
        switch self {
        case .registered: "existingObject(with:), already registered"
        case .registeredObject: "registeredObject(for:)"
        case .getter: "getter of a number"
        case .observableGetter: "…, context observable, nobody observes"
        case .memory: "memory for a fetched row"
        case .statement: "a count of 100 rows, no statement hook"
        case .watchedStatement: "…, with a hook that does nothing"
        }
    }

    var unit: String { self == .memory ? "bytes" : "ns" }

    var goal: Double? {
        switch self {
        case .registered, .registeredObject: 50
        case .memory: 300
        case .getter, .observableGetter, .statement, .watchedStatement: nil
        }
    }
}
