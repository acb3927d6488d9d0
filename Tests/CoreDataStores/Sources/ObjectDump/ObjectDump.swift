import Cambium
import CambiumAuthoring
import Foundation

/// Prints every object of stores as the runtime shows it: without generated classes, by name.
///
///     ObjectDump MODEL < LIST
///
/// Each line of the list names a version of the model, a store and a file for the output, separated
/// by tabs. The output has a line of JSON for each object; a store that cannot be opened or read has
/// none, and is told.
@main
struct ObjectDump {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else {
            FileHandle.standardError.write(Data("usage: ObjectDump MODEL < LIST\n".utf8))
            exit(64)
        }
        let models = CheckedVersions(of: CommandLine.arguments[1]).models
        var isFine = true
        while let line = readLine() {
            let words = line.split(separator: "\t").map(String.init)
            guard words.count == 3 else { continue }
            do {
                guard let model = models.first(where: { $0.version == words[0] }) else {
                    throw Failure("the model has no version \(words[0]) without errors")
                }
                try dump(words[1], of: model, to: words[2])
            } catch {
                isFine = false
                FileHandle.standardError.write(Data("\(words[1]): \(error)\n".utf8))
            }
        }
        exit(isFine ? 0 : 1)
    }

    private static func dump(_ store: String, of model: Model, to output: String) throws {
        let container = try PersistentContainer(
            model: CompiledModel(model), at: .file(store))
        let context = container.newContext()
        // What a getter cannot say, the context is told.
        var failure: (any Error)?
        context.onInaccessibleFault = { failure = failure ?? $1 }
        var text = Data()
        for root in model.entities where root.parent == nil {
            for object in try context.fetch(FetchRequest<ManagedObject>(entityName: root.name)) {
                let values = try ObjectValues(of: object, in: model)
                text += try JSONSerialization.data(
                    withJSONObject: values.json, options: [.sortedKeys])
                text.append(UInt8(ascii: "\n"))
            }
        }
        if let failure { throw failure }
        try text.write(to: URL(fileURLWithPath: output))
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
