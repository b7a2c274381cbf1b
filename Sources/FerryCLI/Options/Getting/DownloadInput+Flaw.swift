import FerryFrontend

extension DownloadInput {
    /// Which word means something else in another tool, and what to type instead; `nil` if none does.
    var flaw: String? {
        // As in aria2, where -s and -k take a number.
        if urls.count > 1, let number = urls.first(where: FamiliarWord.isNumber) {
            return "\(number) is no URL. -s is --quiet and -k is --insecure; neither takes a value. "
                + "-x COUNT uses up to COUNT connections."
        }
        if urls.contains(where: FamiliarWord.isJSON) { return FamiliarWord.adviceOnJSON(in: "get") }
        if let list, FamiliarWord.isURL(list) {
            return "A list (-i) must be a file or '-', not a URL. "
                + "`ferry get -o - URL | ferry get -i -` fetches the list first."
        }
        // As in wget, where -r is a flag.
        if let range, FamiliarWord.isNoRange(range) {
            return "-r takes a range of bytes, such as 0-1023; \(FamiliarWord.mirror)."
        }
        return nil
    }
}
