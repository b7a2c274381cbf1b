import Ferry
import FerryCore
import FerryTesting
import HTTPTypes
import Testing

@Suite("Transfers share what they find out about a server", .timeLimit(.minutes(10)))
struct ServerMemoryTests {
    private func cutAndGoOn(
        _ bench: Bench,
        _ path: String,
        redirectedTo target: HTTPURL,
        swap: Bool = false
    ) async throws {
        let url = try HTTPURL(parsing: "http://origin.example/\(path)")
        var redirect = ScriptedResource([])
        redirect.redirect = (302, target.absoluteString)
        bench.transport.set(redirect, at: url)
        bench.transport.order(.breakAfter(4_000), at: target)
        let destination = Destination.file(directory: "/d", name: try FileName(userGiven: path))
        var options = DownloadOptions()
        options.retries = 0
        let engine = bench.engine()
        let first = try await engine.download(from: url, to: destination, options: options)
        try await engine.run()
        await #expect(throws: TransferFailure.self) { try await first.value() }
        if swap {
            var next = ScriptedResource(bench.bytes.reversed(), entityTag: "\"v2\"")
            next.honoursIfRange = false
            bench.transport.set(next, at: target)
        }
        let again = bench.engine()
        let revived = try await again.download(from: url, to: destination, options: options)
        try await again.run()
        #expect(try await revived.value().length == 10_000)
    }

    @Test func aServerThatIgnoresIfRangeIsAskedWithIfMatchFromThenOn() async throws {
        let bench = try Bench()
        let (first, second) = (
            try HTTPURL(parsing: "http://objects.example/1"), try HTTPURL(parsing: "http://objects.example/2")
        )
        for target in [first, second] {
            var resource = ScriptedResource(bench.bytes, entityTag: "\"v1\"")
            resource.honoursIfRange = false
            bench.transport.set(resource, at: target)
        }
        try await cutAndGoOn(bench, "one", redirectedTo: first, swap: true)
        #expect(bench.files.contents(of: try FileName(userGiven: "one"), in: "/d") == bench.bytes.reversed())
        try await cutAndGoOn(bench, "two", redirectedTo: second)
        #expect(bench.files.contents(of: try FileName(userGiven: "two"), in: "/d") == bench.bytes)
        let asked = bench.transport.requests.filter { $0.url == first || $0.url == second }.map(\.headers)
        #expect(asked.map { $0[.ifRange] } == [nil, "\"v1\"", nil, nil, nil])
        #expect(asked.map { $0[.ifMatch] } == [nil, nil, nil, nil, "\"v1\""])
    }
}
