# Prints those reports of the thread sanitizer that are to be believed.
#
# The sanitizer does not see the locking of Synchronization.Mutex on Linux: it happens within the runtime library,
# which is not instrumented, and in the kernel (FUTEX_LOCK_PI). So it takes two bodies of withLock that come one after
# the other for a race:
#
#     let state = Mutex(0)
#     DispatchQueue.concurrentPerform(iterations: 8) { _ in state.withLock { $0 += 1 } }
#
# is reported, and never loses a count. A report is left out when both of its accesses are made below a body of
# withLock; an access that forgot the lock has no such frame, and its report stays. The frame is known by the type of
# the closure, (inout sending State) -> sending Result, which is mangled as zYuYTXE and which only Mutex asks for.

BEGIN { RS = "==================\n" }

/^WARNING: ThreadSanitizer: (data race|Swift access race)/ {
    count = split($0, parts, "\n\n")
    accesses = 0
    locked = 0
    for (i = 1; i <= count; i++) {
        if (parts[i] !~ / by (main )?thread/ || parts[i] ~ /(created|allocated) by/) continue
        accesses++
        if (parts[i] ~ /zYuYTXEfU[0-9]*_/) locked++
    }
    if (accesses == 2 && locked == 2) next
}

/Sanitizer/ { print }
