import CambiumModel
import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumCompiler

/// Every predicate in a real model goes through the checker: as the request that it becomes, or as
/// the mistake that it is.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence))
struct CorpusPredicateTests {
    private struct Predicate: Hashable {
        let model: String
        let request: String
        let text: String
    }

    /// What each is taken for: the condition as it is printed, or the mistake.
    private static let expected: [Predicate: Result<String, Refusal>] = [
        Predicate(
            model: "Model 2", request: "fetchedProperty", text: "true == true"):
            .success("true == true"),
        Predicate(model: "Model 2", request: "ObjectFetchRequest", text: "uuid == $UUID"):
            .success("uuid == $UUID"),
        Predicate(
            model: "Model 2", request: "ObjectIDFetchRequest",
            text: "oneToOne.name == $NAME OR string == $NEEDLE"):
            .success("oneToOne.name == $NAME OR string == $NEEDLE"),
        Predicate(model: "WordPress 13", request: "UnreadNotes", text: "unread == 1"):
            .success("unread == 1"),
        Predicate(model: "WordPress 14", request: "UnreadNotes", text: "unread == 1"):
            .success("unread == 1"),
        Predicate(model: "WordPress 15", request: "UnreadNotes", text: "unread == 1"):
            .success("unread == 1"),
        Predicate(model: "WordPress 16", request: "UnreadNotes", text: "unread == 1"):
            .success("unread == 1"),
        // The attribute is called lastname.
        Predicate(model: "Contacts", request: "fetchTheDucks", text: "lastName LIKE \"Duck*\""):
            .failure(
                Refusal(message: "'Person' has no property 'lastName'; the request is left out")),
    ]

    private struct Refusal: Error, Hashable {
        let message: String
    }

    @Test func `every predicate is accepted, or refused for the known reason`() throws {
        var found: [Predicate: Result<String, Refusal>] = [:]
        for path in Corpus.bundles where try Self.hasPredicate(path) {
            let bundle = BundleReader.read(path).bundle
            for version in bundle.versions {
                let requests = version.root.children.flatMap { entity in
                    entity.children.filter { $0.name == "fetch" || $0.name == "fetched" }
                }
                let predicates = requests.compactMap { request -> Predicate? in
                    let text = request["where"]?.value ?? request.text.trimmed.value
                    return text.isEmpty
                        ? nil
                        : Predicate(
                            model: version.version, request: request["name"]?.value ?? "",
                            text: text)
                }
                guard !predicates.isEmpty else { continue }
                let (model, diagnostics) = ModelChecker.check(
                    version, bundleName: bundle.name, previousVersion: nil, previous: nil)
                let mistakes = diagnostics.filter { $0.code == .invalidExpression }.map(\.message)
                let conditions = Dictionary(
                    (model?.model.entities ?? []).flatMap { entity in
                        entity.fetchTemplates.map { ($0.name, $0.condition) }
                            + entity.fetchedProperties.map { ($0.name, $0.condition) }
                    }.map { ($0.0, $0.1?.description ?? "") },
                    uniquingKeysWith: { first, _ in first })
                for predicate in predicates {
                    found[predicate] =
                        conditions[predicate.request].map { .success($0) }
                        ?? .failure(Refusal(message: mistakes.joined(separator: "\n")))
                }
            }
        }
        #expect(found.count == Self.expected.count)
        for (predicate, result) in found {
            #expect(result == Self.expected[predicate], "\(predicate)")
        }
    }

    private static func hasPredicate(_ path: String) throws -> Bool {
        let words = Data("predicateString".utf8)
        let files = FileManager.default.enumerator(atPath: path)?.compactMap { $0 as? String } ?? []
        return try files.contains { file in
            guard file == "contents" || file.hasSuffix("/contents") else { return false }
            return try Data(contentsOf: URL(fileURLWithPath: path + "/" + file)).range(of: words)
                != nil
        }
    }
}
