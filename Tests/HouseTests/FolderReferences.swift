/// Which names of other folders the files of one module refer to.
///
/// It goes by names, as a reader does: the types and functions that stand alone in a file, and the members that an extension
/// adds to a type of another folder of the module, where no other folder declares a member of that name.
struct FolderReferences {
    /// A name of another folder, in a file.
    struct Reference: Equatable {
        var path: String
        var line: Int
        var name: String
        /// The folder of the file.
        var folder: String
        /// The folder that declares the name.
        var target: String
    }

    /// A source, the module's folder that it is in, and what it says.
    private struct Source {
        var path: String
        var folder: String
        var words: [SourceWord]
        var declarations: [Declaration]

        /// The types that it declares or extends: their members are called there without a point.
        let subjects: Set<String>

        init(path: String, folder: String, text: String) {
            self.path = path
            self.folder = folder
            words = SourceWord.all(in: text)
            declarations = Declaration.all(in: words)
            subjects = Set(
                declarations.compactMap { declaration in
                    switch declaration.place {
                    case .alone: declaration.isType ? declaration.name : nil
                    case .inside: nil
                    case .added(let type): type
                    }
                }
            )
        }
    }

    /// The folders that have sources.
    let folders: Set<String>
    /// Each name once for each file.
    let all: [Reference]

    /// Reads the sources of a module.
    ///
    /// - Parameter root: its folder, with a slash at its end.
    init(in root: String, _ files: [(path: String, text: String)]) {
        let sources = files.filter { $0.path.hasPrefix(root) }.map { path, text in
            let folder = path.dropFirst(root.count).split(separator: "/").dropLast().joined(separator: "/")
            return Source(path: path, folder: folder, text: text)
        }
        folders = Set(sources.map(\.folder))
        let owners = Self.owners(sources)
        all = sources.flatMap { source in
            var seen: Set<String> = []
            return source.words.indices.compactMap { index -> Reference? in
                let word = source.words[index]
                let isCall = source.words.dropFirst(index + 1).first?.text == "("
                guard let target = owners.folder(of: word, isCall: isCall, in: source),
                    target != source.folder,
                    seen.insert(word.text).inserted
                else { return nil }
                return Reference(
                    path: source.path,
                    line: word.line,
                    name: word.text,
                    folder: source.folder,
                    target: target
                )
            }
        }
    }

    /// Which folder a name belongs to.
    private struct Owners {
        var types: [String: Set<String>] = [:]
        var nested: [String: Set<String>] = [:]
        var members: [String: Set<String>] = [:]
        /// The types to which a folder other than their own adds a member of that name.
        var extended: [String: Set<String>] = [:]

        func folder(of word: SourceWord, isCall: Bool, in source: Source) -> String? {
            let name = word.text
            if let types = extended[name], let owners = members[name], owners.count == 1 {
                if word.isMember || isCall && !types.isDisjoint(with: source.subjects) { return owners.first }
            }
            guard !word.isMember else { return nil }
            // A type inside another may have the name of one that stands alone elsewhere.
            guard let owners = types[name], owners.count == 1, nested[name]?.contains(source.folder) != true
            else {
                return nil
            }
            return owners.first
        }
    }

    /// Names that the standard library gives to members of its own, so that they tell nothing.
    private static let everyday: Set<String> = [
        "append", "contains", "count", "description", "encode", "filter", "first", "hash", "index", "insert",
        "isEmpty", "last", "map", "prefix", "remove", "sorted", "split", "suffix",
    ]

    private static func owners(_ sources: [Source]) -> Owners {
        var owners = Owners()
        for source in sources {
            for declaration in source.declarations {
                switch declaration.place {
                case .alone: owners.types[declaration.name, default: []].insert(source.folder)
                case .inside where declaration.isType:
                    owners.nested[declaration.name, default: []].insert(source.folder)
                case .inside, .added: owners.members[declaration.name, default: []].insert(source.folder)
                }
            }
        }
        for source in sources {
            for declaration in source.declarations {
                guard case .added(let type) = declaration.place, let homes = owners.types[type],
                    homes != [source.folder], !everyday.contains(declaration.name)
                else { continue }
                owners.extended[declaration.name, default: []].insert(type)
            }
        }
        return owners
    }

    /// The folders of a circle of references among some folders; none where there is no circle.
    func circle(among folders: [String]) -> [String] {
        var left = Set(folders)
        let edges = all.filter { left.contains($0.folder) && left.contains($0.target) }
        while let leaf = left.sorted().first(where: { folder in
            !edges.contains { $0.folder == folder && left.contains($0.target) }
        }) {
            left.remove(leaf)
        }
        return left.sorted()
    }
}

/// Something that a source declares and that others can name.
private struct Declaration {
    enum Place: Equatable {
        /// In no type.
        case alone
        /// In a type, or in a part of one.
        case inside
        /// By an extension of that type.
        case added(to: String)
    }

    var name: String
    var isType: Bool
    var place: Place

    private static let typeKinds: Set<String> = ["struct", "enum", "class", "actor", "protocol", "typealias"]
    private static let memberKinds: Set<String> = ["func", "var", "let", "case"]

    /// What stands in braces.
    private enum Scope {
        case type
        case addition(to: String)
        case body
    }

    static func all(in words: [SourceWord]) -> [Declaration] {
        var declarations: [Declaration] = []
        var scopes: [Scope] = []
        var pending: Scope?
        for (index, word) in words.enumerated() {
            // `import struct A.B` declares nothing.
            if index > 0, words[index - 1].text == "import" { continue }
            switch word.text {
            case "{":
                scopes.append(pending ?? .body)
                pending = nil
            case "}":
                _ = scopes.popLast()
            case "extension" where !word.isMember && scopes.isEmpty:
                pending = name(after: index, in: words).map { .addition(to: $0) }
            case let kind where typeKinds.contains(kind) && !word.isMember:
                guard let name = name(after: index, in: words), name.first?.isUppercase == true else { break }
                if kind != "typealias" { pending = .type }
                declarations.append(
                    Declaration(name: name, isType: true, place: scopes.isEmpty ? .alone : .inside)
                )
            case let kind where memberKinds.contains(kind) && !word.isMember:
                guard let name = name(after: index, in: words), !typeKinds.contains(name) else { break }
                switch scopes.last {
                case nil: declarations.append(Declaration(name: name, isType: false, place: .alone))
                case .type?: declarations.append(Declaration(name: name, isType: false, place: .inside))
                case .addition(let type)?:
                    declarations.append(Declaration(name: name, isType: false, place: .added(to: type)))
                case .body?: break
                }
            default: break
            }
        }
        return declarations
    }

    private static func name(after index: Int, in words: [SourceWord]) -> String? {
        let next = words.dropFirst(index + 1).first
        return next?.isName == true ? next?.text : nil
    }
}
