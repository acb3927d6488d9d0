/// Waits until a condition holds that another thread or a later job brings about, for as long as
/// ten seconds unless another limit is given; the caller then expects it. A fixed number of yields
/// would pass on a quiet machine only: with nothing else to run they take microseconds.
func eventually(
    within limit: Duration = .seconds(10), isolation: isolated (any Actor)? = #isolation,
    _ condition: () throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while try !condition(), clock.now < end { try await Task.sleep(for: .milliseconds(1)) }
}
