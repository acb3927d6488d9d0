import CambiumModel

/// How the stored values of one type become those of another, without loss: a value that the new
/// type cannot hold makes the migration refuse the store.
struct AttributeConversion {
    /// SQL for the new value, from SQL for the old one.
    let value: (String) -> String
    /// SQL that is true where the old value (not NULL) has a new form; nil where every one has.
    let fits: ((String) -> String)?
    /// SQL that is true where the new form says what the old value says, even where it is beyond
    /// what the new type holds: then a fill that looks at it can put it right. Nil where it always
    /// does.
    let isExact: ((String) -> String)?

    init(
        value: @escaping (String) -> String = { $0 }, fits: ((String) -> String)? = nil,
        isSameThing: Bool = false
    ) {
        self.init(value: value, fits: fits, isExact: fits, isSameThing: isSameThing)
    }

    init(
        value: @escaping (String) -> String, fits: ((String) -> String)?,
        isExact: ((String) -> String)?, isSameThing: Bool = false
    ) {
        self.value = value
        self.fits = fits
        self.isExact = isExact
        self.isSameThing = isSameThing
    }

    /// SQL that is true where the old value can be taken.
    ///
    /// - Parameter isRevised: Whether the author computes what it becomes from the value.
    func acceptance(isRevised: Bool) -> ((String) -> String)? { isRevised ? isExact : fits }

    /// Whether the types differ in Swift only, so that nothing about the store changes.
    let isSameThing: Bool

    /// Whether values that fit stay as they are.
    var keepsValues: Bool { value("x") == "x" }

    /// Finds the way from one attribute's values to those of another, or nil where there is none
    /// that is sure.
    init?(
        from old: Attribute, in oldModel: Model, to new: Attribute, in newModel: Model
    ) {
        guard
            let plain = AttributeConversion(
                from: old.type, in: oldModel, to: new.type, in: newModel)
        else { return nil }
        switch (old.usesExternalForm, new.usesExternalForm) {
        case (true, true), (false, false):
            self = plain
        case (false, true):
            self.init(
                value: { "CAST(x'01' || \(plain.value($0)) AS BLOB)" }, fits: plain.fits)
        case (true, false):
            // What lies in a file cannot be read by SQL.
            let content = { (column: String) in "substr(\(column), 2)" }
            self.init(
                value: { plain.value(content($0)) },
                fits: { column in
                    let isInline = "substr(\(column), 1, 1) = x'01'"
                    return plain.fits.map { "\(isInline) AND \($0(content(column)))" } ?? isInline
                })
        }
    }

    /// The same for values that are not in files.
    init?(from old: AttributeType, in oldModel: Model, to new: AttributeType, in newModel: Model) {
        guard
            let base = Self.base(
                from: oldModel.plainType(of: old), to: newModel.plainType(of: new))
        else { return nil }
        guard case .enumeration(let name) = new, let target = newModel.enumeration(named: name)
        else {
            self = base
            return
        }
        let ways = Self.replacements(from: old, in: oldModel, to: name, in: newModel)
        if old == new, oldModel.plainType(of: old) == newModel.plainType(of: new) {
            self = base.replacing(ways)
            return
        }
        let raws = target.cases.compactMap { newModel.stored($0.rawValue, as: new) }
            .map(SQLText.literal).joined(separator: ", ")
        if case .enumeration(let name) = old, let before = oldModel.enumeration(named: name),
            before.cases.allSatisfy({ item in
                target.heir(of: item) != nil || ways.contains { $0.name == item.name }
            })
        {
            self = AttributeConversion(value: base.value).replacing(ways)
            return
        }
        let converted = AttributeConversion(
            value: base.value,
            fits: { column in
                let isCase = "\(base.value(column)) IN (\(raws))"
                return base.fits.map { "\($0(column)) AND \(isCase)" } ?? isCase
            }, isExact: base.isExact)
        self = converted.replacing(ways)
    }

    private static func base(
        from old: AttributeType, to new: AttributeType
    ) -> AttributeConversion? {
        if old == new { return AttributeConversion() }
        switch (old, new) {
        case (.float, .double), (.date, .double), (.double, .date),
            (.uri, .string), (.uuid, .data):
            return AttributeConversion()
        case (.data, .uuid):
            return AttributeConversion(fits: { "length(\($0)) = 16" })
        case (.codable, .codable):
            // Which JSON a class can be made of, only the class knows.
            return AttributeConversion(isSameThing: true)
        case (.codable, .string):
            return AttributeConversion()
        case (.string, .data), (.uri, .data), (.codable, .data):
            return AttributeConversion(value: { "CAST(\($0) AS BLOB)" })
        case (.int16, .string), (.int32, .string), (.int64, .string):
            return AttributeConversion(value: { "CAST(\($0) AS TEXT)" })
        case (_, .double) where range(of: old) != nil:
            return AttributeConversion(
                value: { "CAST(\($0) AS REAL)" },
                fits: old == .int64
                    ? { "\($0) BETWEEN -9007199254740992 AND 9007199254740992" } : nil)
        case (.bool, .float), (.int16, .float):
            return AttributeConversion(value: { "CAST(\($0) AS REAL)" })
        case (.double, _) where range(of: new) != nil:
            guard let range = range(of: new) else { return nil }
            // Beyond 2^53 a whole number is no longer sure to be the one that was meant.
            let bound = min(range.upperBound, 9_007_199_254_740_992)
            let least = max(range.lowerBound, -9_007_199_254_740_992)
            return AttributeConversion(
                value: { "CAST(\($0) AS INTEGER)" },
                fits: {
                    "\($0) BETWEEN \(least) AND \(bound) AND CAST(\($0) AS INTEGER) = \($0)"
                },
                isExact: {
                    "abs(\($0)) <= 9007199254740992 AND CAST(\($0) AS INTEGER) = \($0)"
                })
        case (.decimal(let scale), .double):
            let factor = powerOfTen(scale)
            return AttributeConversion(
                value: { "CAST(\($0) AS REAL) / \(factor).0" },
                fits: { "\($0) BETWEEN -9007199254740992 AND 9007199254740992" })
        case (.double, .decimal(let scale)):
            let factor = powerOfTen(scale)
            return AttributeConversion(
                value: { "CAST(round(\($0) * \(factor).0) AS INTEGER)" },
                fits: {
                    "abs(\($0) * \(factor).0) <= 9007199254740992.0 "
                        + "AND round(\($0) * \(factor).0) / \(factor).0 = \($0)"
                })
        case (.anyDecimal, _), (_, .anyDecimal):
            return unscaled(from: old, to: new)
        case (_, .string):
            return written(old)
        case (.string, _):
            return read(as: new)
        default:
            return exact(from: old, to: new)
        }
    }

    static func range(of type: AttributeType) -> ClosedRange<Int64>? {
        switch type {
        case .bool: 0...1
        case .int16: Int64(Int16.min)...Int64(Int16.max)
        case .int32: Int64(Int32.min)...Int64(Int32.max)
        case .int64: Int64.min...Int64.max
        default: nil
        }
    }
}

extension Model {
    /// The type, or of an enumeration the type of its raw values.
    func plainType(of type: AttributeType) -> AttributeType {
        guard case .enumeration(let name) = type else { return type }
        return enumeration(named: name)?.rawType ?? type
    }
}
