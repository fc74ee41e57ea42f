#define _GNU_SOURCE
#include "tunnel.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <net/route.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

static const char device_name[] = "link0";

// tcp(7) describes them. The newest kernels allow a receive buffer of 32 MiB, most that are in use
// 6.
static const char *const settings[][2] = {
    {"/proc/sys/net/ipv4/tcp_rmem", "4096 131072 6291456"},
    {"/proc/sys/net/ipv4/tcp_wmem", "4096 16384 4194304"},
    {"/proc/sys/net/ipv4/tcp_no_metrics_save", "1"},
};

void tunnel_fail(const char *what) {
  fprintf(stderr, "link-emulator: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void set(const char *path, const char *value) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0 || write(file, value, strlen(value)) < 0) tunnel_fail(path);
  close(file);
}

static struct ifreq request_for(const char *device) {
  struct ifreq request = {0};
  snprintf(request.ifr_name, sizeof request.ifr_name, "%s", device);
  return request;
}

static struct sockaddr internet_address(const char *text) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = inet_addr(text)};
  struct sockaddr result;
  memcpy(&result, &address, sizeof result);
  return result;
}

static void turn_on(int socket, const char *device) {
  struct ifreq request = request_for(device);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  if (ioctl(socket, SIOCSIFFLAGS, &request) < 0) tunnel_fail("SIOCSIFFLAGS");
}

static void configure(int socket, const char *address, const char *peer) {
  struct ifreq request = request_for(device_name);
  request.ifr_addr = internet_address(address);
  if (ioctl(socket, SIOCSIFADDR, &request) < 0) tunnel_fail("SIOCSIFADDR");
  request = request_for(device_name);
  request.ifr_dstaddr = internet_address(peer);
  if (ioctl(socket, SIOCSIFDSTADDR, &request) < 0) tunnel_fail("SIOCSIFDSTADDR");
  request = request_for(device_name);
  request.ifr_mtu = TUNNEL_MTU;
  if (ioctl(socket, SIOCSIFMTU, &request) < 0) tunnel_fail("SIOCSIFMTU");
  // Packets are dropped by the emulated queue alone, not by the one before the device.
  request = request_for(device_name);
  request.ifr_qlen = 20000;
  if (ioctl(socket, SIOCSIFTXQLEN, &request) < 0) tunnel_fail("SIOCSIFTXQLEN");
  turn_on(socket, device_name);
  turn_on(socket, "lo");
  // Without a default route a program may take the machine for one that is not connected.
  char device[sizeof device_name];
  memcpy(device, device_name, sizeof device);
  struct rtentry route = {.rt_dst = internet_address("0.0.0.0"),
                          .rt_genmask = internet_address("0.0.0.0"),
                          .rt_gateway = internet_address("0.0.0.0"),
                          .rt_flags = RTF_UP,
                          .rt_dev = device};
  if (ioctl(socket, SIOCADDRT, &route) < 0) tunnel_fail("SIOCADDRT");
}

struct tunnel tunnel_open(const char *address, const char *peer) {
  struct tunnel tunnel;
  if (unshare(CLONE_NEWNET) < 0) tunnel_fail("a network namespace");
  tunnel.name_space = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  if (tunnel.name_space < 0) tunnel_fail("/proc/thread-self/ns/net");
  tunnel.packets = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  if (tunnel.packets < 0) tunnel_fail("/dev/net/tun");
  struct ifreq request = request_for(device_name);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  if (ioctl(tunnel.packets, TUNSETIFF, &request) < 0) tunnel_fail("TUNSETIFF");
  const int socket_of_ioctl = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket_of_ioctl < 0) tunnel_fail("socket");
  configure(socket_of_ioctl, address, peer);
  close(socket_of_ioctl);
  for (size_t index = 0; index < sizeof settings / sizeof *settings; index++) {
    set(settings[index][0], settings[index][1]);
  }
  return tunnel;
}
