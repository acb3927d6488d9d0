extension PredicateLowering {
    /// What a captured value stands for.
    mutating func captured(_ value: Any) throws -> PredicateMeaning {
        if let optional = value as? any OptionalValue {
            return try optional.content.map { try captured($0) } ?? .value(.literal(.null))
        }
        switch value {
        case let id as ObjectID:
            objects.append(id)
            return .value(.literal(.int(id.key)))
        case let value as any AttributeValue:
            return .value(.literal(value.attributeValue))
        case let number as any BinaryInteger:
            guard let exact = Int64(exactly: number) else { break }
            return .value(.literal(.int(exact)))
        case let number as any BinaryFloatingPoint:
            return .value(.literal(.double(Double(number))))
        case let text as any StringProtocol:
            return .value(.literal(.string(String(text))))
        case let character as Character:
            return .value(.literal(.string(String(character))))
        case let regex as PredicateExpressions.PredicateRegex:
            return .value(.literal(.string(regex.stringRepresentation)))
        case let range as any CapturedRange:
            return range.meaning
        case let elements as any Sequence:
            return .list(try list(elements))
        default:
            break
        }
        throw UnsupportedPredicateError(
            part: "\(type(of: value))", reason: "a store knows no values of this type",
            remedy: "Capture a value of an attribute's type, an ObjectID, or a list of such")
    }

    private mutating func list(_ elements: some Sequence) throws -> [ModelExpression] {
        var values: [ModelExpression] = []
        for element in elements {
            guard let value = try captured(element).value else {
                throw UnsupportedPredicateError(
                    part: "\(type(of: element))", reason: "a list of lists cannot be searched",
                    remedy: "Make one list of them")
            }
            values.append(value)
        }
        return values
    }
}

/// A range of values of attributes.
protocol CapturedRange {
    var meaning: PredicateMeaning { get }
}

extension ClosedRange: CapturedRange where Bound: AttributeValue {
    var meaning: PredicateMeaning {
        .range(
            lower: .literal(lowerBound.attributeValue), upper: .literal(upperBound.attributeValue),
            includesUpper: true)
    }
}

extension Range: CapturedRange where Bound: AttributeValue {
    var meaning: PredicateMeaning {
        .range(
            lower: .literal(lowerBound.attributeValue), upper: .literal(upperBound.attributeValue),
            includesUpper: false)
    }
}

extension PartialRangeFrom: CapturedRange where Bound: AttributeValue {
    var meaning: PredicateMeaning {
        .range(lower: .literal(lowerBound.attributeValue), upper: nil, includesUpper: true)
    }
}

extension PartialRangeThrough: CapturedRange where Bound: AttributeValue {
    var meaning: PredicateMeaning {
        .range(lower: nil, upper: .literal(upperBound.attributeValue), includesUpper: true)
    }
}

extension PartialRangeUpTo: CapturedRange where Bound: AttributeValue {
    var meaning: PredicateMeaning {
        .range(lower: nil, upper: .literal(upperBound.attributeValue), includesUpper: false)
    }
}
