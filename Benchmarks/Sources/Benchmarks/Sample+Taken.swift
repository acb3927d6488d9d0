extension Sample {
    /// Completes a measurement. It waits for the work that a commit left for later. The checksum of
    /// a bulk write is computed from the file, and not by the side that wrote it.
    static func taken(
        of workload: Workload, _ stopwatch: Stopwatch, _ checksum: Checksum,
        from file: StoreFile, of dataset: Dataset
    ) throws -> Sample {
        let operations = workload == .observe ? dataset.renames.count : workload.repetitions
        var sample = Sample(
            milliseconds: stopwatch.milliseconds / Double(max(operations, 1)), checksum: checksum)
        if workload.isWriting {
            sample.deferred = try file.settle()
        }
        if workload.isWriting && workload != .observe {
            sample.checksum = try file.contents()
        }
        return sample
    }
}
