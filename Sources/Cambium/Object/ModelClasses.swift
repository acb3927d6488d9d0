@_spi(Generated) import CambiumMigration
@_spi(Generated) import CambiumModel
import CambiumRecords
import CambiumSQL

extension EntityDescription {
    /// The class of its objects.
    var objectClass: ManagedObject.Type {
        assert(type is ManagedObject.Type)
        // Safety: the descriptions of the runtime come from compiled models, and these have only
        // managed object classes. A cast would cost time for each created object.
        return unsafeBitCast(type, to: ManagedObject.Type.self)
    }

    /// Returns whether the accessors of a class fit the entity: they use the numbers of slots and
    /// relationships. A class that the program wrote inherits its accessors.
    func fits(_ type: ManagedObject.Type) -> Bool {
        let reference = type.entityReference
        guard let own = reference.model?.modelDescription[reference.name] else { return true }
        return shape.kinds.starts(with: own.shape.kinds)
            && relationships.lazy.map { $0.slot }.starts(
                with: own.relationships.lazy.map { $0.slot })
            && fetchedProperties.count >= own.fetchedProperties.count
    }

    /// Creates a record with the model's defaults, for a new object.
    ///
    /// - Parameters:
    ///   - writer: The writer of the record's page.
    ///   - now: The time for dates with the current time as their default.
    /// - Throws: An error if a default is a new UUID, and no random numbers are available.
    package func makeRecord(
        by writer: RecordWriter, at now: @autoclosure () -> Date,
        keeping dates: StoredDatePrecision?
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
    /// Creates the compiled model. Called by generated code.
    ///
    /// - Parameters:
    ///   - format: The format of the generated code. There is one: code of another format does not
    ///     compile.
    ///   - otherMigrations: The migrations for engines other than SQLite, by the engines' names.
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

    /// Creates a model that was built in code, for tools. Its objects are plain ``ManagedObject``s;
    /// their values are read and set by name. No version of it is frozen. This initializer lays out
    /// the schema; for other models the compiler does that.
    ///
    /// - Parameter migrations: The migrations from earlier versions to this one.
    public init(_ model: Model, migrations: [Migration] = []) {
        self.init(
            model: model, classes: [:], schema: Schema(of: model).statements,
            migrations: migrations)
    }
}
