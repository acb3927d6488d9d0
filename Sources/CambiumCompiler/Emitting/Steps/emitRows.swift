import CambiumModel

/// The rows of a version's entities: structs, so that no version but the current one has classes.
extension SwiftEmitter {
    /// The modifier of what only the library calls.
    private var hiddenModifier: String {
        access == .public ? "@_spi(Generated) \(modifier)" : modifier
    }

    func emitRows(of version: SteppedVersion, to writer: inout SwiftWriter) {
        let names = names.withRows(of: version.model)
        writer.block("\(isolation)extension \(SwiftText.identifier(model.name))") { writer in
            writer.doc("Version \(version.model.version), as steps of migrations see it.")
            writer.block(
                "\(modifier)enum \(version.name): \(names.library("MigrationVersion"))"
            ) { writer in
                writer.doc("The version's name.")
                writer.line(
                    "\(modifier)static var versionName: \(names.standard("String")) { "
                        + "\(SwiftText.literal(version.model.version)) }")
                writer.each(version.model.entities) { entity, writer in
                    let row = GeneratedRow(entity, of: version, names)
                    emit(row, of: version, names, to: &writer)
                }
            }
        }
    }

    private func emit(
        _ row: GeneratedRow, of version: SteppedVersion, _ names: GeneratedNames,
        to writer: inout SwiftWriter
    ) {
        let conformance = row.isWritable ? "WritableMigrationRow" : "MigrationRow"
        writer.doc("A row of `\(row.entity.name)`.")
        writer.block("\(modifier)struct \(row.typeName): \(names.library(conformance))") { writer in
            writer.doc("The version that has the entity.")
            writer.line("\(modifier)typealias Version = \(version.name)")
            writer.nextDoc("Where the rows are.")
            var arguments: [(label: String?, value: SwiftCode)] = [
                ("entity", .string(row.entity.name)), ("root", .string(row.root)),
            ]
            if !row.family.isEmpty {
                arguments.append(("family", .array(row.family.map { .string($0) })))
            }
            arguments.append(("columns", .array(row.properties.map { .string($0.column) })))
            writer.code(
                "\(hiddenModifier)static let layout: \(names.library("RowLayout")) = ",
                .call(".init", arguments))
            writer.nextDoc("The values.")
            writer.line(
                "\(hiddenModifier)var storage: \(names.library("RowStorage"))")
            writer.nextDoc("Makes a row of values.")
            writer.line(
                "\(hiddenModifier)init(storage: \(names.library("RowStorage"))) {")
            writer.line("    self.storage = storage")
            writer.line("}")
            if row.isWritable, !row.entity.isAbstract {
                emitInitializer(of: row, names, to: &writer)
            }
            for property in row.properties { emit(property, of: row, to: &writer) }
            for link in row.links {
                writer.nextDoc("The links of `\(link.name)`.")
                writer.body(
                    "\(modifier)static var \(link.name): \(names.library("MigrationLink"))"
                        + "<\(row.typeName), \(link.destination)>"
                ) { $0.code("", link.code) }
            }
        }
    }

    private func emitInitializer(
        of row: GeneratedRow, _ names: GeneratedNames, to writer: inout SwiftWriter
    ) {
        let properties = row.properties.filter(\.isSettable)
        writer.nextDoc("A new row, to be inserted.")
        let parameters =
            properties.filter { $0.start == nil }.map { "\($0.name): \($0.type)" }
            + properties.compactMap { property in
                property.start.map { "\(property.name): \(property.type) = \($0)" }
            }
        writer.function("\(modifier)init", parameters: parameters) { writer in
            let storage = names.libraryInitializer("RowStorage")
            writer.line("storage = \(storage)(count: \(row.properties.count))")
            for property in properties {
                writer.line("self.", property.name, " = ", property.name)
            }
        }
    }

    private func emit(
        _ property: GeneratedRow.Property, of row: GeneratedRow, to writer: inout SwiftWriter
    ) {
        writer.nextDoc(property.summary)
        let head = "\(modifier)var \(property.name): \(property.type)"
        guard row.isWritable, property.isSettable else {
            writer.block(head, statement: property.getter)
            return
        }
        writer.block(head) { writer in
            writer.block("get", statement: property.getter)
            writer.block("set", statement: property.setter)
        }
    }
}
