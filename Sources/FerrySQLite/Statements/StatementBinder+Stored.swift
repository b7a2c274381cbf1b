extension StatementBinder {
    /// Host, URL, directory, name, stream, options, identity and time window.
    mutating func add(_ request: StoredRequest) {
        add(request.host)
        add(request.url)
        add(request.directory)
        add(request.name)
        add(request.stream)
        add(request.options)
        add(request.identity)
        add(request.window)
    }

    /// Checkpoint, segments and note.
    mutating func add(_ progress: StoredProgress) {
        add(progress.checkpoint)
        add(progress.segments)
        add(progress.note)
    }
}
