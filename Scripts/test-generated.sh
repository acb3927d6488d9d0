#!/bin/sh
# Compiles every accepted Swift folder of Tests/CambiumCompilerTests/Cases/Emitting/Models with
# warnings as errors, as the modules of one package. It runs a program that opens a store of each
# model in memory, inserts an object of each entity, saves if the model allows it, and fetches.
# Every module is compiled a second time with the main actor as its default isolation.
#
#   Scripts/test-generated.sh
#
# CAMBIUM_SCRATCH names a folder for the package and its products; it speeds up the next run.
set -eu
. "$(dirname "$0")/setup.sh"
root=$(pwd)
work=${CAMBIUM_SCRATCH:-}
if [ -z "$work" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
trap 'exit 1' HUP INT TERM
mkdir -p "$work" && work=$(cd "$work" && pwd)
package=$work/Generated
rm -rf "$package/Sources" "$package/Package.swift"
rm -f "$work/Cambium" && ln -s "$root" "$work/Cambium"
mkdir -p "$package/Sources/Run"

targets=
modules=
imports=
calls=
for case in "$root"/Tests/CambiumCompilerTests/Cases/Emitting/Models/*/; do
    file=$(ls "$case"Swift/*Model.swift)
    model=$(basename "$file" Model.swift)
    for module in "${model}Module" "${model}MainModule"; do
        mkdir -p "$package/Sources/$module"
        cp "$case"Swift/*.swift "$package/Sources/$module/"
        if [ -f "${case}Extensions.swift" ]; then
            cp "${case}Extensions.swift" "$package/Sources/$module/"
        fi
        isolation=
        case $module in *MainModule) isolation=", .defaultIsolation(MainActor.self)" ;; esac
        targets="$targets
        .target(name: \"$module\", dependencies: [\"Cambium\"],
            swiftSettings: strict + [.swiftLanguageMode(.v6)$isolation]),"
        modules="$modules, \"$module\""
    done
    # An internal model is visible only in its own module, which passes it on. If a model has steps
    # of the program, the steps of the case are used.
    steps=
    if grep -q "protocol ${model}Migration:" "${case}Swift/${model}Migrations.swift"; then
        steps=".performing(${model}Steps())"
    fi
    printf 'import Cambium\n\nnonisolated public let the%s = %s.model%s\n' "$model" "$model" \
        "$steps" > "$package/Sources/${model}Module/Hand.swift"
    imports="${imports}import ${model}Module
"
    calls="${calls}try check(the$model)
"
done

cat > "$package/Package.swift" << EOF
// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let package = Package(
    name: "Generated", platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Cambium", path: "$work/Cambium")],
    targets: [$(printf '%s' "$targets" | sed 's/\["Cambium"\]/[.product(name: "Cambium", package: "Cambium")]/')
        .executableTarget(
            name: "Run",
            dependencies: [.product(name: "Cambium", package: "Cambium")$modules],
            swiftSettings: strict),
    ])
EOF
{
    printf 'import Cambium\n%s\n' "$imports"
    cat << 'EOF'
/// Values that every type takes.
func value(of attribute: Attribute, in model: Model) -> Value {
    switch attribute.type {
    case .bool: .bool(true)
    case .int16, .int32, .int64: .int(1)
    case .float, .double: .double(1.5)
    case .decimal, .anyDecimal: .decimal(1)
    case .string: .string("AB")
    case .date: .date(Date(timeIntervalSinceReferenceDate: 1))
    case .duration: .duration(.seconds(1))
    case .uuid: .uuid(UUID())
    case .uri: .uri(URL(fileURLWithPath: "/"))
    case .data: .data(Data([1]))
    case .enumeration(let name): model.enumeration(named: name)?.cases.first?.rawValue ?? .null
    case .codable: .string("null")
    }
}

func check(_ compiled: CompiledModel) throws {
    let model = compiled.model
    let container = try PersistentContainer(model: compiled, at: .memory)
    let context = container.newContext()
    var inserted = 0
    for entity in model.entities where !entity.isAbstract && entity.codeGeneration != .none {
        let object = try context.insertObject(ofEntity: entity.name)
        for attribute in model.attributes(of: entity)
        where !attribute.isOptional && attribute.defaultValue == nil && attribute.derivation == nil {
            try object.setValue(value(of: attribute, in: model), forKey: attribute.name)
        }
        inserted += 1
    }
    do {
        try context.save()
    } catch {
        // An object that cannot do without others is refused, with a reason.
        guard error is ValidationError || error is ValidationErrors else { throw error }
        print("\(model.name): \(error)")
        return
    }
    var fetched = 0
    for entity in model.entities where entity.parent == nil {
        fetched += try context.fetch(FetchRequest<ManagedObject>(entityName: entity.name)).count
    }
    guard fetched == inserted else {
        throw Failure(text: "\(model.name): \(inserted) saved, \(fetched) fetched")
    }
    print("\(model.name): \(fetched) objects saved and fetched")
}

struct Failure: Error { let text: String }

EOF
    printf '%s' "$calls"
} > "$package/Sources/Run/main.swift"

flags="--package-path $package --scratch-path $work/build"
# shellcheck disable=SC2086
swiftpm build $system $flags --product Run
# shellcheck disable=SC2086
swift run --skip-build $system $flags Run

# The public symbols of a generated module. If a case has the list Symbols.txt, it must be complete.
target=$(swiftc -print-target-info | sed -n 's/^ *"triple": "\(.*\)",$/\1/p' | head -n 1)
# shellcheck disable=SC2086
modules=$(modules "$(products $flags)")
differences=0
for list in "$root"/Tests/CambiumCompilerTests/Cases/Emitting/Models/*/Symbols.txt; do
    case=$(dirname "$list")
    model=$(basename "$(ls "$case"/Swift/*Model.swift)" Model.swift)
    rm -rf "$work/symbols" && mkdir -p "$work/symbols"
    swift symbolgraph-extract -module-name "${model}Module" -target "$target" \
        -I "$modules" -minimum-access-level public -skip-synthesized-members \
        -Xcc "-fmodule-map-file=$root/Sources/CSQLite/module.modulemap" \
        -output-dir "$work/symbols" > "$work/symbols.log" 2>&1 || {
        cat "$work/symbols.log"
        exit 1
    }
    # The package's own variable, which passes the model on, is not included.
    grep -o '"pathComponents":\[[^]]*\]' "$work/symbols/${model}Module.symbols.json" \
        | sed -e 's/"pathComponents":\[//' -e 's/\]//' -e 's/"//g' -e 's/,/./g' \
        | grep -v "^the$model\$" | sort -u > "$work/found"
    if [ "${CAMBIUM_ACCEPT:-}" = 1 ]; then
        cp "$work/found" "$list"
    elif ! diff "$list" "$work/found"; then
        echo "What ${model}Module shows differs from $list." >&2
        echo "Accept it with: CAMBIUM_ACCEPT=1 Scripts/test-generated.sh" >&2
        differences=1
    fi
done
exit "$differences"
