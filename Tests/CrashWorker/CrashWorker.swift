import CambiumMigration
import CambiumSQLite
import FaultVFS

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Migrates a store of ``CrashSample`` and is killed meanwhile:
///
///     CrashWorker STORE statement|row|call|torn NUMBER [step]
///
/// before the statement of that number, within the program's step before that write of it, before
/// that call of the file system, or half-way through it where it writes; with a step of the program
/// in the migration, or without. Ends with 0 where there are not so many.
@main
enum CrashWorker {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4, let number = Int(arguments[3]) else { exit(64) }
        let withStep = arguments.dropFirst(4).first == "step"
        let runner = try CrashSample(withStep: withStep).runner
        var settings = ConnectionSettings()
        switch arguments[2] {
        case "statement":
            var seen = 0
            runner.progress = { progress in
                guard progress.phase == .migration else { return }
                seen += 1
                if seen == number { raise(SIGKILL) }
            }
        case "row":
            guard withStep else { exit(64) }
            runner.code = [CrashStep.label { if $0 == number { raise(SIGKILL) } }]
        case "call", "torn":
            guard fault_vfs_register() == 0 else { exit(70) }
            settings.fileSystem = String(cString: fault_vfs_name())
            fault_vfs_arm(number, arguments[2] == "torn" ? FaultTorn : FaultKill)
        default:
            exit(64)
        }
        _ = try runner.open(fileAt: arguments[1], settings: settings)
    }
}
