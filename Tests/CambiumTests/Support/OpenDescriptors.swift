#if os(Linux)
    import Foundation

    /// How many file descriptors this process has open that lead to what a condition wants: the
    /// path of a file, or the kernel's word for what is none.
    func openDescriptors(_ isMeant: (String) -> Bool) throws -> Int {
        let folder = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count { name in
            // The one that reads the folder is gone by now.
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "\(folder)/\(name)")
            return target.map(isMeant) ?? false
        }
    }
#endif
