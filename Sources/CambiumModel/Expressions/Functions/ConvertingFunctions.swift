// Conversions, and what is no function of values: the evaluator and the SQL know these themselves.
extension FunctionDescriptor {
    static let now = FunctionDescriptor(
        spelling: .call("now"), arguments: [], typed: { _ in .function(.now, [], .date) })

    static let uuid = FunctionDescriptor(
        spelling: .call("uuid"), arguments: [], typed: { _ in .function(.uuid, [], .uuid) })

    static let entity = FunctionDescriptor(
        spelling: .call("entity"), arguments: ["object"],
        typed: { operands in
            guard case .object = operands[0].type else { return nil }
            return .function(.entity, operands, .string)
        })

    static let string = FunctionDescriptor(
        spelling: .call("string"), arguments: ["x"], isInSQLite: { $0 == .integer },
        typed: { operands in
            if operands[0].type == .string { return .function(.string, operands, .double) }
            return operands[0].type.isNumber ? .function(.string, operands, .string) : nil
        },
        value: { arguments in
            switch arguments.first {
            case .string(let text): NumberText.double(text).map { .double($0) } ?? .null
            case .int(let number): .string(String(number))
            case .double(let number): .string(number.description)
            case .decimal(let number) where arguments.type == .anyDecimal:
                .string(number.description)
            case .decimal:
                arguments.type.scale.flatMap { scale in
                    arguments.type.units(of: arguments.first).map { units in
                        .string(DecimalStorage.decimal(ofUnits: units, scale: scale).description)
                    }
                } ?? .null
            default: .null
            }
        })

    static let text = FunctionDescriptor(
        spelling: .cast("NSString"), arguments: ["x"], otherCasts: ["string"],
        methods: ["stringvalue", "description"],
        isInSQLite: { $0 == .integer || $0 == .string },
        typed: { operands in
            if operands[0].type == .string { return operands[0] }
            return operands[0].type.isNumber ? .function(.string, operands, .string) : nil
        })

    static let number = FunctionDescriptor(
        spelling: .cast("NSNumber"), arguments: ["x"], otherCasts: ["nsdecimalnumber", "double"],
        methods: ["doublevalue", "floatvalue", "timeintervalsincereferencedate"],
        isInSQLite: { $0 == .date || $0?.isNumber == true },
        typed: { operands in
            switch operands[0].type {
            case .string: .function(.string, operands, .double)
            case .date: .convert(operands[0], .double)
            default: operands[0].type.isNumber ? operands[0] : nil
            }
        })

    static let date = FunctionDescriptor(
        spelling: .cast("NSDate"), arguments: ["x"], otherCasts: ["date"],
        isInSQLite: { $0 == .date || $0?.isNumber == true },
        typed: { operands in
            operands[0].type == .date
                ? operands[0] : operands[0].floating.map { .convert($0, .date) }
        })
}
