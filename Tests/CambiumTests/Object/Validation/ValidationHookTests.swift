import Cambium
import EverythingModel
import Testing

struct ValidationHookTests {
    private struct Refusal: Error, Equatable {}

    private func withWatched(_ body: (ManagedObjectContext, Watched) throws -> Void) throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            try body(context, Watched(in: context))
        }
    }

    @Test func `a save calls the override for a new object`() throws {
        try withWatched { context, watched in
            watched.onValidate = { _ in throw Refusal() }
            let error = #expect(throws: ValidationError.self) { try context.save() }
            #expect(error?.code == .custom)
            #expect(error?.objectID == watched.objectID)
            #expect(error?.underlying is Refusal)
            watched.onValidate = nil
            try context.save()
        }
    }

    @Test func `a save calls the override for a changed object`() throws {
        try withWatched { context, watched in
            try context.save()
            watched.onValidate = { _ in throw Refusal() }
            try context.save()
            watched.count = 3
            #expect(throws: ValidationError.self) { try context.save() }
        }
    }

    @Test func `a save calls the override for a deleted object, and only that for deletes`() throws
    {
        try withWatched { context, watched in
            try context.save()
            watched.onValidate = { isDeletion in if isDeletion { throw Refusal() } }
            watched.count = 3
            try context.save()
            context.delete(watched)
            #expect(throws: ValidationError.self) { try context.save() }
            watched.onValidate = nil
            try context.save()
            #expect(watched.managedObjectContext == nil)
        }
    }

    @Test func `what all objects throw is collected`() throws {
        try withWatched { context, watched in
            _ = Limited(in: context, count: 11, ratio: 2)
            watched.onValidate = { _ in throw Refusal() }
            let errors = #expect(throws: ValidationErrors.self) { try context.save() }
            #expect(
                Set(errors?.errors.map(\.code) ?? []) == [.numberTooLarge, .custom])
            #expect(errors?.errors.count == 3)
        }
    }
}
