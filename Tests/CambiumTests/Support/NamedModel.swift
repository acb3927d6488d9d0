@_spi(Generated) import Cambium

/// Two classes whose objects have unique values in common: an object of one may be merged into one
/// of the other.
enum NamedModel {
    static let model: CompiledModel = {
        let made = CompiledModel(value)
        return CompiledModel(
            model: value, classes: ["Named": Named.self, "Alpha": Alpha.self, "Beta": Beta.self],
            schema: made.schema, migrations: [])
    }()

    private static let value = Model(
        name: "Named", version: "1",
        entities: [
            Entity(
                name: "Named",
                attributes: [
                    Attribute(name: "label", type: .string, defaultValue: .constant(.string("")))
                ],
                uniqueConstraints: [UniqueConstraint(properties: ["label"])]),
            Entity(
                name: "Alpha", parent: "Named",
                attributes: (0..<8).map { number in
                    Attribute(
                        name: "number\(number)", type: .int64, defaultValue: .constant(.int(0)))
                }),
            Entity(name: "Beta", parent: "Named"),
        ])
}

class Named: ManagedObject {
    override class var entityReference: EntityReference {
        EntityReference("Named", NamedModel.model)
    }

    var label: String {
        get { value(at: 0) }
        set { setValue(newValue, at: 0) }
    }
}

final class Alpha: Named {
    override class var entityReference: EntityReference {
        EntityReference("Alpha", NamedModel.model)
    }

    /// The last of its numbers.
    var last: Int64 {
        get { value(at: 8) }
        set { setValue(newValue, at: 8) }
    }
}

final class Beta: Named {
    /// What else is made with the registration of a new object.
    @TaskLocal static var isMakingAlpha = false

    override class var entityReference: EntityReference {
        EntityReference("Beta", NamedModel.model)
    }

    required init(_ registration: ObjectRegistration) {
        super.init(registration)
        if Self.isMakingAlpha { Alpha(registration).last = 1 }
    }
}
