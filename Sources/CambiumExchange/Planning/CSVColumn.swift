/// A column that the objects of an entity may have in CSV.
struct CSVColumn: Sendable {
    /// What is in a column.
    enum Content: Sendable {
        case attribute(ExchangeAttribute)
        /// The only part of the key of a to-one, or a list of keys.
        case relationship(Int)
        /// A part of the key of a to-one.
        case keyPart(relationship: Int, part: Int)
    }

    let name: String
    let content: Content
}

extension ExchangePlan {
    /// All columns that there may be. A to-one has one for its key, and one for each part of that.
    var columns: [CSVColumn] { columns(of: nodes) }

    private func columns(of nodes: [Node]) -> [CSVColumn] {
        nodes.flatMap { node -> [CSVColumn] in
            switch node.content {
            case .attribute(let attribute):
                return [CSVColumn(name: node.path, content: .attribute(attribute))]
            case .group(let members):
                return columns(of: members)
            case .relationship(let number):
                let whole = CSVColumn(name: node.path, content: .relationship(number))
                let relationship = relationships[number]
                guard !relationship.description.isToMany, let key = relationship.key else {
                    return [whole]
                }
                return [whole]
                    + key.parts.enumerated().map { index, part in
                        CSVColumn(
                            name: "\(node.path).\(part.name)",
                            content: .keyPart(relationship: number, part: index))
                    }
            }
        }
    }
}
