// Gives a process another time of day. As a preloaded library, it adds an offset to the system clock. The file named by
// FERRY_TEST_CLOCK holds the offset: one 64-bit number of nanoseconds, which may change at any time. Monotonic clocks and
// timers do not change, as when the clock of a real machine is set.
//
// libfaketime also moves absolute timers on monotonic clocks (timerfd_settime), even with the option not to touch those
// clocks. A process whose clock it sets back by a year then sleeps for a year. So these tests do not use it.

#define _GNU_SOURCE

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic int64_t *offset;

__attribute__((constructor)) static void open_clock(void) {
    const char *path = getenv("FERRY_TEST_CLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *page = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
    // A test with a clock that does not change would prove nothing.
    if (page == MAP_FAILED) abort();
    close(file);
    offset = page;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = (int)syscall(SYS_clock_gettime, clock, time);
    // The constructor of another library may run before this one. It gets the true time.
    if (result != 0 || offset == NULL || (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)) return result;
    const int64_t second = 1000000000;
    int64_t added = atomic_load(offset), nanoseconds = time->tv_nsec + added % second;
    time->tv_sec += added / second;
    if (nanoseconds < 0) {
        nanoseconds += second;
        time->tv_sec -= 1;
    } else if (nanoseconds >= second) {
        nanoseconds -= second;
        time->tv_sec += 1;
    }
    time->tv_nsec = nanoseconds;
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    struct timespec now;
    int result = clock_gettime(CLOCK_REALTIME, &now);
    time->tv_sec = now.tv_sec;
    time->tv_usec = now.tv_nsec / 1000;
    return result;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
