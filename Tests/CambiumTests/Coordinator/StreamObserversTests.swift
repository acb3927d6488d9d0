@testable import Cambium
import Foundation
import Testing

/// Streams of what observers are told.
struct StreamObserversTests {
    /// What a stream has when those who fill it are gone.
    private func all<Element: Sendable>(_ stream: AsyncStream<Element>) async -> [Element] {
        var elements: [Element] = []
        for await element in stream { elements.append(element) }
        return elements
    }

    @Test func `each observer hears all that is told from then on`() async {
        var observers: StreamObservers<Int>? = StreamObservers()
        observers?.send(0)
        let first = observers?.makeStream()
        observers?.send(1)
        let second = observers?.makeStream()
        observers?.send(2)
        observers = nil
        if let first, let second {
            #expect(await all(first) == [1, 2])
            #expect(await all(second) == [2])
        }
    }

    @Test func `an element comes to who waits for it`() async {
        let observers = StreamObservers<Int>()
        let stream = observers.makeStream()
        let heard = Log()
        let reader = Task {
            for await element in stream { heard.append("\(element)") }
        }
        for element in 0..<3 {
            observers.send(element)
            try? await eventually { heard.entries.count == element + 1 }
        }
        reader.cancel()
        await reader.value
        #expect(heard.entries == ["0", "1", "2"])
    }

    @Test func `of each store one change waits, which says what was lost meanwhile`() async {
        let (one, other) = (UUID(), UUID())
        var observers: StreamObservers<RemoteStoreChange>? = StreamObservers(
            joining: RemoteStoreChange.join)
        let stream = observers?.makeStream()
        for number in 1...50 {
            for store in [one, other] {
                let token = HistoryToken([store: .init(epoch: store, change: Int64(number))])
                observers?.send(
                    RemoteStoreChange(
                        storeIdentifier: store, token: token,
                        isComplete: store == other || number != 20))
            }
        }
        observers = nil
        guard let stream else { return }
        let waiting = await all(stream)
        #expect(waiting.map(\.storeIdentifier) == [one, other])
        #expect(waiting.map(\.isComplete) == [false, true])
        #expect(waiting.map { $0.token?.positions.values.map(\.change) } == [[50], [50]])
    }
}
