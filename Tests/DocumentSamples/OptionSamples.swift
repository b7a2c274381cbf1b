import Ferry
import Metrics

/// The samples of the articles about options and metrics.
enum OptionSamples {
    static func credentials(
        _ token: String,
        _ engine: TransferEngine,
        _ url: HTTPURL,
        _ destination: Destination
    ) async throws -> TransferHandle {
        var options = DownloadOptions()
        options.headers = [HeaderField(name: "Accept-Language", value: "de")]
        options.credentials = .bearer(token: token)
        let download = try await engine.download(from: url, to: destination, options: options)
        return download
    }

    static func digests(_ options: inout DownloadOptions, _ digest: String) throws {
        options.checksum = try Checksum(parsing: "sha256=\(digest)")
        options.length = 734_003_200
    }

    static func mirrors(_ options: inout DownloadOptions) throws {
        options.mirrors = [try HTTPURL(parsing: "https://mirror.example.net/big.iso")]
    }

    static func limits(_ options: inout DownloadOptions) throws {
        options.rateLimit = try RateLimit(bytesPerSecond: 2 << 20)
        options.connections = 4
    }

    static func limitsOfAll() throws -> EngineConfiguration {
        var configuration = EngineConfiguration(dataDirectory: "/var/lib/app")
        configuration.slots = 4
        configuration.connectionsPerHost = 8
        configuration.rateLimit = RateSchedule(try RateLimit(bytesPerSecond: 8 << 20))
        return configuration
    }

    static func retries(_ options: inout DownloadOptions) {
        options.retries = 5
        options.notAfter = .now.advanced(by: .seconds(3600))
        options.connection.connectTimeout = .seconds(10)
        options.connection.idleTimeout = .seconds(30)
    }

    static func existing(_ options: inout DownloadOptions) {
        options.existingFile = .overwrite
    }

    static func bootstrap(
        _ factory: any MetricsFactory,
        _ configuration: EngineConfiguration
    ) async throws -> TransferEngine {
        // Once in a process. Here `factory` is that of the backend.
        MetricsSystem.bootstrap(factory)
        let engine = try await TransferEngine.open(configuration)
        return engine
    }

    static func gauges(_ engine: TransferEngine) async throws {
        let counts = try await engine.counts()
        for state in TransferState.Name.allCases {
            Gauge(label: "app_transfers", dimensions: [("state", state.rawValue)])
                .record(counts[state, default: 0])
        }
    }
}
