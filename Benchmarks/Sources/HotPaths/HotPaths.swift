import Foundation

/// Measures what Ferry does again and again, each by itself.
@main
struct HotPaths {
    static func main() async throws {
        let wanted = CommandLine.arguments.dropFirst()
        let measurements = segments + headers
        let names = measurements.map(\.name) + ["store"]
        for name in wanted where !names.contains(name) {
            print("There is nothing named '\(name)'; there are: \(names.joined(separator: ", ")).")
            exit(64)
        }
        for measurement in measurements where wanted.isEmpty || wanted.contains(measurement.name) {
            print(measurement.run())
        }
        if wanted.isEmpty || wanted.contains("store") {
            try await measureStore()
        }
    }
}
