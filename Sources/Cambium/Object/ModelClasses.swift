@_spi(Generated) import CambiumMigration
@_spi(Generated) import CambiumModel
import CambiumRecords
import CambiumSQL

extension EntityDescription {
    /// The class of its objects.
    var objectClass: ManagedObject.Type {
        assert(type is ManagedObject.Type)
        // Safety: the descriptions of the runtime come from compiled models, which have no other
        // classes. A cast would be paid for with each object that is made.
        return unsafeBitCast(type, to: ManagedObject.Type.self)
    }

    /// Whether the accessors of a class, which know slots and relationships by number, find them
    /// where the entity has them. Those of a class of the program's own are in its superclasses.
    func fits(_ type: ManagedObject.Type) -> Bool {
        let reference = type.entityReference
        guard let own = reference.model?.modelDescription[reference.name] else { return true }
        return shape.kinds.starts(with: own.shape.kinds)
            && relationships.lazy.map { $0.slot }.starts(
                with: own.relationships.lazy.map { $0.slot })
            && fetchedProperties.count >= own.fetchedProperties.count
    }

    /// A record with the model's defaults, for a new object.
    ///
    /// - Parameters:
    ///   - writer: Whose pages the record is in.
    ///   - now: The moment that dates start at whose default is the present.
    /// - Throws: Where a default is a new UUID, and there is none.
    package func makeRecord(
        by writer: RecordWriter, at now: @autoclosure () -> Date, keeping dates: KeptDates?
    ) throws(RandomNumbersError) -> PlacedRecord {
        var placed = writer.copy(template.record, shape, room: 128)
        for (slot, value) in dynamicDefaults {
            switch value {
            case .now:
                placed.record.setReal(slot, now().timeIntervalSinceReferenceDate)
            case .newUUID:
                let id = try UUID.random()
                withUnsafeBytes(of: id.uuid) {
                    writer.setBytes($0, slot, of: &placed, shape)
                }
            case .constant:
                break
            }
        }
        dates?.round(placed.record, dateSlots)
        return placed
    }
}

extension CompiledModel {
    /// Puts together what the compiler made. Called by generated code.
    ///
    /// - Parameters:
    ///   - format: The format of the generated code. There is one: code of another does not compile.
    ///   - otherMigrations: The migrations of stores of other engines than SQLite, by their names.
    ///   - isFrozen: Whether the current version has shipped.
    ///   - drafts: The definition of each earlier version that has not shipped.
    @_spi(Generated)
    public init(
        format: GeneratedFormat = .current, model: Model, classes: [String: ManagedObject.Type],
        schema: [String], migrations: [Migration], otherMigrations: [String: [Migration]] = [:],
        isFrozen: Bool = false, drafts: [String: String] = [:]
    ) {
        self.init(
            model: model, schema: schema, migrations: migrations,
            otherMigrations: otherMigrations, isFrozen: isFrozen, drafts: drafts
        ) {
            ModelDescription(
                model, types: classes, common: ManagedObject.self,
                generated: Set(classes.filter { $1.entityReference.model != nil }.keys))
        }
    }

    /// A model that was built in code, for tools: its objects are plain ``ManagedObject``s, whose
    /// values are read and set by name. No version of it is frozen. Lays out the schema, which the
    /// compiler does for others.
    ///
    /// - Parameter migrations: What leads from earlier versions to this one.
    public init(_ model: Model, migrations: [Migration] = []) {
        self.init(
            model: model, classes: [:], schema: Schema(of: model).statements,
            migrations: migrations)
    }
}
