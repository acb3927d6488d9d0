import CambiumRecords

extension ManagedObjectContext {
    /// Writes objects to a file. An existing file is replaced only when all data is written and on
    /// the disk; if the export fails, it stays unchanged.
    ///
    /// - Throws: The errors of ``chunks(of:)`` and its sequence; ``StoreError`` if the file cannot
    ///   be written.
    @discardableResult
    public func execute<Entity>(
        _ request: ExportRequest<Entity>, to path: String
    ) throws -> ExportResult {
        let run = try ExportPreparation(reading: SliceReading(context: self)).run(request)
        // If a user cannot read the store, they cannot read the exported file either.
        let mode = run.permissions?.mode(in: StoreFiles.folder(of: path)) ?? 0o644
        try reportingFiles {
            let file = try PartialFile(path, mode: mode)
            while let chunk = try run.next() {
                try Task.checkCancellation()
                try file.append(chunk)
            }
            try file.finish()
        }
        return run.result
    }

    /// Returns the text of objects in chunks that are produced on demand, for a network or for
    /// memory.
    ///
    /// ```swift
    /// let request = ExportRequest(Product.fetchRequest(), as: .csv())
    /// for try await chunk in try context.chunks(of: request) {
    ///     try await response.write(chunk)
    /// }
    /// ```
    ///
    /// Objects are read chunk by chunk. If an object is deleted before its chunk is read, the
    /// object is not exported.
    ///
    /// - Throws: ``StoreError`` if the request names a property that the model does not have;
    ///   `CancellationError` if the task is cancelled; the errors of ``fetch(_:)-(FetchRequest<Entity>)``.
    public func chunks<Entity>(of request: ExportRequest<Entity>) throws -> ExportChunks {
        ExportChunks(run: try ExportPreparation(reading: SliceReading(context: self)).run(request))
    }
}

/// Determines the entities, properties and keys of an export.
private struct ExportPreparation {
    let reading: SliceReading

    /// Prepares an export.
    func run<Entity>(_ request: ExportRequest<Entity>) throws -> ExportRun {
        let rows = try reading.rows(of: request.objects)
        let root = rows.entity
        let model = reading.model
        let entities =
            request.entityField == nil
            ? [root]
            : rows.includesSubentities ? model.concreteFamily(of: root) : [root]
        try ExchangePlan.check(request.fieldNames.keys, of: root, entities)
        try ExchangePlan.check(request.relationshipKeys.keys, of: root, entities)
        if let names = request.properties {
            try ExchangePlan.checkExported(names, of: root, entities)
        }
        var omittedRelationships: [String] = []
        let plans = try ExchangePlans(
            root, entities, by: request.entityField, in: model
        ) { entity in
            let wanted = try properties(of: entity, request, &omittedRelationships)
            return try ExchangePlan(
                entity, in: model, properties: wanted, fieldNames: request.fieldNames,
                keys: request.relationshipKeys, dates: request.dateFormat)
        }
        return try ExportRun(
            reading, plans, request.format, try reading.keys(of: request.objects, rows),
            omittedRelationships: omittedRelationships, protectsFormulas: request.protectsFormulas)
    }

    /// The properties of an entity that an export writes.
    private func properties<Entity>(
        of entity: EntityDescription, _ request: ExportRequest<Entity>,
        _ omittedRelationships: inout [String]
    ) throws -> [ExchangePlan.Property] {
        let named = request.properties.map { ExchangePlan.named($0, of: entity) }
        return try (named ?? ExchangePlan.exportable(entity)).filter { property in
            guard case .relationship(let description) = property else { return true }
            let relationship = try ExchangeRelationship(
                description, of: entity, in: reading.model,
                by: request.relationshipKeys[property.name])
            if relationship.key != nil { return true }
            guard named == nil else {
                throw StoreError(
                    code: .invalidRequest,
                    message: "\(entity.name).\(property.name) \(relationship.keylessProblem)",
                    remedy: ExchangeRelationship.remedyOfKeyless)
            }
            if !omittedRelationships.contains(property.name) {
                omittedRelationships.append(property.name)
            }
            return false
        }
    }
}
