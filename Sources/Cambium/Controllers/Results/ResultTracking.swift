/// Who hears of the changes of a controller's results, and how far the results are.
struct ResultTracking {
    private struct WeakConsumer {
        weak var consumer: ResultConsumer?
    }

    private var weakConsumers: [WeakConsumer] = []
    /// Whether something may have changed that the list does not show.
    var isStale = false
    /// Whether a change could not be followed, for an error that is not over yet.
    var isBehind = false
    var isDelivering = false
    /// Changes that came while others were told.
    var waiting: [ObjectChanges] = []

    var consumers: [ResultConsumer] { weakConsumers.compactMap(\.consumer) }
    var hasConsumers: Bool { weakConsumers.contains { $0.consumer != nil } }

    mutating func add(_ consumer: ResultConsumer) {
        weakConsumers.removeAll { $0.consumer == nil }
        weakConsumers.append(WeakConsumer(consumer: consumer))
    }

    /// The results were fetched anew.
    mutating func restart() {
        isStale = false
        isBehind = false
        for consumer in consumers { consumer.restart() }
    }
}
