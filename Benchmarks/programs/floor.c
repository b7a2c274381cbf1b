// The least that a download can cost here: floor [--sync] ADDRESS PORT PATH FILE
//
// It asks for PATH, and copies the body from the socket into FILE: recv into 256 KiB, pwrite of what came. It knows
// nothing of validators, retries, other encodings or proxies, so that what is left is the kernel's work. With --sync
// the file is on the disk when it ends, as it is with Ferry.

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

static char buffer[256 * 1024 + 1];
static const size_t room = sizeof buffer - 1;

static void give_up(const char *what) {
    perror(what);
    exit(1);
}

static int connected(const char *address, const char *port) {
    struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = htons(atoi(port))};
    if (inet_pton(AF_INET, address, &server.sin_addr) != 1) give_up(address);
    int stream = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (stream < 0 || connect(stream, (struct sockaddr *)&server, sizeof server) < 0) give_up("connect");
    return stream;
}

static size_t received(int stream, char *into, size_t limit) {
    ssize_t count;
    do count = recv(stream, into, limit, 0); while (count < 0 && errno == EINTR);
    if (count < 0) give_up("recv");
    return count;
}

static void put(int file, const char *bytes, size_t count, off_t offset) {
    while (count > 0) {
        ssize_t written = pwrite(file, bytes, count, offset);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) give_up("pwrite");
        bytes += written, offset += written, count -= written;
    }
}

// Reads up to the end of the head; `held` becomes the number of bytes in the buffer. Returns the length of the head.
static size_t read_head(int stream, size_t *held) {
    *held = 0;
    for (;;) {
        size_t count = received(stream, buffer + *held, room - *held);
        *held += count;
        buffer[*held] = 0;
        char *end = strstr(buffer, "\r\n\r\n");
        if (end) return end + 4 - buffer;
        if (count == 0 || *held == room) {
            fprintf(stderr, "no head of a response\n");
            exit(1);
        }
    }
}

int main(int count, char **words) {
    int sync = count > 1 && strcmp(words[1], "--sync") == 0;
    if (count != 5 + sync) {
        fprintf(stderr, "usage: floor [--sync] ADDRESS PORT PATH FILE\n");
        return 64;
    }
    words += sync;
    int stream = connected(words[1], words[2]);
    if (dprintf(stream, "GET %s HTTP/1.1\r\nHost: %s:%s\r\nConnection: close\r\n\r\n", words[3], words[1], words[2]) < 0)
        give_up("send");

    size_t held;
    size_t head = read_head(stream, &held);
    char *field = strcasestr(buffer, "\r\nContent-Length:");
    if (strncmp(buffer, "HTTP/1.1 200 ", 13) != 0 || !field || field > buffer + head) {
        fprintf(stderr, "not the whole of a file with a known length\n");
        return 1;
    }
    off_t length = atoll(field + 17);

    int file = open(words[4], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (file < 0) give_up(words[4]);
    put(file, buffer + head, held - head, 0);
    off_t offset = held - head;
    while (offset < length) {
        size_t more = received(stream, buffer, room);
        if (more == 0) break;
        put(file, buffer, more, offset);
        offset += more;
    }
    if (sync && fdatasync(file) < 0) give_up("fdatasync");
    if (close(file) < 0) give_up("close");
    return offset == length ? 0 : 1;
}
