/// What the tenth migration adds: how an owner proves that it lives.
extension StoreSchema {
    static let seats = """
        -- The PID namespace that the process number is of; 0 when it is not known.
        ALTER TABLE owner ADD COLUMN namespace INTEGER NOT NULL DEFAULT 0;
        -- The file of locks in which it holds a seat (the bits of an unsigned number), and the byte that it has locked
        -- there; NULL where the file system has no such locks.
        ALTER TABLE owner ADD COLUMN lock_file INTEGER;
        ALTER TABLE owner ADD COLUMN seat INTEGER
        """
}
