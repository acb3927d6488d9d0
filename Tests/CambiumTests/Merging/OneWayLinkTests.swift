import Cambium
import Testing

/// Unsaved links without an inverse, and another context that deletes one of the ends: the save
/// decides, by the merge policy.
struct OneWayLinkTests {
    private static let model = CompiledModel(
        Model(
            name: "Folders", version: "1",
            entities: [
                Entity(
                    name: "Folder",
                    attributes: [
                        Attribute(
                            name: "name", type: .string, defaultValue: .constant(.string("")))
                    ],
                    relationships: [
                        Relationship(name: "cover", destination: "File", inverse: nil),
                        Relationship(
                            name: "files", destination: "File", inverse: nil, isToMany: true),
                    ]),
                Entity(
                    name: "Album",
                    relationships: [
                        Relationship(
                            name: "cover", destination: "File", inverse: nil, isOptional: false)
                    ]),
                Entity(
                    name: "File",
                    attributes: [
                        Attribute(
                            name: "name", type: .string, defaultValue: .constant(.string("")))
                    ]),
            ]))

    /// A folder that is led to a file without being saved, and a sibling.
    private func withLink(
        _ policy: MergePolicy, to name: String, isFault: Bool = false,
        _ body: (
            ManagedObjectContext, _ folder: ManagedObject, _ file: ManagedObject,
            _ delete: (ManagedObject) throws -> Void
        ) throws -> Void
    ) throws {
        try withContainer(Self.model) { container in
            let (context, sibling) = (container.newContext(), container.newContext())
            context.automaticallyMergesChangesFromParent = true
            context.mergePolicy = policy
            let (folder, file) = (try context.make("Folder"), try context.make("File"))
            try context.save()
            if isFault { context.refreshAllObjects() }
            if name == "files" {
                try folder.many("files").insert(file)
            } else {
                folder[one: name] = file
            }
            #expect(folder.isFault == isFault)
            if name == "files" { #expect(try folder.many("files").count == 1) }
            try body(context, folder, file) { object in
                sibling.delete(sibling.object(with: object.objectID))
                try sibling.save()
                _ = try context.all("File")
            }
            context.processPendingChanges()
            #expect(context.invariantFaults() == [])
        }
    }

    @Test(arguments: ["cover", "files"])
    func `a link to a deleted object is refused, or dropped`(_ name: String) throws {
        for policy in [MergePolicy.error, .storeTrump, .objectTrump] {
            try withLink(policy, to: name) { context, folder, file, delete in
                try delete(file)
                #expect(folder.changedValues().keys.contains(name))
                let request = FetchRequest<ManagedObject>(entityName: "Folder")
                    .filter(format: "cover.name == 'x'")
                #expect(try context.fetch(request) == [])
                guard policy == .error else {
                    try context.save()
                    #expect(folder[one: "cover"] == nil)
                    #expect(try folder.many("files").isEmpty)
                    return
                }
                for _ in 0..<3 {
                    let error = #expect(throws: ValidationError.self) { try context.save() }
                    #expect(error?.property == name)
                }
            }
        }
    }

    /// - Parameter isRead: Whether the context has read where the folder leads.
    @Test(
        arguments: [MergePolicy.error, .storeTrump, .objectTrump, .overwrite, .rollback],
        [false, true])
    func `to delete what is led to clears the links`(_ policy: MergePolicy, isRead: Bool) throws {
        for kind in [StoreKind.memory, .json, .dictionary] {
            try withContainer(Self.model, on: kind) { container in
                let (context, sibling) = (container.newContext(), container.newContext())
                for context in [context, sibling] {
                    context.automaticallyMergesChangesFromParent = true
                    context.mergePolicy = policy
                }
                let (folder, file) = (try context.make("Folder"), try context.make("File"))
                folder[one: "cover"] = file
                try folder.many("files").insert(file)
                try context.save()
                let same = sibling.object(with: folder.objectID)
                #expect(try same.many("files").count == 1 && same[one: "cover"] != nil)
                if isRead {
                    #expect(try folder.many("files").count == 1 && folder[one: "cover"] == file)
                } else {
                    context.refreshAllObjects()
                }
                context.delete(file)
                try context.save()
                #expect(try folder.many("files").isEmpty && folder[one: "cover"] == nil)
                #expect(!context.hasChanges)
                var told: Set<ManagedObject> = []
                let token = sibling.observe(.objectsDidChange) {
                    told.formUnion($0.refreshed.union($0.updated))
                }
                sibling.mergePending()
                #expect(told == [same])
                #expect(try same.many("files").isEmpty && same[one: "cover"] == nil)
                let reader = container.newContext()
                let fresh = reader.object(with: folder.objectID)
                #expect(try fresh.many("files").isEmpty && fresh[one: "cover"] == nil)
                withExtendedLifetime((token, reader)) {}
            }
        }
    }

    /// A folder that leads to a file twice.
    private func withLinks(
        _ body: (ManagedObjectContext, _ folder: ManagedObject, _ file: ManagedObject) throws ->
            Void
    ) throws {
        try withContainer(Self.model) { container in
            let context = container.newContext()
            let (folder, file) = (try context.make("Folder"), try context.make("File"))
            folder[one: "cover"] = file
            try folder.many("files").insert(file)
            try context.save()
            context.refreshAllObjects()
            context.undoManager = ContextUndoManager()
            try body(context, folder, file)
            context.processPendingChanges()
            #expect(context.invariantFaults() == [])
        }
    }

    @Test func `a list that was read during a deletion shows its member after the undo`() throws {
        try withLinks { context, folder, file in
            context.delete(file)
            context.processPendingChanges()
            #expect(try folder.many("files").isEmpty)
            context.undo()
            #expect(try Array(folder.many("files")) == [file])
            try context.save()
            #expect(try Array(folder.many("files")) == [file])
        }
    }

    @Test func `a redo of a deletion clears the links, and so does a refresh after it`() throws {
        try withLinks { context, folder, file in
            context.delete(file)
            context.processPendingChanges()
            context.undo()
            #expect(try folder[one: "cover"] == file && folder.many("files").count == 1)
            context.redo()
            #expect(try folder[one: "cover"] == nil && folder.many("files").isEmpty)
            context.refresh(folder, mergeChanges: false)
            #expect(try folder[one: "cover"] == nil && folder.many("files").isEmpty)
            try context.save()
            #expect(try folder[one: "cover"] == nil && folder.many("files").isEmpty)
        }
    }

    @Test(arguments: [false, true])
    func `to delete what a required link leads to is an error that names it`(
        isRead: Bool
    ) throws {
        try withContainer(Self.model) { container in
            let context = container.newContext()
            let (album, file) = (try context.make("Album"), try context.make("File"))
            album[one: "cover"] = file
            try context.save()
            if !isRead { context.refreshAllObjects() }
            context.delete(file)
            for _ in 0..<2 {
                let error = #expect(throws: ValidationError.self) { try context.save() }
                #expect(error?.property == "cover" && error?.objectID == album.objectID)
            }
            context.delete(album)
            try context.save()
        }
    }

    @Test(arguments: [MergePolicy.error, .storeTrump, .objectTrump], [false, true])
    func `a link of a deleted object is a change of it`(
        _ policy: MergePolicy, isFault: Bool
    ) throws {
        try withLink(policy, to: "files", isFault: isFault) { context, folder, _, delete in
            try delete(folder)
            #expect(folder.hasChanges && !folder.isDeleted)
            if policy == .error {
                for _ in 0..<3 { #expect(throws: (any Error).self) { try context.save() } }
                context.refresh(folder, mergeChanges: false)
            }
            try context.save()
            // Of a fault there are no values that could be inserted again.
            #expect(folder.isDeleted == (policy != .objectTrump || isFault))
            #expect(!context.hasChanges)
        }
    }
}
