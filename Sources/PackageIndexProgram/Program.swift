#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The command `package-index`.
@main
enum Program {
    static func main() async {
        let errors = Terminal(descriptor: STDERR_FILENO)
        do {
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            if arguments.wantsHelp {
                print(Arguments.usage)
                return
            }
            try await PackageIndexRun(arguments, Terminal()).run()
        } catch let error as UsageError {
            errors.event("package-index: \(error.description)")
            errors.event("package-index --help says what it takes")
            exit(64)  // EX_USAGE
        } catch {
            errors.event("package-index: \(error)")
            exit(1)
        }
    }
}
