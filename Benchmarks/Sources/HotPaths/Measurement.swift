/// One thing that is done very often, and how long it takes.
struct Measurement {
    let name: String
    /// Does it once; what it returns is summed up, so that none of it can be left out by the compiler.
    let body: () -> Int

    private static let samples = 11

    /// Does it so often that a sample lasts a while, and tells the median and the least time of one.
    func run() -> Result {
        let count = calibrated()
        var times: [Double] = []
        for _ in 0..<Self.samples { times.append(nanoseconds(of: count) / Double(count)) }
        times.sort()
        return Result(name: name, median: times[times.count / 2], least: times[0])
    }

    /// How often it has to be done to take at least 20 ms.
    private func calibrated() -> Int {
        var count = 1
        while nanoseconds(of: count) < 20_000_000 { count *= 2 }
        return count
    }

    private func nanoseconds(of count: Int) -> Double {
        let clock = ContinuousClock()
        var sum = 0
        let time = clock.measure {
            for _ in 0..<count { sum &+= body() }
        }
        precondition(sum != .min, "\(name) gave what no measurement gives")
        return time / .nanoseconds(1)
    }

    struct Result: CustomStringConvertible {
        let name: String
        /// Nanoseconds.
        let median: Double
        let least: Double

        var description: String {
            let padding = String(repeating: " ", count: max(1, 28 - name.count))
            return "\(name)\(padding)\(Int(median.rounded())) ns, at least \(Int(least.rounded())) ns"
        }
    }
}
