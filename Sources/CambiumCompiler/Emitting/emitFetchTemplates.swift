import CambiumModel

extension SwiftEmitter {
    /// A function for each of the entity's named requests.
    func emitFetchTemplates(of entity: GeneratedEntity, to writer: inout SwiftWriter) {
        let request = names.library("FetchRequest")
        writer.block("\(isolation)extension \(entity.typeName)") { writer in
            for (index, template) in entity.entity.fetchTemplates.enumerated() {
                if index > 0 { writer.line() }
                writer.doc("The request `\(template.name)`.")
                writer.function(
                    "\(modifier)static func \(SwiftText.identifier(template.name))",
                    parameters: template.parameters.map {
                        "\(SwiftText.identifier($0.name)): \(names.swiftType(of: $0.type))"
                    },
                    result: " -> \(request)<\(entity.typeName)>"
                ) { writer in
                    writer.code(
                        "\(entity.typeName).fetchRequest()",
                        .call(
                            ".template", .string(template.name),
                            .dictionary(
                                template.parameters.map { (.string($0.name), argument($0)) })))
                }
            }
        }
    }

    /// A parameter as a value.
    private func argument(_ parameter: FetchParameter) -> SwiftCode {
        let name = SwiftText.identifier(parameter.name)
        let int64 = names.standard("Int64")
        return switch parameter.type {
        case .bool: .text(".bool(\(name))")
        case .int64: .text(".int(\(name))")
        case .int16, .int32: .text(".int(\(int64)(\(name)))")
        case .double: .text(".double(\(name))")
        case .float: .text(".double(\(names.standard("Double"))(\(name)))")
        case .decimal: .text(".decimal(\(name))")
        case .string: .text(".string(\(name))")
        case .date: .text(".date(\(name))")
        case .uuid: .text(".uuid(\(name))")
        case .uri: .text(".uri(\(name))")
        case .data: .text(".data(\(name))")
        case .enumeration(let enumeration):
            model.enumeration(named: enumeration)?.rawType == .string
                ? .text(".string(\(name).rawValue)") : .text(".int(\(int64)(\(name).rawValue))")
        }
    }
}
