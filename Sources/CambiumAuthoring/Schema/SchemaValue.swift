import CambiumCompiler
import CambiumModel
import CambiumPlan

/// What the value of an XML attribute may be.
enum SchemaValue: String, CaseIterable {
    case text, name, flag, count, scale, type
    case access, rawType, codegen, custom, external, merge, deleteRule, indexKind, result
    case linksOfDuplicates, migrationKind

    /// The name of its type in the schema.
    var typeName: String {
        self == .text ? "xs:string" : rawValue
    }

    /// The words that it may be, where it is one of a few.
    var words: [String] {
        switch self {
        case .flag: ["true", "false"]
        case .access: AccessLevel.allCases.map(\.rawValue)
        case .rawType: ["string", "int16", "int32", "int64"]
        case .codegen: CodeGeneration.allCases.map(\.rawValue)
        case .custom: ["custom"]
        case .external: ["external"]
        case .merge: MergeRule.allCases.map(\.rawValue)
        case .deleteRule: DeleteRule.allCases.map(\.rawValue)
        case .indexKind: IndexKind.allCases.map(\.rawValue)
        case .result: RequestResultKind.allCases.map(\.rawValue)
        case .linksOfDuplicates: MigrationDeclaration.Deduplication.Links.allCases.map(\.rawValue)
        case .migrationKind: MigrationKind.allCases.map(\.rawValue)
        case .type: ModelChecker.typeWords
        case .text, .name, .count, .scale: []
        }
    }
}
