import Cambium

extension Package {
    /// The package and its section as the first release listed them: `shells/bash`.
    public var listedName: String { sectionName.map { "\($0)/\(name)" } ?? name }
}
