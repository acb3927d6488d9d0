import Cambium

extension Package {
    /// Name, version and architecture, which together name one package: `bash 5.2-1 (amd64)`.
    public var label: String { "\(name) \(version) (\(architecture))" }

    /// The archive area of the section: `contrib` of `contrib/net`, `main` where none is written.
    public var area: String {
        guard let name = section?.name, let slash = name.firstIndex(of: "/") else { return "main" }
        return String(name[..<slash])
    }
}

extension Dependency {
    /// The alternative as a package list writes it: `libc6:any (>= 2.34) [amd64]`.
    public var written: String {
        var text = name
        if let qualifier { text += ":\(qualifier)" }
        if let constraint { text += " (\(constraint))" }
        if let architectures { text += " [\(architectures)]" }
        return text
    }
}
