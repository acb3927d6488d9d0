import CambiumCoreData
import EverythingModel
import Foundation
import Testing

@testable import Cambium
@testable import CambiumEngine
@testable import CambiumExchange
@testable import CambiumSQLiteStore
@testable import CambiumCoreDataStore
@testable import CambiumMigration
@testable import CambiumModel
@testable import CambiumSQLite

/// Every public error says what is wrong, the reason, and what to do about it: three texts.
struct ErrorWordsTests {
    private func expectWords(
        _ error: any Error, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard let error = error as? any LocalizedError else {
            Issue.record("\(error) has no words", sourceLocation: sourceLocation)
            return
        }
        let words = [error.errorDescription, error.failureReason, error.recoverySuggestion]
            .compactMap(\.self).map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        #expect(
            Set(words).count == 3 && !words.contains(""), "\(error): \(words)",
            sourceLocation: sourceLocation)
        #expect(
            words.last?.last.map { ".?…".contains($0) } == true, "\(error): \(words)",
            sourceLocation: sourceLocation)
        #expect(
            words.last.map { words.first?.contains($0) } == false, "\(error): \(words)",
            sourceLocation: sourceLocation)
        let said = words.joined(separator: " ")
        for word in [
            "is gone", "leads to", "lead to", "stands for", "anew", "is there", "leave to",
        ] {
            #expect(!said.contains(word), "\(said)", sourceLocation: sourceLocation)
        }
    }

    /// What a store throws in as many ways as are cheap.
    private func storeErrors() throws -> [StoreError] {
        var errors: [StoreError] = [
            .readOnly, .closed, .busy, .noHistory, .sectionNotContiguous, .historyExpired(UUID()),
            .noKeysLeft(for: "Node"), .cannotWatch(["a"], 28), .cannotFollow("a"),
            SQLiteEngine.noKeys(of: "Node"),
        ]
        for path in ["", ":memory:", "file:a", "https://a", "a\0", "a/", "/dev/null"] {
            do {
                try StoreFile.requirePath(path)
            } catch {
                errors.append(error)
            }
        }
        for code: Int32 in [5, 6, 8, 10, 11, 13, 14, 23, 26] {
            let cause = SQLiteError(code: code, message: "as SQLite says it")
            for operation in [StoreUse.Operation.opening, .reading, .writing] {
                errors += [StoreError(cause, in: operation, "/no/a.sqlite")].compactMap(\.self)
            }
            for path in ["/no/a.sqlite", "/", "/dev/null/a", #filePath, #filePath + ".no"] {
                errors += [true, false].compactMap {
                    StoreError(opening: path, isReadOnly: $0, cause)
                }
            }
        }
        let use = StoreUse(operation: .writing, path: #filePath, versionHash: "")
        let unsafe = SQLiteError(code: 1, message: "unsafe use of virtual table \"a\"")
        errors.append(try #require(StoreError(unsafe, in: use, on: nil)))
        let removed = StoreUse(operation: .writing, path: "/no/a.sqlite", versionHash: "")
        for cause in [SQLiteError(FileChange.replaced), SQLiteError(code: 10, message: "no")] {
            errors.append(try #require(StoreError(cause, in: removed, on: nil)))
        }
        func fail(
            sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
        ) {
            if let error = #expect(
                throws: StoreError.self, sourceLocation: sourceLocation, performing: body)
            {
                errors.append(error)
            }
        }
        fail { try reportingFiles { throw FileError("a", "opened", code: ENOENT) } }
        fail { try reportingFiles { throw FileError("a", "opened", because: "a folder") } }
        fail { _ = try MissingStore.detached.externalData(named: "a") }
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let context = container.newContext()
        let node = Node(in: context, label: "a")
        fail { _ = try context.insertObject(ofEntity: "Being") }
        fail { _ = try context.fetch(FetchRequest<ManagedObject>(entityName: "Nod")) }
        fail { _ = try context.fetch(Node.fetchRequest().limit(-1)) }
        fail { _ = try context.fetch(Node.fetchRequest().sorted(by: SortOrder("parts"))) }
        fail { try FetchedResultsController(Node.fetchRequest(), in: context).performFetch() }
        fail {
            try withContainer(Everything.model, on: .dictionary) {
                try $0.newContext().setQueryGeneration(.current)
            }
        }
        fail { try context.newChildContext().setQueryGeneration(.current) }
        for name in ["numbr", "parts", "box"] {
            fail { _ = try node.value(forKey: name) }
        }
        fail { _ = try node.relatedObjects(forKey: "label") }
        fail { try node.setValue(.string("x"), forKey: "number") }
        let entity = node.entityDescription
        for name in ["numbr", "parts", "previous"] {
            fail { _ = try entity.assignableSlot(name) }
        }
        fail { _ = try entity.assigned(.string("x"), to: "number") }
        fail { _ = try entity.assigned(.string("x"), to: "box") }
        fail { try container.newContext().obtainPermanentIDs(for: [node]) }
        try context.save()
        errors.append(.missingRow(of: node))
        fail { _ = try context.existingObject(with: node.objectID, as: Box.self) }
        let token = try container.newContext().existingObject(with: node.objectID)
        context.delete(node)
        try context.save()
        fail { _ = try context.existingObject(with: token.objectID) }
        return errors
    }

    @Test func `what a store throws is said with the reason and the remedy`() throws {
        let errors = try storeErrors()
        for error in errors {
            expectWords(error)
            #expect(error.message == "\(error.problem) \(error.remedy)")
        }
        // The others only arise where a hook, a value or a rule of the program's own is at fault.
        let codes = Set(errors.map(\.code))
        #expect(codes.count == 14, "\(codes)")
        for code in [StoreError.Code.unreadable, .unsettled] {
            expectWords(StoreError(code: code, message: "It fails.", remedy: "Correct it."))
            expectWords(
                StoreError(
                    code: code, message: "It fails.", remedy: "Correct it.",
                    underlying: CancellationError()))
        }
    }

    @Test func `every kind of violation is said with the reason and the remedy`() {
        let codes: [ValidationError.Code] = [
            .custom, .missing, .tooFew, .tooMany, .deleteDenied, .numberTooLarge, .numberTooSmall,
            .dateTooLate, .dateTooSoon, .tooLong, .tooShort, .patternMismatch, .notUnique,
            .ruleViolated, .unfitDecimal, .nulInText, .unencodable,
        ]
        let errors = codes.map {
            ValidationError(
                code: $0, entityName: "Node", objectID: nil, property: "label",
                message: "label is not right.")
        }
        errors.forEach { expectWords($0) }
        expectWords(
            ValidationError(
                code: .ruleViolated, entityName: "Node", objectID: nil, property: nil,
                rule: "order", message: "Low is at most high"))
        expectWords(
            ValidationError(
                code: .missing, entityName: "", objectID: nil, property: nil, message: "It fails."))
        expectWords(ValidationErrors(errors: Array(errors.prefix(5))))
    }

    @Test func `every failure of a migration is said with the reason and the remedy`() {
        let cause = SQLiteError(code: 19, message: "as SQLite says it")
        let object = ExternalObject(
            kind: .view, name: "a", statement: "", reason: .isNotTrusted, remedy: "drop it")
        let draft = OtherDraft(
            file: "a", model: "A", version: "1", changes: ["A.b was added"], obstacles: [],
            refusal: nil, frozenVersion: nil, definition: "")
        let errors: [MigrationError] = [
            .notAStore, .otherModel(store: "A", program: "B"),
            .newerFormat(store: "9", program: "1"), .newerVersion(store: "9", program: "1"),
            .noWayBack(store: "2", target: "1"),
            .unknownVersion(store: "1", hash: "a", known: ["1 (b)"]), .otherDraft(draft),
            .refused(MigrationRefusal(step: "a", reason: "b")),
            .statementFailed(step: "a", cause),
            .statementFailed(step: "a", SQLiteError(code: 13, message: "full")),
            .storeIsDamaged(finding: "a"), .brokenLinks(table: "A", count: 1, object: 1),
            .brokenLinks(table: "A", count: 2, object: nil), .storeDiffers([]),
            .columnsHaveNoPlace([]), .externalObjectsInTheWay([object]),
            .objectsAreNotTrusted([object]), .backupFailed(path: "/a", cause),
            .backupOfFilesFailed(path: "/a", reason: "There is a file"),
            .migrationIsOff(store: "1", program: "2"), .codeIsMissing(steps: ["a"]), .cancelled,
        ]
        for error in errors {
            expectWords(error)
            expectWords(StoreLoadingError(StoreDescription(location: .temporary), error))
        }
        let mistakes: [MigrationStepMistake] = [
            .noRow(entity: "A", row: 1), .noSuccessor(entity: "A", row: 1, successor: "B"),
            .missingValue(entity: "A", row: 1, constraint: "b is required"),
            .notUnique(entity: "A", columns: ["b"], rows: [1, 2]),
            .unfitValue(entity: "A", column: "b"), .nulInText(entity: "A", column: "b"),
            .notWritable(entity: "A"), .unkeptDate(entity: "A", column: "b"),
        ]
        for mistake in mistakes {
            expectWords(mistake)
            expectWords(MigrationStepError(step: "a", entity: "A", row: 1, mistake))
        }
        expectWords(MigrationStepError(step: "a", CancellationError()))
        expectWords(
            MigrationVerificationError(failures: [.init(from: "1", to: "2", reason: "no")]))
    }

    @Test func `every failure of an import of a Core Data store is said likewise`() {
        func mismatch(_ unknownEntities: [String]) -> VersionMismatch {
            VersionMismatch(
                store: "/a", model: "A", identifiers: [], nearest: "1", differences: ["A.b"],
                named: nil, unknownEntities: unknownEntities,
                versions: [.init(version: "1", differences: 1)])
        }
        let errors: [CoreDataImportError] = [
            .noFile(path: "/a"), .notCoreData(path: "/a", reason: "it has no tables"),
            .damaged(path: "/a", SQLiteError(code: 11, message: "as SQLite says it")),
            .cannotRead(path: "/a", reason: "no permission"), .inUse(path: "/a"),
            .fitsNoVersion(mismatch([])), .fitsNoVersion(mismatch(["B"])),
            .noSuchVersion("9", known: ["1"]), .versionIsEarlier("1", than: "2"),
            .destinationExists(path: "/a"), .destinationIsSource(path: "/a"),
            .isRunning(path: "/a"), .cannotWrite(path: "/a", reason: "no room"), .cancelled,
        ]
        errors.forEach { expectWords($0) }
    }

    @Test func `every other error is said with the reason and the remedy`() throws {
        for code: Int32 in [1, 5, 8, 9, 10, 11, 13, 14, 19, 26] {
            expectWords(SQLiteError(code: code, message: "as SQLite says it"))
            let error = SQLiteError(code: code, message: "as SQLite says it", sql: "SELECT 1")
            expectWords(error)
            expectWords(StoreLoadingError(StoreDescription(location: .temporary), error))
        }
        let loading = StoreLoadingError(
            StoreDescription(location: .temporary), CancellationError())
        expectWords(loading)
        expectWords(StoreLoadingErrors(errors: [loading, loading]))
        for error in [StoreError.readOnly as any Error, CancellationError()] {
            expectWords(BatchInsertError(row: 1, underlying: error))
            expectWords(
                IncompleteSaveError(committedStores: [], failedStores: [], underlying: error))
            expectWords(
                ImportError(
                    source: 0, sourceName: "a.csv", line: 1, column: 2, field: "b",
                    message: "b is not a number.", underlying: error))
        }
        expectWords(
            ImportError(
                source: 0, sourceName: "a.csv", line: nil, column: nil, field: nil,
                message: "The JSON ends too early.", underlying: nil))
        expectWords(QueryGenerationExpired(reason: "it was held for too long"))
        let read = ReadReport.Repetition(entityName: "A", relationshipName: "b", count: 2)
        for repetitions in [[], [read]] {
            expectWords(
                TooManyReadsError(
                    limit: 1, report: ReadReport(reads: ["a", "b"], repetitions: repetitions),
                    place: "a.swift:1"))
        }
        expectWords(UnsupportedPredicateError(part: "a", reason: "b", remedy: "Write c"))
        let mistake = ExpressionDiagnostic(offset: 1, message: "'a' has no property 'b'")
        let hinted = ExpressionDiagnostic(
            offset: 1, message: "'a' has no property 'b'", hint: "did you mean 'c'?")
        expectWords(mistake)
        expectWords(hinted)
        #expect(hinted.recoverySuggestion == "Did you mean 'c'?")
        expectWords(ExpressionDiagnostics([mistake, hinted]))
        expectWords(PatternLimitError(pattern: "a*", steps: 1))
        expectWords(RandomNumbersError())
    }

    @Test func `conflicts are said with the reason and the remedy`() throws {
        let container = try PersistentContainer(model: Everything.model, at: .temporary)
        let context = container.newContext()
        let robot = Robot(in: context, name: "a", serial: "1")
        try context.save()
        let other = container.newContext()
        let theirs = try other.get(robot.objectID, as: Robot.self)
        theirs.name = "theirs"
        robot.name = "mine"
        try context.save()
        let conflict = try #require(#expect(throws: ConflictError.self) { try other.save() })
        expectWords(conflict)
        _ = Robot(in: context, name: "b", serial: "1")
        let equal = try #require(
            #expect(throws: ConstraintConflictError.self) { try context.save() })
        expectWords(equal)
        var merged = conflict.conflicts[0]
        for name in ["serail", "home"] {
            let error = #expect(throws: StoreError.self) {
                try merged.setValue(.string("x"), forKey: name)
            }
            expectWords(try #require(error))
        }
        let unfit = #expect(throws: StoreError.self) {
            try merged.setValue(.int(1), forKey: "name")
        }
        expectWords(try #require(unfit))
    }
}
