/// What a file name promises by its extension, and a web page is not.
enum PromisedContent: String, Hashable, Sendable, CaseIterable {
    /// An archive or a package.
    case archive = "an archive"
    /// A picture.
    case image = "an image"
    /// An image of a disk.
    case diskImage = "a disk image"

    /// Reads the extension of a name; `nil` if a file of that name may be a web page.
    init?(name: FileName) {
        var name = name.rawValue[...]
        // A sealed file has the name of its content before this.
        if name.hasSuffix(".age") { name = name.dropLast(4) }
        guard let dot = name.utf8.lastIndex(of: 0x2E) else { return nil }
        let fileExtension = Array(name.utf8[dot...].dropFirst()).lowercasedASCIIText
        guard let promised = Self.allCases.first(where: { $0.extensions.contains(fileExtension) }) else {
            return nil
        }
        self = promised
    }

    private var extensions: Set<String> {
        switch self {
        case .archive:
            [
                "zip", "gz", "tgz", "bz2", "tbz", "tbz2", "xz", "txz", "zst", "tzst", "lz4", "lzma", "br",
                "7z", "rar",
                "tar", "cab", "jar", "war", "whl", "deb", "rpm", "apk", "ipa", "msi", "pkg", "crate", "gem",
                "cpio",
            ]
        case .image:
            [
                "jpg", "jpeg", "png", "gif", "webp", "bmp", "tif", "tiff", "heic", "heif", "avif", "jxl",
                "ico", "psd",
            ]
        case .diskImage:
            ["iso", "img", "dmg", "qcow2", "vmdk", "vdi", "vhd", "vhdx", "wim", "squashfs", "snap"]
        }
    }
}
