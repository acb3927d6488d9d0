// The one place that chooses Foundation's flavour. Where the essentials exist (Linux) they are
// enough for dates, decimals, UUIDs, URLs and data, and cost a process 4 ms less at start.
#if canImport(FoundationEssentials)
    @_exported import FoundationEssentials
#else
    @_exported import Foundation
#endif
