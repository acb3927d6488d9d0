import Foundation

/// The measurements of a run of a program.
package struct Run {
    /// The elapsed time in seconds.
    package var wall = 0.0
    /// The processor time in seconds, in the program and in the system for it.
    package var processor = 0.0
    /// The maximum memory of the program in megabytes.
    package var megabytes = 0.0

    /// Runs a program to its end, and discards its output.
    package init(_ program: String, _ arguments: [String], mayFail: Bool = false) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [Int32(1), 2] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
        }
        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
        words.append(nil)
        defer { for word in words { free(word) } }
        var identifier = pid_t()
        let start = ContinuousClock.now
        // Safety: the list of arguments exists until the end of this function and ends with nil.
        guard posix_spawn(&identifier, program, &actions, nil, words, environ) == 0 else {
            throw BenchmarkError("\(program) cannot be run")
        }
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(identifier, &status, 0, &usage) == identifier, status == 0 || mayFail else {
            throw BenchmarkError("\(program) \(arguments.joined(separator: " ")) failed")
        }
        let time = ContinuousClock.now - start
        wall = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        processor = Self.seconds(usage.ru_utime) + Self.seconds(usage.ru_stime)
        #if canImport(Darwin)
            megabytes = Double(usage.ru_maxrss) / 1_048_576
        #else
            megabytes = Double(usage.ru_maxrss) / 1024
        #endif
    }

    private static func seconds(_ time: timeval) -> Double {
        Double(time.tv_sec) + Double(time.tv_usec) / 1e6
    }
}
