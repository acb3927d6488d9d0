import CambiumRecords

/// One level of an order: `Product.title.ascending`, or by a computed value,
/// `Category.products.count.descending`.
///
/// Nil is less than any value, unless ``nilFirst`` or ``nilLast`` changes that. Strings are
/// compared by their bytes, unless the order has another ``TextOrder``:
///
/// ```swift
/// let request = Product.fetchRequest()
///     .sorted(by: Product.title.ascending(.natural), Product.salePrice.descending.nilFirst)
/// ```
public struct SortOrder<Entity: ManagedObject>: Sendable, Hashable {
    private(set) var value: ModelExpression
    let isDescending: Bool
    var texts = TextOrder.bytes
    var placesNilLast: Bool?
    /// The objects that the computed value names.
    var objects: [ObjectID] = []
    /// The path that the program wrote, if it named the property by a string.
    private(set) var path: String?

    /// The order with nil values first.
    public var nilFirst: SortOrder { placingNil(last: false) }

    /// The order with nil values last.
    public var nilLast: SortOrder { placingNil(last: true) }

    private func placingNil(last: Bool) -> SortOrder {
        var order = self
        order.placesNilLast = last
        return order
    }

    /// Returns the sort term for the objects of an entity.
    ///
    /// - Throws: ``StoreError`` with `unknownName` if the program named a property that cannot be
    ///   sorted by.
    func term(for description: EntityDescription) throws(StoreError) -> SortTerm {
        guard let path else { return term }
        var term = self
        term.value = .keyPath(root: .subject, names: try description.sortablePath(path))
        return term.term
    }

    var term: SortTerm {
        SortTerm(
            value, isDescending: isDescending, texts: texts, placesNilLast: placesNilLast)
    }
}

extension SortOrder {
    /// Creates an order by an attribute's name: for objects without a generated class, and for
    /// names that are known only at run time. If there is a key, `Product.price.ascending` is
    /// safer: the compiler checks it.
    ///
    /// ```swift
    /// let request = FetchRequest<ManagedObject>(entityName: "Product")
    ///     .filter(format: "price < %@", 20)
    ///     .sorted(by: SortOrder("category.name"), SortOrder("price", isDescending: true))
    /// ```
    ///
    /// - Parameters:
    ///   - path: The name of an attribute, or names joined by dots: of to-one relationships, and of
    ///     parts of composite values. If the path names anything else, the request throws
    ///     ``StoreError`` with `unknownName` when it is executed.
    ///   - isDescending: Whether the greatest value comes first. Default: false.
    ///   - texts: The comparison of strings. Default: by their bytes.
    public init(_ path: String, isDescending: Bool = false, texts: TextOrder = .bytes) {
        self.init(
            value: .keyPath(
                root: .subject, names: path.split(separator: ".").map(String.init)),
            isDescending: isDescending, texts: texts, path: path)
    }
}

extension EntityDescription {
    /// Returns the path to an attribute that the objects can be sorted by.
    fileprivate func sortablePath(_ path: String) throws(StoreError) -> [String] {
        let names = model.path(path, of: entity)
        let reason: String
        var remedy = "Name a stored attribute of \(name) or of a related object."
        do {
            let found = try ExpressionCompiler.typedValue(
                .keyPath(root: .subject, names: names), entity: entity, model: model)
            switch found {
            case .attribute(_, let attribute, _) where attribute.isTransient:
                reason = "the attribute is transient, and no store has it"
            case .attribute(_, let attribute, _) where attribute.type.isCodable:
                reason = "the attribute is codable, and such values have no order"
            case .attribute: return names
            default: reason = "it is not an attribute"
            }
        } catch {
            reason = error.diagnostics.first?.message ?? "it cannot be read"
            if let first = error.diagnostics.first, first.hint != nil { remedy = first.remedy }
        }
        throw StoreError(
            code: .unknownName, message: "\(name) cannot be sorted by '\(path)': \(reason).",
            remedy: remedy)
    }
}

extension AttributeType {
    fileprivate var isCodable: Bool {
        if case .codable = self { true } else { false }
    }
}

extension SortOrder: CustomStringConvertible {
    /// The compared value and the direction, such as `price descending`.
    public var description: String {
        var text = value.description
        if texts != .bytes { text += " (\(texts))" }
        if isDescending { text += " descending" }
        if let placesNilLast { text += placesNilLast ? ", nil last" : ", nil first" }
        return text
    }
}

/// A level of an order for objects: a ``SortOrder``, or a key alone, which sorts ascending.
///
/// ```swift
/// let request = Product.fetchRequest().sorted(by: Product.kind, Product.price.descending)
/// ```
///
/// The library's types conform; a program does not need to.
public protocol SortOrdering<Root>: ResultOrdering {
    /// The order.
    var sortOrder: SortOrder<Root> { get }
}

extension SortOrdering {
    /// The order in the form for results.
    public var resultOrder: ResultOrder<Root> { ResultOrder(sortOrder) }
}

extension SortOrder: SortOrdering {
    /// The class of the objects that are sorted.
    public typealias Root = Entity

    /// Itself.
    public var sortOrder: SortOrder { self }
}

extension Key: SortOrdering {
    /// The least value first.
    public var sortOrder: SortOrder<Root> { ascending }
}

extension ComputedKey: SortOrdering {
    /// The least value first.
    public var sortOrder: SortOrder<Root> { ascending }
}

extension KeyExpression {
    /// The order by this key with the least value first, for ``FetchRequest/sorted(by:)``.
    public var ascending: SortOrder<Root> { ordered(isDescending: false) }

    /// The order by this key with the greatest value first, for ``FetchRequest/sorted(by:)``.
    public var descending: SortOrder<Root> { ordered(isDescending: true) }

    fileprivate func ordered(
        isDescending: Bool, _ texts: TextOrder = .bytes
    ) -> SortOrder<Root> {
        SortOrder(
            value: expression, isDescending: isDescending, texts: texts, objects: objects)
    }
}

extension KeyExpression where Value == String {
    /// Returns the order by this key with the least string first, in the given text order.
    public func ascending(_ texts: TextOrder) -> SortOrder<Root> {
        ordered(isDescending: false, texts)
    }

    /// Returns the order by this key with the greatest string first, in the given text order.
    public func descending(_ texts: TextOrder) -> SortOrder<Root> {
        ordered(isDescending: true, texts)
    }
}

/// Maps values to bits that sort as the values do, so that most comparisons during a sort are
/// comparisons of integers. If the bits of two values are equal, the values themselves must be
/// compared.
struct SortPrefixes {
    /// The kind of the values, apart from nil: all numbers, all strings, or anything.
    private enum Kind {
        case numbers
        case texts(inCommon: Int)
        case others
    }

    private let kind: Kind

    init(of values: [Value]) {
        var (hasNumbers, hasTexts) = (false, false)
        var common: Substring.UTF8View?
        for value in values {
            switch value {
            case .null:
                continue
            case .int, .double, .date:
                hasNumbers = true
            case .string(let text):
                hasTexts = true
                common = Self.common(common, text)
            default:
                kind = .others
                return
            }
        }
        switch (hasNumbers, hasTexts) {
        case (true, false): kind = .numbers
        // The common prefix of all strings does not affect the order.
        case (false, true): kind = .texts(inCommon: common?.count ?? 0)
        default: kind = .others
        }
    }

    /// Returns the common prefix of two strings.
    private static func common(
        _ one: Substring.UTF8View?, _ other: String
    ) -> Substring.UTF8View {
        guard let one else { return other[...].utf8 }
        let end = zip(one.indices, other.utf8).first { one[$0.0] != $0.1 }?.0
        return one[
            ..<(end ?? one.index(one.startIndex, offsetBy: min(one.count, other.utf8.count)))]
    }

    /// The bits of a value. Nil has the least bits.
    subscript(value: Value) -> UInt64 {
        switch (kind, value) {
        case (_, .null), (.others, _): 0
        case (.numbers, .int(let number)): Self.bits(Double(number))
        case (.numbers, .double(let number)): Self.bits(number)
        case (.numbers, .date(let date)): Self.bits(date.timeIntervalSinceReferenceDate)
        case (.texts(let count), .string(let text)): Self.bits(text.utf8.dropFirst(count))
        default: 0
        }
    }

    /// Returns bits other than 0. NaN has the least.
    private static func bits(_ number: Double) -> UInt64 {
        if number.isNaN { return 1 }
        let bits = (number + 0).bitPattern  // of both zeros the same
        return (bits >> 63 == 0 ? bits | 1 << 63 : ~bits) | 1
    }

    /// Returns bits other than 0.
    private static func bits(_ text: Substring.UTF8View) -> UInt64 {
        var bits: UInt64 = 0
        var count = 0
        for byte in text.prefix(7) {
            bits = bits << 8 | UInt64(byte)
            count += 1
        }
        return bits << UInt64(8 * (8 - count)) | 1
    }
}
