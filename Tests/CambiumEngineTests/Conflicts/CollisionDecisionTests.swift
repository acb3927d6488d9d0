import CambiumModel
import CambiumRecords
import Testing

@testable import CambiumEngine

/// Who gets a value or a partner that two rows claim, and what becomes of keys that reference no
/// row: every case, against a table.
struct CollisionDecisionTests {
    private static func pairs(isPartner: Bool) -> [ClaimPair] {
        ClaimKind.allCases.flatMap { winner in
            ClaimKind.allCases.filter { $0.rawValue >= winner.rawValue }.flatMap { loser in
                [false, true].map {
                    ClaimPair(winner: winner, loser: loser, isPartner: isPartner, isRequired: $0)
                }
            }
        }
    }

    /// By strategy and by the kind of the loser; the winner makes no difference.
    private static let values: [ConflictStrategy: [ClaimKind: CollisionDecision]] = [
        .rollback: [
            .inserted: .unite(.none), .reinserted: .unite(.none),
            .updated: .takeBack(.loser, all: true), .stored: .refuse,
        ],
        .storeTrump: [
            .inserted: .unite(.linksOnly), .reinserted: .unite(.linksOnly),
            .updated: .takeBack(.loser, all: false), .stored: .refuse,
        ],
        .objectTrump: [
            .inserted: .unite(.setValues), .reinserted: .unite(.setValues), .updated: .refuse,
            .stored: .refuse,
        ],
        .overwrite: [
            .inserted: .unite(.allValues), .reinserted: .unite(.allValues), .updated: .refuse,
            .stored: .refuse,
        ],
    ]

    @Test(arguments: ConflictStrategy.allCases)
    func `unique values`(_ strategy: ConflictStrategy) {
        for pair in Self.pairs(isPartner: false) {
            #expect(strategy.decide(pair) == Self.values[strategy]?[pair.loser], "\(pair)")
        }
    }

    @Test(arguments: ConflictStrategy.allCases)
    func `partners`(_ strategy: ConflictStrategy) {
        for pair in Self.pairs(isPartner: true) {
            // Ours stays against a link that others have made; else the first one stays.
            let losesStored =
                [.overwrite, .objectTrump].contains(strategy) && pair.winner == .stored
            let side: CollisionDecision.Side = losesStored ? .winner : .loser
            let kind = losesStored ? pair.winner : pair.loser
            let expected: CollisionDecision =
                strategy == .rollback && kind == .updated
                ? .takeBack(side, all: true) : pair.isRequired ? .refuse : .clear(side)
            #expect(strategy.decide(pair) == expected, "\(pair)")
        }
    }

    @Test func `keys that reference no row`() {
        for rule in [nil] + DeleteRule.allCases.map(Optional.some) {
            for flags in 0..<8 {
                let (isOptional, isInserted, wasDeleted) =
                    (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0)
                let decision = DanglingDecision.decide(
                    rule: rule, isOptional: isOptional, isInserted: isInserted,
                    wasDeleted: wasDeleted)
                let expected: DanglingDecision =
                    switch (rule, isOptional, isInserted, wasDeleted) {
                    case (.cascade?, _, false, _): .delete
                    case (.cascade?, _, true, _): .none
                    case (.deny?, _, _, _): .none
                    case (_, true, _, _): .clear
                    case (_, false, true, true): .leaveDeleted
                    default: .none
                    }
                #expect(decision == expected, "\(String(describing: rule)) \(flags)")
            }
        }
    }
}
