import CambiumModel
import CambiumPlan
import CambiumSQL

/// A migration in which the program does steps of its own: what generated code is about.
package struct SteppedMigration: Sendable {
    package let old: Model
    package let new: Model
    /// What the steps write, and what they have to fill.
    package let coverage: StepCoverage

    /// Those between versions that follow each other, the oldest first.
    package static func all(between versions: [Model]) -> [SteppedMigration] {
        zip(versions, versions.dropFirst()).compactMap { old, new in
            guard new.migration?.steps.isEmpty == false,
                let coverage = StepCoverage(ModelDifference(from: old, to: new))
            else { return nil }
            return SteppedMigration(old: old, new: new, coverage: coverage)
        }
    }
}

/// A version that a step lies before or after, as generated code names it.
struct SteppedVersion {
    let model: Model
    /// The name of its namespace.
    let name: String
    /// The root entities whose objects steps write; none where the version is only migrated from.
    let writtenRoots: Set<String>

    /// All versions of some migrations, the oldest first.
    static func all(of migrations: [SteppedMigration]) -> [SteppedVersion] {
        var versions: [SteppedVersion] = []
        for migration in migrations {
            if versions.last?.model.version != migration.old.version {
                versions.append(
                    SteppedVersion(
                        model: migration.old, name: name(migration.old, versions), writtenRoots: [])
                )
            }
            versions.append(
                SteppedVersion(
                    model: migration.new, name: name(migration.new, versions),
                    writtenRoots: migration.coverage.roots))
        }
        return versions
    }

    /// `Version` with the version's name, of which an identifier takes letters and digits.
    private static func name(_ model: Model, _ others: [SteppedVersion]) -> String {
        let letters = model.version.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
        var name = "Version" + String(letters)
        while others.contains(where: { $0.name == name }) { name += "_" }
        return name
    }
}
