/// The version of this package.
public enum FerryVersion {
    /// The version, after semver.org.
    public static let current = "0.1.0"
}
