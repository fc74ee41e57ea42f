// Starts nginx on listening sockets with the congestion control that is named, as an administrator
// of servers would set it for all.
//
//     origin-sockets reno|cubic|… ADDRESS PORT,PORT… NGINX [ARGUMENT…]
//
// Some kernels default to a congestion control that paces output (BBR): a timer for every few
// segments. On the loopback it fires on the processor that set it and is charged to whatever
// program runs there at that moment. Reno is part of every kernel (tcp(7), TCP_CONGESTION) and
// needs no timer; connections inherit it from their listening socket. Over an emulated link cubic,
// the default of most kernels, decides how fast a connection is. nginx takes over sockets that it
// finds in its environment, as when a new version of nginx replaces it.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void fail(const char *what) {
  fprintf(stderr, "origin-sockets: %s: %s\n", what, strerror(errno));
  exit(1);
}

static int listening(const char *control, const char *host, const char *port) {
  const int on = 1;
  const struct sockaddr_in address = {
      .sin_family = AF_INET,
      .sin_port = htons((uint16_t)atoi(port)),
      .sin_addr.s_addr = inet_addr(host)};
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  if (descriptor < 0) fail("socket");
  if (setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0) fail("SO_REUSEADDR");
  if (setsockopt(descriptor, IPPROTO_TCP, TCP_CONGESTION, control, strlen(control)) < 0) {
    fail("TCP_CONGESTION");
  }
  if (bind(descriptor, (const struct sockaddr *)&address, sizeof address) < 0) fail("bind");
  if (listen(descriptor, 511) < 0) fail("listen");
  return descriptor;
}

int main(int count, char **words) {
  if (count < 5) {
    fprintf(stderr, "Usage: origin-sockets reno|cubic ADDRESS PORT,PORT NGINX [ARGUMENT…]\n");
    return 2;
  }
  char inherited[256] = "";
  for (char *port = strtok(words[3], ","); port; port = strtok(NULL, ",")) {
    const size_t length = strlen(inherited);
    snprintf(inherited + length, sizeof inherited - length, "%d;",
             listening(words[1], words[2], port));
  }
  setenv("NGINX", inherited, 1);
  execvp(words[4], words + 4);
  fail(words[4]);
}
