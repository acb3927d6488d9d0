import CambiumRecords

/// The plans of a file's objects: one plan, or one for each entity of a hierarchy.
struct ExchangePlans: Sendable {
    /// The entity of the source, or of the export's request.
    let entity: EntityDescription
    /// A plan for each entity that an object may be of.
    let plans: [ExchangePlan]
    /// Selects the entity of a row; nil if there is one plan.
    let choice: EntityChoice?
    private let numberByEntity: [Int: Int]

    /// - Parameters:
    ///   - entities: The entities that an object may be of; without a field, only the first one.
    ///   - field: The field that names the entity.
    ///   - plan: Makes the plan of an entity.
    init(
        _ entity: EntityDescription, _ entities: [EntityDescription],
        by field: ExchangeEntityField?, in model: ModelDescription,
        plan: (EntityDescription) throws -> ExchangePlan
    ) throws {
        self.entity = entity
        choice = try field.map { try EntityChoice($0, among: entities, of: entity, in: model) }
        plans = try entities.map(plan)
        numberByEntity = Dictionary(
            uniqueKeysWithValues: entities.enumerated().map { ($1.index, $0) })
        guard let field, let taken = plans.first(where: { $0.hasField(field.name) }) else { return }
        throw StoreError(
            code: .invalidRequest,
            message: "The field \(field.name) contains the entity of each object, but is also the "
                + "field of \(taken.entity.name).",
            remedy: "Give one of them another name: ExchangeEntityField.name, or fieldNames.")
    }

    /// The number of the plan for an object of an entity.
    func number(of entity: EntityDescription) -> Int {
        choice == nil ? 0 : numberByEntity[entity.index] ?? 0
    }
}

extension ModelDescription {
    /// The entities of a family that have objects of their own.
    func concreteFamily(of entity: EntityDescription) -> [EntityDescription] {
        families[entity.index].map { entities[$0] }.filter { !$0.isAbstract }
    }
}

/// Tells the entity of an object by a word of the file.
struct EntityChoice: Sendable {
    /// The name of the field that has the word.
    let field: FieldName
    private let root: EntityDescription
    private let model: ModelDescription
    private let entities: [EntityDescription]
    /// The number of an entity by each word for it.
    private var numberByWord: [String: Int] = [:]
    /// The word for each entity.
    private var words: [String] = []
    private let defaultNumber: Int?

    /// - Parameter entities: The entities that have objects of their own.
    init(
        _ field: ExchangeEntityField, among entities: [EntityDescription],
        of root: EntityDescription, in model: ModelDescription
    ) throws {
        self.field = FieldName(field.name)
        self.root = root
        self.model = model
        self.entities = entities
        func number(of name: String) throws -> Int {
            if let number = entities.firstIndex(where: { $0.name == name }) { return number }
            throw StoreError.unknownName(
                "The entity field \(field.name) names \(name), which is not \(root.name) or a "
                    + "sub-entity of it, or is abstract.", name, among: entities.map(\.name))
        }
        defaultNumber = try field.defaultEntity.map(number)
        for (word, name) in field.words.ordered(by: { $0.key < $1.key }) {
            numberByWord[word] = try number(of: name)
        }
        for (number, entity) in entities.enumerated() {
            let own = numberByWord.filter { $0.value == number }.keys.min()
            guard own == nil, let other = numberByWord[entity.name] else {
                words.append(own ?? entity.name)
                if own == nil { numberByWord[entity.name] = number }
                continue
            }
            throw StoreError(
                code: .invalidRequest,
                message: "In the entity field \(field.name) the word \(entity.name) means "
                    + "\(entities[other].name), so that no word means \(entity.name).",
                remedy: "Add a word for \(entity.name) to ExchangeEntityField.words.")
        }
    }

    /// The word for an entity, by its number.
    func word(of number: Int) -> String { words[number] }

    /// The number of the entity that a word means.
    ///
    /// - Parameter word: Nil if the file has none.
    /// - Throws: ``FieldProblem`` if the word means no entity.
    func number(of word: String?) throws -> Int {
        guard let word else {
            if let defaultNumber { return defaultNumber }
            throw FieldProblem(
                "is required: it has the entity of the object. Write \(known), or set "
                    + "ExchangeEntityField.defaultEntity.")
        }
        if let number = numberByWord[word] { return number }
        guard let other = model[word] else {
            throw FieldProblem("means no entity. Write \(known).")
        }
        // An entity that the request does not accept, or with another name.
        let reason =
            if !model.families[root.index].contains(other.index) {
                "is not \(root.name) or a sub-entity of it"
            } else if other.isAbstract {
                "is abstract: no object is of it alone"
            } else {
                "has another word here"
            }
        throw FieldProblem("means \(other.name), which \(reason). Write \(known).")
    }

    /// Whether a file may be without the field.
    var hasDefault: Bool { defaultNumber != nil }

    /// The words that a file may contain there.
    var known: String { FieldProblem.list(words) }
}
