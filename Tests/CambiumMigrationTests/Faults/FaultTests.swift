import CambiumMigration
import CambiumSQLite
import FaultVFS
import Foundation
import Testing

@testable import CrashWorker

/// A call of the file system that fails, each that a migration makes in turn.
struct FaultTests {
    /// Every call with `CAMBIUM_EVERY_CRASH` (in Scripts/test-long.sh),
    /// otherwise one in so many, each time others.
    private static let stride =
        ProcessInfo.processInfo.environment["CAMBIUM_EVERY_CRASH"] == nil ? 10 : 1

    /// What goes wrong.
    enum Fault: String, CaseIterable {
        case once, forever, full

        var mode: FaultMode {
            switch self {
            case .once: FaultOnce
            case .forever: FaultForever
            case .full: FaultFull
            }
        }
    }

    @Test(arguments: ["WAL", "DELETE"], Fault.allCases)
    func `a call that fails leaves the store old or new`(
        journalMode: String, fault: Fault
    ) throws {
        try fail(CrashStore(journalMode: journalMode), fault, every: Self.stride)
    }

    @Test(arguments: Fault.allCases)
    func `a call that fails undoes what a step of the program has done`(fault: Fault) throws {
        let isLong = Self.stride == 1
        for mode in ["WAL", "DELETE"].shuffled().prefix(isLong ? 2 : 1) {
            try fail(
                CrashStore(journalMode: mode, withStep: true), fault, every: isLong ? 1 : 24)
        }
    }

    private func fail(_ store: CrashStore, _ fault: Fault, every stride: Int) throws {
        try #require(fault_vfs_register() == 0)
        var settings = ConnectionSettings()
        settings.fileSystem = String(cString: fault_vfs_name())
        // A lock that fails is tried again and again.
        settings.busyTimeoutMilliseconds = 0
        var call = Int.random(in: 1...stride)
        print("failing at \(call), \(call + stride), … (\(fault))")
        var runs = 0
        var failures = 0
        while true {
            runs += 1
            try store.putBack()
            fault_vfs_arm(call, fault.mode)
            let outcome = Result {
                try store.sample.runner.open(fileAt: store.path, settings: settings)
            }
            let calls = fault_vfs_count()
            fault_vfs_disarm()
            let place = "call \(call), \(fault): \(outcome)"
            let state = try store.check(place)
            switch outcome {
            case .success:
                try #require(state == .new, "old without an error: \(place)")
            case .failure:
                failures += 1
                // One in so many is enough to know that it can be tried again.
                if failures % 5 == 0 { try store.finish(place) }
            }
            if calls < call { break }
            call += stride
        }
        #expect(call > 100, "a migration makes more calls than \(call)")
        #expect(failures > runs / 4, "of \(runs) faults only \(failures) were noticed")
    }
}
