import CambiumPostgres
import PackageIndex

/// The command `package-index-postgres`: the demo with its store on a server, beside one in SQLite.
@main
enum Program {
    private static let usage = """
        usage: package-index-postgres [--store URL] [--input FILE]

        Reads a list of Debian packages into a Cambium store on PostgreSQL, and shows what happens.
        Then it reads the same list into a store in a SQLite file, and prints the figures of both.

          --store URL   the server, as libpq takes it: a URL, or keys and values. Without it, PGHOST,
                        PGUSER and the like say where it is. The store is in the schema
                        'package_index'. It is made where it does not exist, and continued where it
                        does
          --input FILE  a list in Debian's control format; see package-index --help
          --help        this text
        """

    static func main() async {
        await Arguments.run("package-index-postgres") { arguments in
            if arguments.wantsHelp { return print(usage) }
            let terminal = Terminal()
            let server = DemoStore(
                name: "PostgreSQL",
                location: .postgres(arguments.store ?? "", schema: "package_index"))
            let summary = try await PackageIndexRun(arguments, server, terminal).run()
            let figures = summary.figures
            let others = try await PackageIndexRun(arguments, DemoStore(file: nil), .silent).run()
                .figures
            for line in figures.lines(beside: others) { terminal.event(line) }
            if summary.isOfNewStore, figures.counts != others.counts { throw DifferentStores() }
        }
    }

    private struct DifferentStores: Error, CustomStringConvertible {
        let description = "the two stores have different numbers of objects"
    }
}
