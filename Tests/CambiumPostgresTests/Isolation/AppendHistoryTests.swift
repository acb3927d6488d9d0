import Testing

/// The checker finds what it is there for.
struct AppendHistoryTests {
    private func transaction(
        reads: [Int: [Int]] = [:], appends: [Int: Int] = [:],
        _ outcome: AppendTransaction.Outcome = .committed
    ) -> AppendTransaction {
        AppendTransaction(outcome: outcome, reads: reads, appends: appends)
    }

    private func anomalies(
        _ lists: [Int: [Int]], _ transactions: AppendTransaction...
    ) -> Set<Anomaly> {
        Set(AppendHistory(transactions: transactions, lists: lists).anomalies())
    }

    @Test func `transactions one after the other have no anomaly`() {
        #expect(
            anomalies(
                [1: [1, 2], 2: [3]],
                transaction(reads: [1: []], appends: [1: 1]),
                transaction(reads: [1: [1], 2: []], appends: [1: 2, 2: 3]),
                transaction(reads: [1: [1, 2], 2: [3]])
            ).isEmpty)
    }

    @Test func `values that are lost, left over or doubled are found`() {
        #expect(
            anomalies([1: []], transaction(reads: [1: []], appends: [1: 1]))
                .contains(.lostAppend(key: 1, value: 1)))
        #expect(
            anomalies([1: [1]], transaction(reads: [1: []], appends: [1: 1], .aborted))
                == [.strayValue(key: 1, value: 1)])
        #expect(
            anomalies([1: [1, 1]], transaction(reads: [1: []], appends: [1: 1]))
                == [.strayValue(key: 1, value: 1)])
    }

    @Test func `an unknown outcome is what the lists say`() {
        let unknown = transaction(reads: [1: []], appends: [1: 1, 2: 2], .unknown)
        #expect(anomalies([1: [1], 2: [2]], unknown).isEmpty)
        #expect(anomalies([1: [], 2: []], unknown).isEmpty)
        #expect(anomalies([1: [1], 2: []], unknown) == [.lostAppend(key: 2, value: 2)])
    }

    @Test func `what was read must be a beginning of the list`() {
        #expect(
            anomalies(
                [1: [1, 2]], transaction(reads: [1: []], appends: [1: 1]),
                transaction(reads: [1: [1]], appends: [1: 2]), transaction(reads: [1: [2]])
            ).contains(.otherOrder(key: 1, list: [2])))
    }

    @Test func `a lost update is found`() {
        let found = anomalies(
            [1: [1, 2]], transaction(reads: [1: []], appends: [1: 1]),
            transaction(reads: [1: []], appends: [1: 2]))
        #expect(found.contains(.lostUpdate(key: 1, value: 2)))
    }

    @Test func `a circular flow is found`() {
        let found = anomalies(
            [1: [1, 2], 2: [4, 3]], transaction(appends: [1: 1, 2: 3]),
            transaction(appends: [1: 2, 2: 4]))
        #expect(found == [.circularFlow([0, 1])] || found == [.circularFlow([1, 0])])
    }

    @Test func `read skew is found`() {
        // The reader sees one list before the writer, the other one after it.
        let found = anomalies(
            [1: [1], 2: [2]], transaction(reads: [1: [], 2: []], appends: [1: 1, 2: 2]),
            transaction(reads: [1: [], 2: [2]]))
        #expect(found == [.readSkew([0, 1])])
    }

    @Test func `write skew is found`() {
        let found = anomalies(
            [1: [1], 2: [2]], transaction(reads: [1: [], 2: []], appends: [1: 1]),
            transaction(reads: [1: [], 2: []], appends: [2: 2]))
        #expect(found.count == 1)
        #expect(found.allSatisfy { if case .writeSkew = $0 { true } else { false } })
    }
}
