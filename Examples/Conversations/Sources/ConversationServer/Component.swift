/// What can be fetched of an item.
enum Component: String, CaseIterable {
    /// A small document in JSON.
    case header
    /// Some kilobytes.
    case thumbnail
    /// The text of a message, or a picture, which is larger.
    case data
}

extension World.Item {
    /// The bytes of a component. They can be read, so that they are found if they are on a disk in clear.
    func bytes(of component: Component) -> [UInt8] {
        let what = "The \(component.rawValue) of \(id), version \(version), in clear"
        return switch component {
        case .header: Array(#"{"subject":"\#(what)","version":\#(version)}"#.utf8)
        case .thumbnail: Self.lines(what, count: 40 + number % 60)
        case .data: Self.lines(what, count: isPicture ? 1_000 + number * 131 % 4_000 : 1 + number % 20)
        }
    }

    private var number: Int { Int(id.dropFirst()) ?? 0 }

    private static func lines(_ what: String, count: Int) -> [UInt8] {
        (1...count).flatMap { Array("\(what), line \($0)\n".utf8) }
    }
}
