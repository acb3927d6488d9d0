import CambiumSQL

extension StoreFinding {
    /// Creates the finding for a row that answers a question.
    ///
    /// - Parameters:
    ///   - other: The key at the other end of a link.
    ///   - entity: The name of the row's entity; empty if it is the question's.
    package init(
        _ question: StructureQuestion, key: Int64, other: Int64, entity: String
    ) {
        let member = "\(question.destination ?? "")/\(other)"
        let (kind, message): (Kind, String) =
            switch question.fault {
            case .unknownEntity:
                (.unknownEntity, "the row is of an entity that has no objects in the model")
            case .keyOfOtherEntity:
                (
                    .wrongEntity,
                    "it references an object by a relationship of \(question.entity), which is "
                        + "another entity"
                )
            case .pairWithoutOwner:
                (.danglingPair, "it is paired with \(member) and does not exist")
            case .pairWithoutMember:
                (.danglingPair, "it is paired with \(member), which does not exist")
            case .pairOfOtherOwner:
                (.wrongEntity, "it is paired with \(member) and is of another entity")
            case .pairOfOtherMember:
                (.wrongEntity, "it is paired with \(member), which is of another entity")
            case .oneSidedPair:
                (.oneSidedLink, "it references \(member), which does not reference it")
            case .missingPlace:
                (.missingPlace, "\(member) has no position in the order")
            case .duplicatePlace:
                (.duplicatePlace, "\(member) has the same position in the order as another object")
            }
        self.init(
            kind, entityName: entity.isEmpty ? question.entity : entity, key: key,
            property: question.property, message)
    }
}
