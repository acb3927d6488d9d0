import CambiumCompiler
import CambiumModel

/// The content of an entity-relationship diagram, independent of the output language.
struct ModelDiagram {
    /// The boxes, in declaration order.
    let boxes: [Box]
    /// The lines: inheritance first, then relationships, each with its inverse once.
    let lines: [Line]

    /// Whether a picture of the model can be read only if its boxes show names alone.
    static func isLarge(_ model: Model) -> Bool { model.entities.count > 20 }

    /// The boxes that lines connect with each other, as groups of positions in ``boxes``.
    var components: [[Int]] {
        var heads = Array(boxes.indices)
        func head(of box: Int) -> Int {
            var box = box
            while heads[box] != box { box = heads[box] }
            return box
        }
        let positions = Dictionary(
            boxes.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
        for line in lines {
            guard let from = positions[line.from], let to = positions[line.to] else { continue }
            let (one, other) = (head(of: from), head(of: to))
            heads[max(one, other)] = min(one, other)
        }
        return Dictionary(grouping: boxes.indices, by: head).sorted { $0.key < $1.key }
            .map(\.value)
    }

    /// An entity.
    struct Box {
        let name: String
        let isAbstract: Bool
        let rows: [Row]
        /// Remarks about several attributes together, such as `unique (a, b)`.
        let remarks: [String]
    }

    /// An attribute.
    struct Row {
        let name: String
        let type: String
        let isOptional: Bool
        /// Short remarks about the attribute, such as `unique`.
        let remarks: [String]
    }

    /// A connection of two boxes.
    struct Line {
        let from: String
        let to: String
        let kind: Kind
    }

    enum Kind {
        /// `from` inherits from `to`.
        case inheritance
        /// The number of objects at each end, for one object at the other end.
        case relationship(from: Cardinality, to: Cardinality, label: String)
    }

    /// The number of objects at an end of a relationship.
    enum Cardinality {
        case zeroOrOne, exactlyOne, zeroOrMore, oneOrMore
    }

    init(_ model: Model) {
        boxes = model.entities.map { entity in
            Box(
                name: entity.name, isAbstract: entity.isAbstract,
                rows: entity.attributes.map { attribute in
                    let unique = entity.uniqueConstraints.filter {
                        $0.properties == [attribute.name]
                    }
                    return Row(
                        name: attribute.name, type: attribute.type.notation,
                        isOptional: attribute.isOptional,
                        remarks: [
                            (attribute.derivation != nil, "derived"),
                            (attribute.isTransient, "transient"), (!unique.isEmpty, "unique"),
                        ].filter(\.0).map(\.1))
                },
                remarks: entity.uniqueConstraints.map(\.properties).filter { $0.count > 1 }.map {
                    "unique (\($0.joined(separator: ", ")))"
                })
        }
        let parents = model.entities.compactMap { entity in
            entity.parent.map { Line(from: entity.name, to: $0, kind: .inheritance) }
        }
        lines = parents + Self.relationships(of: model)
    }

    private static func relationships(of model: Model) -> [Line] {
        var drawn: Set<[String]> = []
        return model.entities.flatMap { entity in
            entity.relationships.compactMap { relationship -> Line? in
                guard drawn.insert([entity.name, relationship.name]).inserted else { return nil }
                let destination = model.entity(named: relationship.destination)
                let inverse = relationship.inverse.flatMap { name in
                    destination.flatMap { model.relationship(name, of: $0) }
                }
                if let inverse, let destination {
                    let owner = model.declarer(of: inverse.name, in: destination) ?? destination
                    drawn.insert([owner.name, inverse.name])
                }
                let isOwnInverse =
                    inverse?.name == relationship.name
                    && relationship.destination == entity.name
                let ends = [relationship] + (isOwnInverse ? [] : [inverse])
                return Line(
                    from: entity.name, to: relationship.destination,
                    kind: .relationship(
                        // Without an inverse, any number of objects may reference the same one.
                        from: inverse.map(Cardinality.init) ?? .zeroOrMore,
                        to: Cardinality(relationship),
                        label: ends.compactMap { $0?.label }.joined(separator: " / ")))
            }
        }
    }
}

extension Relationship {
    /// The name, and the properties that the ends of a line do not show.
    fileprivate var label: String {
        let marks = [(isOrdered, "ordered"), (isTransient, "transient")].filter(\.0).map(\.1)
        return marks.isEmpty ? name : "\(name) (\(marks.joined(separator: ", ")))"
    }
}

extension ModelDiagram.Cardinality {
    init(_ relationship: Relationship) {
        self =
            switch (relationship.isToMany, relationship.isOptional) {
            case (false, true): .zeroOrOne
            case (false, false): .exactlyOne
            case (true, _): (relationship.minimumCount ?? 0) > 0 ? .oneOrMore : .zeroOrMore
            }
    }
}
