/// What is to be signed, as texts that are not checked yet. ``PresignPlan`` reads and checks them.
package struct PresignInput: Sendable {
    /// The method.
    package var method = ""
    /// The name of the object.
    package var name = ""
    /// How long the URL is valid.
    package var expires: String?
    /// Header fields, each as `Name: value`.
    package var header: [String] = []
    /// Parameters of the query, each as `name=value` or `name`.
    package var query: [String] = []
    /// How the store is reached.
    package var store = ObjectStoreInput()

    package init() {}
}
