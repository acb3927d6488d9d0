/// Where a program's stores are unless it says otherwise.
enum DefaultDirectory {
    /// Application Support on Apple's systems; elsewhere the folder for data of the XDG
    /// specification, and in it one of the program's name.
    static var path: String {
        #if canImport(Darwin)
            let folder = URL.applicationSupportDirectory.path(percentEncoded: false)
            return folder.hasSuffix("/") ? String(folder.dropLast()) : folder
        #else
            let environment = ProcessInfo.processInfo.environment
            let program = ProcessInfo.processInfo.processName
            // A relative path is none, the specification says.
            if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
                return "\(data)/\(program)"
            }
            let home = environment["HOME"] ?? FileManager.default.currentDirectoryPath
            return "\(home)/.local/share/\(program)"
        #endif
    }
}
