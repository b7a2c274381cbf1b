#include "CFerryPlatform.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int ferry_address(const void *name, uint8_t bytes[16]) {
    switch (((const struct sockaddr *)name)->sa_family) {
    case AF_INET:
        memcpy(bytes, &((const struct sockaddr_in *)name)->sin_addr, 4);
        return 4;
    case AF_INET6:
        memcpy(bytes, &((const struct sockaddr_in6 *)name)->sin6_addr, 16);
        return 16;
    default:
        return 0;
    }
}

int ferry_has_route(const uint8_t *bytes, int count) {
    struct sockaddr_in name4 = {.sin_family = AF_INET};
    struct sockaddr_in6 name6 = {.sin6_family = AF_INET6};
    const int is4 = count == 4;
    // The discard port (RFC 863): connecting a datagram socket only chooses its route.
    name4.sin_port = name6.sin6_port = htons(9);
    memcpy(is4 ? (void *)&name4.sin_addr : (void *)&name6.sin6_addr, bytes, is4 ? 4 : 16);
    int type = SOCK_DGRAM;
#if defined(SOCK_CLOEXEC)
    type |= SOCK_CLOEXEC;
#endif
    const int descriptor = socket(is4 ? AF_INET : AF_INET6, type, 0);
    if (descriptor < 0) return 0;
    const struct sockaddr *name = is4 ? (const struct sockaddr *)&name4 : (const struct sockaddr *)&name6;
    const int result = connect(descriptor, name, is4 ? sizeof name4 : sizeof name6);
    close(descriptor);
    return result == 0;
}
