internal import FerryCore

/// A moment as signatures of version 4 write it.
struct SigningTime {
    /// The day, such as `20130524`.
    let day: String
    /// Day and time in UTC, such as `20130524T000000Z`.
    let text: String

    init(_ instant: Instant) {
        let date = CivilDate(instant)
        func padded(_ number: Int, to width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        day = padded(Int(date.year), to: 4) + padded(date.month) + padded(date.day)
        text = "\(day)T\(padded(date.hour))\(padded(date.minute))\(padded(date.second))Z"
    }
}
