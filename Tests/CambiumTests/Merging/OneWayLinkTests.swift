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
