/* A minimal ACPC client, so that a benchmark of the dealer measures the dealer and not its clients.
 *
 * usage: acpc_client HOST PORT call|random SEED
 *
 * "call" always calls, in any game. "random" plays heads-up no-limit hold'em (blinds 100 50, stacks 20000) with the
 * frequencies of the official example player: fold 0.06, call 0.47, raise 0.47, renormalised over what is legal, raise
 * sizes uniform. It trusts the dealer: no malformed line is expected here.
 */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STACK = 20000, BIG_BLIND = 100, ROUNDS = 4 };

struct betting {
    int spent[2], max_spent, min_raise_to, actor, finished;
};

/* Plays a betting string of heads-up no-limit hold'em from the blinds to where it ends. */
static struct betting parse_betting(const char *text) {
    struct betting b = {{BIG_BLIND, BIG_BLIND / 2}, BIG_BLIND, 2 * BIG_BLIND, 1, 0};
    int round = 0, actions = 0;
    while (*text != ':') {
        char action = *text++;
        if (action == '/') { /* position 0 acts first after the flop */
            round++;
            actions = 0;
            b.actor = 0;
            b.min_raise_to = b.max_spent + BIG_BLIND;
            continue;
        }
        if (action == 'r') {
            int to = (int)strtol(text, (char **)&text, 10);
            int next = 2 * to - b.max_spent;
            b.min_raise_to = next > b.min_raise_to ? next : b.min_raise_to;
            b.max_spent = to;
        }
        if (action != 'f') b.spent[b.actor] = b.max_spent;
        b.finished |= action == 'f' || (action == 'c' && actions && (round == ROUNDS - 1 || b.max_spent == STACK));
        actions++;
        b.actor ^= 1;
    }
    return b;
}

static uint64_t random_state;

static double random_unit(void) { /* xorshift64 */
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (random_state >> 11) * 0x1p-53;
}

/* Appends the action to the echoed line; returns the number of characters. */
static int choose(const struct betting *b, int random, char *out) {
    double fold = b->spent[b->actor] != b->max_spent ? 0.06 : 0, raise = b->max_spent < STACK ? 0.47 : 0;
    double at = random ? random_unit() * (fold + 0.47 + raise) : fold;
    if (at < fold) return sprintf(out, ":f\r\n");
    if (at < fold + 0.47 || raise == 0) return sprintf(out, ":c\r\n");
    int smallest = b->min_raise_to < STACK ? b->min_raise_to : STACK;
    return sprintf(out, ":r%d\r\n", smallest + (int)(random_unit() * (STACK - smallest + 1)));
}

int main(int count, char **arguments) {
    if (count != 5) return 2;
    int random = !strcmp(arguments[3], "random"), one = 1, used = 0, got;
    random_state = strtoull(arguments[4], NULL, 10) * 2654435761u + 88172645463325252u;
    int s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[2]))};
    inet_pton(AF_INET, arguments[1], &to.sin_addr);
    if (connect(s, (struct sockaddr *)&to, sizeof to)) return 1;
    setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (write(s, "VERSION:2.0.0\r\n", 15) != 15) return 1;
    static char buffer[1 << 16], answer[1 << 13];
    while ((got = read(s, buffer + used, sizeof buffer - used)) > 0) {
        char *line = buffer, *end;
        used += got;
        for (; (end = memchr(line, '\n', buffer + used - line)); line = end + 1) {
            int length = end - line - (end[-1] == '\r');
            char *betting = strchr(strchr(line + 11, ':') + 1, ':') + 1;
            struct betting b = parse_betting(betting);
            if (b.finished || b.actor != line[11] - '0') continue;
            memcpy(answer, line, length);
            length += choose(&b, random, answer + length);
            if (write(s, answer, length) != length) return 1;
        }
        used -= line - buffer;
        memmove(buffer, line, used);
    }
    return 0;
}
