import Cambium
import Synchronization

final class Slowest: Sendable {
    let text = Mutex("")
    #if MISTAKE
        let statement = Mutex<WatchedStatement?>(nil)
    #endif
}

func hook(_ slowest: Slowest) -> StatementHook {
    StatementHook { statement in
        slowest.text.withLock { $0 = "\(statement)" }
        #if MISTAKE
            slowest.statement.withLock { $0 = statement }  // error: sending
        #endif
    }
}
