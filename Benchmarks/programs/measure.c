// Runs a command and notes what it cost: measure RESULT COMMAND [ARGUMENT...]
//
// RESULT becomes one line: seconds of wall time, of user time and of system time, the greatest resident size in
// KiB, and how the command ended: its exit status, or 128 and the number of the signal.
//
// It is small on purpose. The kernel counts what a process held before exec into its peak, so a command that is
// started by an interpreter can never appear smaller than the interpreter.

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval time) { return time.tv_sec + time.tv_usec / 1e6; }

int main(int count, char **words) {
    if (count < 3) {
        fprintf(stderr, "usage: measure RESULT COMMAND [ARGUMENT...]\n");
        return 64;
    }
    FILE *result = fopen(words[1], "we");
    if (!result) {
        perror(words[1]);
        return 1;
    }
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    pid_t child = fork();
    if (child < 0) {
        perror("fork");
        return 1;
    }
    if (child == 0) {
        // Whoever ends this program has had enough of the command, too.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execvp(words[2], words + 2);
        perror(words[2]);
        _exit(127);
    }
    int status;
    struct rusage usage;
    while (wait4(child, &status, 0, &usage) < 0) {
        if (errno != EINTR) {
            perror("wait4");
            return 1;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double wall = end.tv_sec - begin.tv_sec + (end.tv_nsec - begin.tv_nsec) / 1e9;
    int ended = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    fprintf(result, "%.6f %.6f %.6f %ld %d\n", wall, seconds(usage.ru_utime), seconds(usage.ru_stime),
            usage.ru_maxrss, ended);
    return fclose(result) == 0 ? 0 : 1;
}
