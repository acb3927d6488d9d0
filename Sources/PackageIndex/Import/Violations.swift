import Cambium

/// The violations of each object in a failed save.
struct Violations {
    private var reasons: [ObjectID: [String]] = [:]

    /// Reads the error of a save; one that is not about objects leaves it empty.
    init(_ error: any Error) {
        let errors: [ValidationError] =
            switch error {
            case let error as ValidationError: [error]
            case let several as ValidationErrors: several.errors
            default: []
            }
        for error in errors {
            if let id = error.objectID { reasons[id, default: []].append(error.message) }
        }
    }

    /// Whether no object has a violation.
    var isEmpty: Bool { reasons.isEmpty }

    /// The violations of the object, or nil.
    subscript(id: ObjectID) -> String? {
        reasons[id].map { $0.joined(separator: "; ") }
    }
}
