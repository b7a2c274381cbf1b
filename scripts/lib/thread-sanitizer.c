// Tells the thread sanitizer of two moments in Swift's runtime at which one thread hands over to another.
//
// The libraries of the runtime are not instrumented, so the sanitizer sees of them only what they say themselves, and
// about these moments they are silent. It then takes what comes one after the other for a race, whether in the code
// that hands over or in whatever is handed over. scripts/lib/sanitizer.sh links this file into every program that is
// built under the thread sanitizer. A program's own definition of a symbol comes before that of a library, so what is
// named below arrives here first; each does what the library does, and says so. An access that forgot the lock, or
// took another one, is reported as ever.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

extern void __tsan_acquire(void *address);
extern void __tsan_release(void *address);

// The library's own function of a name, looked up once.
static void *next(_Atomic(void *) *known, const char *name) {
    void *found = atomic_load_explicit(known, memory_order_relaxed);
    if (found != NULL) return found;
    found = dlsym(RTLD_NEXT, name);
    if (found == NULL) {
        fprintf(stderr, "thread-sanitizer.c: there is no %s behind this one\n", name);
        abort();
    }
    atomic_store_explicit(known, found, memory_order_relaxed);
    return found;
}

// A Synchronization.Mutex that somebody waits for. Its fast paths are atomic operations, compiled into the code under
// test and so seen; the slow ones are in libswiftSynchronization.so and in the kernel (FUTEX_LOCK_PI).
//
//     let state = Mutex(0)
//     DispatchQueue.concurrentPerform(iterations: 8) { _ in state.withLock { $0 += 1 } }
//
// Clocks are kept by address: a slow path and a fast path of one mutex share theirs.

// Methods of Swift: the mutex comes in the register for self.
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void Lock(uint32_t thread, SELF void *mutex);
typedef SWIFT bool TryLock(SELF void *mutex);
typedef SWIFT void Unlock(SELF void *mutex);

Lock lock_slow __asm__(LOCK);
TryLock try_lock_slow __asm__(TRY_LOCK);
Unlock unlock_slow __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
    static _Atomic(void *) library;
    ((Lock *)next(&library, LOCK))(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT bool try_lock_slow(SELF void *mutex) {
    static _Atomic(void *) library;
    bool taken = ((TryLock *)next(&library, TRY_LOCK))(mutex);
    if (taken) __tsan_acquire(mutex);
    return taken;
}

SWIFT void unlock_slow(SELF void *mutex) {
    static _Atomic(void *) library;
    __tsan_release(mutex);
    ((Unlock *)next(&library, UNLOCK))(mutex);
}

// A continuation that is resumed before its task has come to await it. The resuming thread says that it releases the
// task; the other one acquires it when it runs the task again, which it does not have to where the task never
// stopped running.
//
// So what it goes on with is replaced by a function that acquires the task first. Where the task has stopped, the
// runtime goes on with what it noted in the task itself, and no replacement is met.

#define SWIFT_ASYNC __attribute__((swiftasynccall))
#define CONTEXT __attribute__((swift_async_context))

struct continuation;
typedef SWIFT_ASYNC void Resumption(CONTEXT struct continuation *continuation);
typedef SWIFT_ASYNC void Await(struct continuation *continuation);

// The runtime's ContinuationAsyncContext, as far as it matters.
struct continuation {
    struct continuation *parent;
    Resumption *resume;
    uint64_t flags;
};

// Goes on by way of swift_task_switch, which would note the replacement in the task.
enum { SWITCHES_EXECUTOR = 1 << 1 };

// The runtime's AsyncTask, as far as it matters.
struct task {
    void *job[7];
    Resumption *resume;
};

// Weak: it is missing from a program without tasks.
__attribute__((weak)) SWIFT struct task *swift_task_getCurrent(void);

static SWIFT_ASYNC void resume_acquired(CONTEXT struct continuation *continuation) {
    struct task *task = swift_task_getCurrent();
    __tsan_acquire(task);
    continuation->resume = task->resume;
    __attribute__((musttail)) return task->resume(continuation);
}

SWIFT_ASYNC void swift_continuation_await(struct continuation *continuation) {
    static _Atomic(void *) library;
    Await *await = (Await *)next(&library, "swift_continuation_await");
    struct task *task = swift_task_getCurrent();
    if (task->resume != continuation->resume) {
        fprintf(stderr, "thread-sanitizer.c: tasks are laid out otherwise in this version of Swift\n");
        abort();
    }
    if (continuation->flags & SWITCHES_EXECUTOR) {
        __tsan_acquire(task);
    } else {
        continuation->resume = resume_acquired;
    }
    __attribute__((musttail)) return await(continuation);
}
