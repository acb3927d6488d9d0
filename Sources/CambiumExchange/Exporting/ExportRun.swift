import CambiumRecords

/// Writes objects, some hundred at a time.
final class ExportRun {
    private let reading: SliceReading
    private let plans: ExchangePlans
    private let keys: [SliceReading.Key]
    private let omittedRelationships: [String]
    private let writer: any ExportWriter
    private var position = 0
    private var count = 0
    private var hasBegun = false
    private var hasEnded = false

    private static let sliceSize = 500

    init(
        _ reading: SliceReading, _ plans: ExchangePlans, _ format: ExchangeFormat,
        _ keys: [SliceReading.Key], omittedRelationships: [String], protectsFormulas: Bool
    ) throws {
        self.reading = reading
        self.plans = plans
        self.keys = keys
        self.omittedRelationships = omittedRelationships
        writer =
            switch format {
            case .json: JSONExportWriter(plans: plans, isArray: true)
            case .jsonLines: JSONExportWriter(plans: plans, isArray: false)
            case .csv:
                try CSVExportWriter(
                    plans, separator: try format.separatorByte, protectsFormulas: protectsFormulas)
            }
    }

    /// The permissions of the exported store; nil if it has no file.
    var permissions: StorePermissions? { reading.permissions(ofStoreOf: plans.entity) }

    /// The result so far; complete after the last chunk.
    var result: ExportResult {
        ExportResult(count: count, omittedRelationships: omittedRelationships)
    }

    /// The next part of the text; nil at the end.
    func next() throws -> [UInt8]? {
        while !hasEnded {
            var text: [UInt8] = []
            if !hasBegun {
                hasBegun = true
                writer.begin(&text)
            }
            let slice = keys[position..<min(position + Self.sliceSize, keys.count)]
            position = slice.endIndex
            for object in try objects(slice) {
                try writer.write(object, isFirst: count == 0, &text)
                count += 1
            }
            if position == keys.count {
                hasEnded = true
                writer.end(isEmpty: count == 0, &text)
            }
            if !text.isEmpty { return text }
        }
        return nil
    }

    private func objects(_ keys: ArraySlice<SliceReading.Key>) throws -> [ManagedObject] {
        let objects = try reading.objects(keys)
        let groups = Dictionary(grouping: objects) { plans.number(of: $0.entityDescription) }
        for (number, objects) in groups.ordered(by: { $0.key < $1.key }) {
            let plan = plans.plans[number]
            let paths = plan.relationships.flatMap { relationship in
                [relationship.name]
                    + (relationship.key?.relationshipPaths ?? []).map {
                        "\(relationship.name).\($0)"
                    }
            }
            try reading.prefetch(paths, of: objects, plan.entity)
        }
        return objects
    }
}

/// Writes objects in one format.
protocol ExportWriter {
    /// Writes the text before the first object.
    func begin(_ text: inout [UInt8])
    /// Writes an object.
    func write(_ object: ManagedObject, isFirst: Bool, _ text: inout [UInt8]) throws
    /// Writes the text after the last object.
    func end(isEmpty: Bool, _ text: inout [UInt8])
}

/// The text of an export, in chunks of some hundred objects; made by
/// ``ManagedObjectContext/chunks(of:)``.
///
/// It belongs to the isolation of the context. Two loops over one sequence share its chunks.
public struct ExportChunks: AsyncSequence {
    /// A part of the text, in UTF-8.
    public typealias Element = Data
    /// Reading an object may throw any error.
    public typealias Failure = any Error

    let run: ExportRun

    /// The relationships that were not written, and the number of objects written so far.
    public var result: ExportResult { run.result }

    /// Begins to write.
    public func makeAsyncIterator() -> Iterator {
        Iterator(run: run)
    }

    /// Writes one chunk after the other.
    public struct Iterator: AsyncIteratorProtocol {
        let run: ExportRun

        /// The next chunk; nil at the end.
        ///
        /// - Throws: `CancellationError` if the task is cancelled; the error of reading the
        ///   objects; ``StoreError`` if a value, or the destination of a relationship, cannot be
        ///   written.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Data? {
            try Task.checkCancellation()
            return try run.next().map { Data($0) }
        }
    }
}

/// An object as files show it.
struct ExportedObject {
    let subject: ManagedObject

    /// The value of an attribute for a file.
    func value(_ attribute: ExchangeAttribute) -> Value {
        SliceReading.value(attribute.attribute, inSlot: attribute.slot, of: subject)
    }

    /// The destinations of a relationship, each as the values of its key.
    ///
    /// - Throws: ``StoreError`` if an object has no key: a part of it is nil.
    func keys(
        _ relationship: ExchangeRelationship
    ) throws -> [[(part: ExchangeKeyShape.Part, value: Value)]] {
        guard let key = relationship.key else { return [] }
        return try SliceReading.destinations(of: relationship.description, from: subject).map {
            object in
            let values = ExportedObject(subject: object).values(of: key)
            return try zip(key.parts, values).map { part, value in
                guard value != .null else {
                    throw StoreError(
                        code: .invalidRequest,
                        message: "\(object.objectID) has no \(part.name), by which "
                            + "\(subject.objectID).\(relationship.name) would name it.",
                        remedy: "Give it one, or leave the relationship out of the export.")
                }
                return (part, value)
            }
        }
    }

    /// The values of a key, including those of its relationships; null if one is missing.
    private func values(of key: ExchangeKeyShape) -> [Value] {
        key.columns.flatMap { column -> [Value] in
            switch column.content {
            case .attribute(let attribute): return [value(attribute)]
            case .relationship(let relationship, _, let inner):
                return subject.destination(of: relationship)
                    .map { ExportedObject(subject: $0).values(of: inner) }
                    ?? inner.parts.map { _ in .null }
            }
        }
    }
}
