// Runs a program, and injects a fault into one of its system calls on files.
//
//     fault-injector [--under PATH]… [--log FILE] [--all] [--call NAME] [--armed-by FILE]
//          [--at N (--kill before | --kill after | --error NUMBER)] -- PROGRAM [ARGUMENT]…
//
// It counts the calls on a PATH, or on a path below it, over all threads together and in the kernel's order. (strace
// counts each thread separately. In a program with a pool of threads it cannot name most calls.) By default only calls
// that change files or their names count. --all counts those that only look as well, --call counts only calls of that
// name, and --armed-by counts only calls made after FILE exists.
//
// At call N, the call fails with an error number and is not made; or the program is killed, before or after the call.
// The log has a line for each counted call: its number, its name and the path; the chosen one ends with `<-`. The exit
// status, or the signal, is the program's.

#define _GNU_SOURCE

#if defined(__linux__) && defined(__x86_64__)

#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATHS = 8, LONGEST = 2 * PATH_MAX };

static const char *under[PATHS];
static int under_count;
static const char *armed_by;
static const char *only;
static bool counts_looks;
static FILE *log_file;
static long chosen;
static bool kills, kills_after;
static int error_number;

static long counted;
static pid_t child;
// The thread whose call must end before the program is killed.
static pid_t awaited;

static void fail(const char *what) {
    fprintf(stderr, "fault-injector: %s: %s\n", what, strerror(errno));
    exit(125);
}

static void forward(int number) { kill(child, number); }

// MARK: What a call touches

static bool read_memory(pid_t thread, unsigned long address, void *buffer, size_t length) {
    struct iovec local = {buffer, length}, remote = {(void *)address, length};
    return process_vm_readv(thread, &local, 1, &remote, 1, 0) == (ssize_t)length;
}

// Reads byte by byte, because a string may end right before an unmapped page. Strings are short.
static bool read_string(pid_t thread, unsigned long address, char *buffer, size_t size) {
    for (size_t index = 0; index < size; index++) {
        if (!read_memory(thread, address + index, buffer + index, 1)) return false;
        if (buffer[index] == 0) return true;
    }
    return false;
}

static bool descriptor_path(pid_t thread, int descriptor, char *buffer, size_t size) {
    char link[64];
    if (descriptor == AT_FDCWD) {
        snprintf(link, sizeof link, "/proc/%d/cwd", thread);
    } else {
        snprintf(link, sizeof link, "/proc/%d/fd/%d", thread, descriptor);
    }
    ssize_t length = readlink(link, buffer, size - 1);
    if (length < 0) return false;
    buffer[length] = 0;
    return true;
}

static bool touched_path(
    pid_t thread, const struct call *call, const unsigned long long *arguments, char *buffer
) {
    char name[PATH_MAX] = "";
    if (call->path >= 0 && !read_string(thread, arguments[call->path], name, sizeof name)) return false;
    if (name[0] == '/') {
        snprintf(buffer, LONGEST, "%s", name);
        return true;
    }
    int descriptor = call->descriptor >= 0 ? (int)arguments[call->descriptor] : AT_FDCWD;
    if (!descriptor_path(thread, descriptor, buffer, PATH_MAX)) return false;
    if (name[0] != 0) {
        size_t length = strlen(buffer);
        snprintf(buffer + length, LONGEST - length, "/%s", name);
    }
    return true;
}

static bool is_under(const char *path) {
    for (int index = 0; index < under_count; index++) {
        size_t length = strlen(under[index]);
        if (strncmp(path, under[index], length) != 0) continue;
        // The kernel appends " (deleted)" to the name of a removed file that is open.
        if (path[length] == 0 || path[length] == '/' || path[length] == ' ') return true;
    }
    return false;
}

static bool changes(pid_t thread, const struct call *call, const unsigned long long *arguments) {
    unsigned long long flags;
    switch (call->kind) {
    case CHANGES: return true;
    case LOOKS: return false;
    case OPENS: flags = arguments[call->path + 1]; break;
    case OPENS_AS:
        if (!read_memory(thread, arguments[call->path + 1], &flags, sizeof flags)) return false;
        break;
    }
    return (flags & (O_CREAT | O_TRUNC)) != 0;
}

// MARK: What happens to it

static void fail_call(pid_t thread) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, thread, 0, &registers) != 0) return;
    // The kernel skips a call without a valid number, and returns the value of this register.
    registers.orig_rax = (unsigned long long)-1;
    registers.rax = (unsigned long long)-error_number;
    ptrace(PTRACE_SETREGS, thread, 0, &registers);
}

// Handles a thread that is about to enter a call of the filter. Returns the ptrace request to continue it with.
static int enter(pid_t thread) {
    struct __ptrace_syscall_info information;
    memset(&information, 0, sizeof information);
    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof information, &information) <= 0) return PTRACE_CONT;
    if (information.op != PTRACE_SYSCALL_INFO_SECCOMP) return PTRACE_CONT;
    const struct call *call = NULL;
    for (size_t index = 0; index < call_count && call == NULL; index++) {
        if (calls[index].number == (long)information.seccomp.nr) call = &calls[index];
    }
    const unsigned long long *arguments = (const unsigned long long *)information.seccomp.args;
    char path[LONGEST];
    if (call == NULL || (only != NULL && strcmp(only, call->name) != 0)) return PTRACE_CONT;
    if (!touched_path(thread, call, arguments, path) || !is_under(path)) return PTRACE_CONT;
    if (!counts_looks && !changes(thread, call, arguments)) return PTRACE_CONT;
    if (armed_by != NULL && access(armed_by, F_OK) != 0) return PTRACE_CONT;

    counted += 1;
    bool is_chosen = counted == chosen;
    if (log_file != NULL) {
        fprintf(log_file, "%ld %s %s%s\n", counted, call->name, path, is_chosen ? " <-" : "");
        fflush(log_file);
    }
    if (!is_chosen) return PTRACE_CONT;
    if (!kills) {
        fail_call(thread);
    } else if (kills_after) {
        awaited = thread;
        return PTRACE_SYSCALL;
    } else {
        kill(child, SIGKILL);
    }
    return PTRACE_CONT;
}

static void follow(void) {
    for (;;) {
        int status;
        pid_t thread = waitpid(-1, &status, __WALL);
        if (thread < 0 && errno == EINTR) continue;
        if (thread < 0) fail("waitpid");
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            if (thread != child) continue;
            if (log_file != NULL) fclose(log_file);
            if (WIFEXITED(status)) exit(WEXITSTATUS(status));
            signal(WTERMSIG(status), SIG_DFL);
            raise(WTERMSIG(status));
            exit(125);
        }
        int number = WSTOPSIG(status), event = status >> 16, request = PTRACE_CONT, passed_on = 0;
        if (event == PTRACE_EVENT_SECCOMP) {
            request = enter(thread);
        } else if (event == PTRACE_EVENT_STOP) {
            bool is_job_control = number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
            if (is_job_control) request = PTRACE_LISTEN;
        } else if (number == (SIGTRAP | 0x80)) {
            if (thread == awaited) kill(child, SIGKILL);
        } else if (event == 0) {
            passed_on = number;
        }
        ptrace(request, thread, 0, passed_on);
    }
}

// MARK: The start

static void install_filter(void) {
    struct sock_filter code[2 * 128 + 8];
    size_t length = 0;
    code[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    code[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    code[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t index = 0; index < call_count; index++) {
        if (calls[index].kind == LOOKS && !counts_looks) continue;
        code[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[index].number, 0, 1);
        code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    }
    code[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {(unsigned short)length, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("prctl");
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) fail("seccomp");
}

static void start(char **arguments) {
    int gate[2];
    if (pipe2(gate, O_CLOEXEC) != 0) fail("pipe");
    child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
        char byte;
        close(gate[1]);
        // Waits until the parent traces this process.
        if (read(gate[0], &byte, 1) != 1) exit(125);
        install_filter();
        execvp(arguments[0], arguments);
        fail(arguments[0]);
    }
    long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK
        | PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SEIZE, child, 0, options) != 0) fail("ptrace");
    int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGUSR1};
    for (size_t index = 0; index < sizeof signals / sizeof *signals; index++) {
        signal(signals[index], forward);
    }
    if (write(gate[1], "", 1) != 1) fail("write");
    close(gate[0]);
    close(gate[1]);
}

static char *value(char **arguments, int *index) {
    if (arguments[*index + 1] == NULL) {
        fprintf(stderr, "fault-injector: %s needs a value\n", arguments[*index]);
        exit(125);
    }
    return arguments[++*index];
}

int main(int count, char **arguments) {
    int index = 1;
    for (; index < count && strcmp(arguments[index], "--") != 0; index++) {
        const char *word = arguments[index];
        if (strcmp(word, "--under") == 0 && under_count < PATHS) under[under_count++] = value(arguments, &index);
        else if (strcmp(word, "--all") == 0) counts_looks = true;
        else if (strcmp(word, "--call") == 0) only = value(arguments, &index);
        else if (strcmp(word, "--armed-by") == 0) armed_by = value(arguments, &index);
        else if (strcmp(word, "--at") == 0) chosen = atol(value(arguments, &index));
        else if (strcmp(word, "--error") == 0) error_number = atoi(value(arguments, &index));
        else if (strcmp(word, "--log") == 0) {
            log_file = fopen(value(arguments, &index), "we");
            if (log_file == NULL) fail("the log");
        } else if (strcmp(word, "--kill") == 0) {
            kills = true;
            kills_after = strcmp(value(arguments, &index), "after") == 0;
        } else {
            fprintf(stderr, "fault-injector: %s is not understood\n", word);
            return 125;
        }
    }
    if (index + 1 >= count) {
        fprintf(stderr, "fault-injector: no program\n");
        return 125;
    }
    start(arguments + index + 1);
    follow();
}

#else

#include <stdio.h>

int main(void) {
    fprintf(stderr, "fault-injector: system calls can be traced on Linux and x86-64 only\n");
    return 125;
}

#endif
