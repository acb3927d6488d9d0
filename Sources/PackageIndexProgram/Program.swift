import PackageIndex

/// The command `package-index`.
@main
enum Program {
    static func main() async {
        await Arguments.run("package-index") { arguments in
            if arguments.wantsHelp { return print(Arguments.usage) }
            let store = try DemoStore(file: arguments.store)
            try await PackageIndexRun(arguments, store, Terminal()).run()
        }
    }
}
