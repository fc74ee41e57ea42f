// Runs a command at one end of an emulated network link.
//
//     link-emulator COMMAND [ARGUMENT…]
//
// The command runs as the client, at 192.0.2.1, with these descriptors:
//
//     3   where it writes commands that set up the link and count (control.h)
//     4   where it reads the answers
//     5   the network namespace of the server, 198.51.100.1: nsenter --net=/proc/self/fd/5 nginx …
//
// Both ends are network namespaces with a tun device. Their TCP is the kernel's own; this program
// carries IP packets of at most 1500 bytes between them as LinkModel says. The command has a
// process namespace of its own. When it ends, or this program is interrupted or killed, everything
// that it started ends, and the namespaces and devices disappear with the last process that used
// them. Nothing of the machine is changed.
//
// The exit code is the command's, 1 when the link could not be made, and 128 plus the signal when a
// signal ended it. It needs root.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control.h"
#include "relay.h"
#include "tunnel.h"

// Packets that follow each other more closely are delivered together, as network cards do it to
// spare the processor. A packet that comes alone is not late.
static const uint64_t nanoseconds_between_deliveries = 50 * 1000;

static const char client_address[] = "192.0.2.1", server_address[] = "198.51.100.1";

// Puts a descriptor where the command expects it.
static void pass(int descriptor, int number) {
  if (dup2(descriptor, number) < 0) tunnel_fail("dup2");
}

// In the process that becomes the command. All descriptors that are passed are 10 or higher.
static _Noreturn void become(char **words, const int passed[3]) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
      mount("proc", "/proc", "proc", 0, NULL) < 0) {
    tunnel_fail("a /proc of its own");
  }
  for (int index = 0; index < 3; index++) pass(passed[index], 3 + index);
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execvp(words[0], words);
  tunnel_fail(words[0]);
}

// Above the numbers that are passed, so that none is overwritten.
static int moved_up(int descriptor) {
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, 10);
  if (moved < 0) tunnel_fail("fcntl");
  close(descriptor);
  return moved;
}

static pid_t start(char **words, int server, struct control *control) {
  int commands[2], answers[2];
  if (pipe2(commands, O_CLOEXEC) < 0 || pipe2(answers, O_CLOEXEC) < 0) tunnel_fail("pipe");
  const int passed[3] = {moved_up(commands[1]), moved_up(answers[0]), moved_up(server)};
  // The next process is the first of the namespace, and all others end with it.
  if (unshare(CLONE_NEWPID) < 0) tunnel_fail("a process namespace");
  const pid_t command = fork();
  if (command < 0) tunnel_fail("fork");
  if (command == 0) become(words, passed);
  for (int index = 0; index < 3; index++) close(passed[index]);
  *control = (struct control){.commands = commands[0], .answers = answers[1]};
  return command;
}

// Waits for the command, and returns its exit code.
static int end_of(pid_t command) {
  int status;
  while (waitpid(command, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Waits until something arrives, and no longer than until `end`.
static void wait_for(struct pollfd *sources, nfds_t count, uint64_t end) {
  const uint64_t now = relay_now();
  const uint64_t left = end > now ? end - now : 0;
  const struct timespec time = {(time_t)(left / 1000000000), (long)(left % 1000000000)};
  if (ppoll(sources, count, end == UINT64_MAX ? NULL : &time, NULL) < 0) {
    if (errno != EINTR) tunnel_fail("ppoll");
    for (nfds_t index = 0; index < count; index++) sources[index].revents = 0;
  }
}

static int carry(struct relay *relay, struct control *control, int signals, pid_t command) {
  struct pollfd sources[] = {{.fd = relay->from[LINK_DOWN], .events = POLLIN},
                             {.fd = relay->from[LINK_UP], .events = POLLIN},
                             {.fd = control->commands, .events = POLLIN},
                             {.fd = signals, .events = POLLIN}};
  uint64_t next_delivery = 0;
  for (;;) {
    const uint64_t due = relay_due(relay);
    wait_for(sources, 4, due > next_delivery ? due : next_delivery);
    if (sources[0].revents) relay_take(relay, LINK_DOWN);
    if (sources[1].revents) relay_take(relay, LINK_UP);
    const uint64_t now = relay_now();
    if (now >= next_delivery && now >= relay_due(relay)) {
      relay_deliver(relay);
      next_delivery = now + nanoseconds_between_deliveries;
    }
    if (sources[2].revents && !control_read(control, relay)) sources[2].fd = -1;
    if (!sources[3].revents) continue;
    struct signalfd_siginfo signal;
    if (read(signals, &signal, sizeof signal) != sizeof signal) tunnel_fail("signalfd");
    if (signal.ssi_signo == SIGCHLD) return end_of(command);
    kill(command, SIGKILL);
    end_of(command);
    return 128 + (int)signal.ssi_signo;
  }
}

// As the network part of a kernel, it comes before any program.
static void come_first(void) {
  const struct sched_param priority = {.sched_priority = 1};
  if (sched_setscheduler(0, SCHED_FIFO, &priority) < 0) {
    fprintf(stderr, "link-emulator: no real-time priority (%s): results depend on the load\n",
            strerror(errno));
  }
}

int main(int count, char **words) {
  static struct relay relay;
  if (count < 2) {
    fprintf(stderr, "Usage: link-emulator COMMAND [ARGUMENT…]\n");
    return 2;
  }
  if (geteuid() != 0) {
    fprintf(stderr, "link-emulator: it makes network namespaces and tun devices: run it as root\n");
    return 2;
  }
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  signal(SIGPIPE, SIG_IGN);
  sigset_t handled;
  sigemptyset(&handled);
  for (const int *number = (const int[]){SIGCHLD, SIGTERM, SIGINT, SIGHUP, 0}; *number; number++) {
    sigaddset(&handled, *number);
  }
  sigprocmask(SIG_BLOCK, &handled, NULL);
  const int signals = signalfd(-1, &handled, SFD_CLOEXEC);
  if (signals < 0) tunnel_fail("signalfd");
  const struct tunnel server = tunnel_open(server_address, client_address);
  const struct tunnel client = tunnel_open(client_address, server_address);
  relay_open(&relay, server.packets, client.packets);
  for (int side = 0; side < LINK_SIDE_COUNT; side++) {
    relay.link.directions[side].settings =
        (struct link_settings){.bits_per_second = 1e9, .queue_bytes = 1e6};
  }
  struct control control;
  const pid_t command = start(words + 1, server.name_space, &control);
  close(client.name_space);
  come_first();
  return carry(&relay, &control, signals, command);
}
