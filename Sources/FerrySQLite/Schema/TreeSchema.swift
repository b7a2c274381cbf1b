/// Trees. Marks, and transfers of nodes, are narrow and apart from the nodes: they change often, and a node hardly ever does.
enum TreeSchema {
    /// The trees.
    static let trees = """
        CREATE TABLE tree (
            id INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            -- The latest generation of its marks. It never shrinks.
            generation INTEGER NOT NULL
        ) STRICT
        """

    /// The nodes of all trees.
    static let nodes = """
        CREATE TABLE node (
            id INTEGER PRIMARY KEY,
            tree INTEGER NOT NULL,
            -- Its id of the application.
            key TEXT NOT NULL,
            -- The node above; at the top the number of the tree, negated.
            parent INTEGER NOT NULL,
            name TEXT NOT NULL,
            etag TEXT,
            -- When its content last changed.
            modified INTEGER,
            -- In bytes.
            size INTEGER,
            -- Where its content is: the whole URL with its secrets.
            source TEXT,
            -- The application's payload; NULL if it is empty. It may be large. It is the last column, so that no read of
            -- another column steps over it.
            payload BLOB
        ) STRICT;
        CREATE UNIQUE INDEX node_key ON node (tree, key);
        -- The children of each node in the order of a walk: by name, and then by number, as every index ends with that.
        CREATE INDEX node_child ON node (parent, name)
        """

    /// What still needs downloading. A node that needs nothing has no row.
    static let marks = """
        CREATE TABLE mark (
            tree INTEGER NOT NULL,
            node INTEGER NOT NULL,
            -- The components: header 1, metadata 2, thumbnail 4, data 8.
            components INTEGER NOT NULL,
            -- The generation in which each was last marked; 0 if it never was.
            header INTEGER NOT NULL,
            metadata INTEGER NOT NULL,
            thumbnail INTEGER NOT NULL,
            data INTEGER NOT NULL,
            PRIMARY KEY (tree, node)
        ) STRICT, WITHOUT ROWID
        """

    /// The transfers of nodes that are not over.
    static let nodeTransfers = """
        CREATE TABLE node_transfer (
            node INTEGER PRIMARY KEY,
            transfer INTEGER NOT NULL REFERENCES work (id) ON DELETE CASCADE,
            -- What it downloads.
            components INTEGER NOT NULL,
            -- The generation of the tree, and the ETag of the node, when it was added.
            generation INTEGER NOT NULL,
            etag TEXT
        ) STRICT;
        -- Nodes by their transfers, for when one ends.
        CREATE INDEX node_transfer_transfer ON node_transfer (transfer)
        """
}
