import CLibFuzzer
import FerryTesting

/// Looks for an input that breaks a property: `Fuzz TARGET [options of libFuzzer] [FOLDER | FILE…]`.
///
/// Without arguments it prints the names of all targets.
@main
enum Fuzz {
    static let properties =
        InputProperty.core + InputProperty.bodies + InputProperty.stored + InputProperty.uploads
        + InputProperty.sealed

    /// What is fuzzed; set once, before libFuzzer's loop begins.
    nonisolated(unsafe) static var property = properties[0]

    static func main() {
        guard CommandLine.argc > 1 else {
            for property in properties { print(property.name) }
            return
        }
        let name = CommandLine.arguments[1]
        guard let chosen = properties.first(where: { $0.name == name }) else {
            fatalError("There is no target '\(name)'.")
        }
        property = chosen
        // The name of the program stays in front; that of the target is ours, and taken out.
        var count = CommandLine.argc - 1
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv + 1
        arguments?[0] = CommandLine.unsafeArgv[0]
        _ = LLVMFuzzerRunDriver(&count, &arguments) { start, length in
            let input = Array(UnsafeBufferPointer(start: start, count: length))
            do {
                try Fuzz.property.check(input)
            } catch {
                fatalError("\(Fuzz.property.name): \(error)")
            }
            return 0
        }
    }
}
