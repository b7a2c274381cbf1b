import Ferry

/// The members of a record that only one kind of work has.
protocol WorkRecord {
    /// The members of every record of its kind.
    func members(of transfer: Transfer, revealing: Bool) -> [JSON.Member]

    /// The members that only a look at one transfer gives.
    func details(revealing: Bool, withBodies: Bool) -> [JSON.Member]
}

extension WorkRecord {
    func details(revealing: Bool, withBodies: Bool) -> [JSON.Member] { [] }
}

extension Work {
    /// The members that only its kind has.
    var record: any WorkRecord {
        switch self {
        case .download(let work): work
        case .request(let work): work
        case .upload(let work): work
        }
    }
}
