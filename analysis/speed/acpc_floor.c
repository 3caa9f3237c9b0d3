/* A dealer that knows no rules: it repeats a recorded match, byte for byte, with the system calls of a plain C dealer.
 *
 * usage: acpc_floor RECORD LOG   (RECORD: what `hedgehog dealer` without -q writes to stderr; two seats)
 *
 * Prints its two ports, waits for two clients that answer as they did in the record, and plays: one write per seat and
 * state, one poll and one read per answer, one flushed log line per hand. What it costs is the price of the
 * conversation itself, which no dealer can avoid that tells every seat at once.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) exit(2);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    char *text = calloc(size + 1, 1);
    rewind(file);
    if (fread(text, 1, size, file) != (size_t)size) exit(2);
    return text;
}

int main(int count, char **arguments) {
    if (count != 3) return 2;
    char *at = read_file(arguments[1]);
    FILE *log = fopen(arguments[2], "wb");
    int seats[2], ports[2], listeners[2], one = 1;
    for (int i = 0; i < 2; i++) {
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t size = sizeof address;
        listeners[i] = socket(AF_INET, SOCK_STREAM, 0);
        if (bind(listeners[i], (struct sockaddr *)&address, size) || listen(listeners[i], 1)) return 1;
        getsockname(listeners[i], (struct sockaddr *)&address, &size);
        ports[i] = ntohs(address.sin_port);
    }
    printf("%d %d\n", ports[0], ports[1]);
    fflush(stdout);
    static char answer[1 << 13];
    for (int i = 0; i < 2; i++) {
        seats[i] = accept(listeners[i], NULL, NULL);
        setsockopt(seats[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        if (read(seats[i], answer, sizeof answer) <= 0) return 1;
    }
    for (char *end; (end = strchr(at, '\n')); at = end + 1) {
        if (!strncmp(at, "TO ", 3)) { /* TO <seat> at <time> <line> */
            char *line = strchr(at + 8, ' ') + 1;
            if (write(seats[at[3] - '1'], line, end + 1 - line) < 0) return 1;
            char *betting = strchr(strchr(line + 11, ':') + 1, ':');
            if (at[3] == '1' && betting[1] == ':') { /* a hand begins: the one before is logged */
                fwrite(line, 1, end + 1 - line, log);
                fflush(log);
            }
        } else if (!strncmp(at, "FROM ", 5)) {
            struct pollfd wait = {.fd = seats[at[5] - '1'], .events = POLLIN};
            if (poll(&wait, 1, 600000) != 1 || read(wait.fd, answer, sizeof answer) < 0) return 1;
        }
    }
    return 0;
}
