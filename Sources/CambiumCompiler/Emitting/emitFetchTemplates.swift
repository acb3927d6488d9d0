import CambiumModel

extension SwiftEmitter {
    /// A function for each of the entity's named requests.
    func emitFetchTemplates(of entity: GeneratedEntity, to writer: inout SwiftWriter) {
        writer.block("\(isolation)extension \(entity.typeName)") { writer in
            for (index, template) in entity.entity.fetchTemplates.enumerated() {
                if index > 0 { writer.line() }
                writer.doc(
                    describe(template) + lines.note(entity.entity.name, template.name))
                let name = ReservedNames.memberName(template.name, among: ReservedNames.members)
                writer.function(
                    "\(modifier)static func \(SwiftText.identifier(name))",
                    parameters: template.parameters.map(declaration),
                    result: " -> \(resultType(template, entity.typeName))"
                ) { writer in
                    let type = names.library("FetchRequest")
                    var request = "\(type)<\(entity.typeName)>()"
                    if type != "FetchRequest" {
                        // A request of that name hides the type, and `Cambium` the module.
                        writer.line(
                            "let _request: \(type)<\(entity.typeName)> = .init()")
                        request = "return _request"
                    }
                    writer.code(
                        request, .call(".template", arguments(template)), form(template))
                }
            }
        }
    }

    private func resultType(_ template: FetchTemplate, _ typeName: String) -> String {
        switch template.options.resultKind {
        case .objects: return names.library("FetchRequest") + "<\(typeName)>"
        case .ids: return names.library("IDRequest") + "<\(typeName)>"
        case .count: return names.library("CountRequest") + "<\(typeName)>"
        case .dictionaries:
            let value = names.library("PropertyValue")
            let row = "[\(names.standard("String")): \(value)]"
            return names.library("ResultRequest") + "<\(typeName), \(row)>"
        }
    }

    /// What makes it a request for what it gives.
    private func form(_ template: FetchTemplate) -> String {
        switch template.options.resultKind {
        case .objects: ""
        case .ids: ".ids"
        case .count: ".count"
        case .dictionaries: ".dictionaries()"
        }
    }

    private func declaration(_ parameter: FetchParameter) -> String {
        let type =
            parameter.entity.map { names.className(ofEntity: $0, in: model) }
            ?? names.swiftType(of: parameter.type)
        return SwiftText.identifier(parameter.name) + ": " + (parameter.isList ? "[\(type)]" : type)
    }

    private func arguments(_ template: FetchTemplate) -> [(label: String?, value: SwiftCode)] {
        let single = template.parameters.filter { !$0.isList }
        let lists = template.parameters.filter(\.isList)
        var arguments: [(label: String?, value: SwiftCode)] = [
            (nil, .string(template.name)),
            (
                nil,
                .dictionary(
                    single.map { parameter in
                        let name = SwiftText.identifier(parameter.name)
                        return (.string(parameter.name), .text(value(name, of: parameter)))
                    })
            ),
        ]
        if !lists.isEmpty {
            let pairs = lists.map { parameter in
                let name = SwiftText.identifier(parameter.name)
                let element = value("$0", of: parameter)
                return (
                    key: SwiftCode.string(parameter.name),
                    value: SwiftCode.text("\(name).map { \(element) }")
                )
            }
            arguments.append(("lists", .dictionary(pairs)))
        }
        let objects = template.parameters.filter { $0.entity != nil }.map { parameter in
            let name = SwiftText.identifier(parameter.name)
            return parameter.isList ? "\(name).map(\\.objectID)" : "[\(name).objectID]"
        }
        if !objects.isEmpty {
            arguments.append(("objects", .text(objects.joined(separator: " + "))))
        }
        return arguments
    }

    /// An argument, or an element of one, as a value; an object as its key.
    private func value(_ name: String, of parameter: FetchParameter) -> String {
        parameter.entity == nil
            ? value(name, of: parameter.type) : ".int(\(name).objectID.key)"
    }

    /// An argument, or an element of one, as a value.
    private func value(_ name: String, of type: AttributeType) -> String {
        var (descriptor, value) = (type.descriptor, name)
        if case .enumeration(let enumeration) = type {
            descriptor = model.enumeration(named: enumeration)?.rawType.descriptor ?? descriptor
            value += ".rawValue"
        }
        if let type = descriptor.valueType, type != descriptor.swiftName || value != name {
            value = "\(names.initializer(of: names.standard(type)))(\(value))"
        }
        return ".\(descriptor.valueCase)(\(value))"
    }
}
