// Linux calls that Swift's Glibc module leaves out because they require _GNU_SOURCE.
#ifndef KETTLE_CLINUX_H
#define KETTLE_CLINUX_H

#include <errno.h>
#include <malloc.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

/// renameat(2) that fails with EEXIST instead of replacing: the only atomic way to claim a free
/// name. Both names are in the directory `dirfd`, or are paths when it is AT_FDCWD. Returns 0 or
/// the errno value.
static inline int kettle_renameat_noreplace(int dirfd, const char *from, const char *to) {
  // RENAME_NOREPLACE is 1; the constant is in linux/fs.h, which clashes with sys/mount.h.
  const unsigned int rename_noreplace = 1;
  return syscall(SYS_renameat2, dirfd, from, dirfd, to, rename_noreplace) == 0 ? 0 : errno;
}

/// The process and user at the other end of a Unix-domain socket at the time of the connection
/// (SO_PEERCRED, unix(7)). Returns 0 or -1.
static inline int kettle_peer(int fd, long *process_id, long *user_id) {
  struct { pid_t pid; uid_t uid; gid_t gid; } peer;
  socklen_t length = sizeof peer;
  if (getsockopt(fd, SOL_SOCKET, 17 /* SO_PEERCRED */, &peer, &length) != 0) return -1;
  *process_id = (long)peer.pid;
  *user_id = (long)peer.uid;
  return 0;
}

/// The user id at the other end of a Unix-domain socket, or -1.
static inline long kettle_peer_uid(int fd) {
  long process_id, user_id;
  return kettle_peer(fd, &process_id, &user_id) == 0 ? user_id : -1;
}

/// The process id at the other end of a Unix-domain socket, or -1.
static inline long kettle_peer_pid(int fd) {
  long process_id, user_id;
  return kettle_peer(fd, &process_id, &user_id) == 0 ? process_id : -1;
}

/// Sets the priority at the disk of the calling thread: 3 gets what no other program wants, 0 is the
/// usual one (ioprio_set(2)). Without effect where the disk's scheduler knows no priorities.
static inline void kettle_set_io_class(int io_class) {
  syscall(SYS_ioprio_set, 1 /* IOPRIO_WHO_PROCESS */, 0, io_class << 13);
}

/// A descriptor of a process, which cannot mean another one that gets its number later
/// (pidfd_open(2)). Returns -1 if there is none, or the kernel is older than Linux 5.3.
static inline int kettle_pidfd_open(pid_t process_id) {
  return (int)syscall(434 /* SYS_pidfd_open */, process_id, 0);
}

/// Sends a signal to the process of a descriptor (pidfd_send_signal(2)). Returns 0 or -1.
static inline int kettle_pidfd_send_signal(int pidfd, int number) {
  return (int)syscall(424 /* SYS_pidfd_send_signal */, pidfd, number, (void *)0, 0);
}

// Declared here because the system's headers show them only under _GNU_SOURCE.
int pipe2(int ends[2], int flags);
int memfd_create(const char *name, unsigned int flags);
int eventfd(unsigned int count, int flags);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);

/// A pipe that no program started by another thread at the same moment inherits (O_CLOEXEC).
static inline int kettle_pipe(int ends[2]) { return pipe2(ends, 02000000 /* O_CLOEXEC */); }

/// A counter that poll(2) can wait for and any thread can write (eventfd(2)). Returns the descriptor,
/// which started programs do not inherit, or -1.
static inline int kettle_event(void) {
  return eventfd(0, 02000000 /* EFD_CLOEXEC */ | 04000 /* EFD_NONBLOCK */);
}

/// A file in memory without a name in any directory. `name` is only for people. Returns the
/// descriptor, which started programs do not inherit, or -1.
static inline int kettle_memory_file(const char *name) {
  return memfd_create(name, 1 /* MFD_CLOEXEC */);
}

/// Closes every descriptor from `from` up in the started program.
static inline int kettle_spawn_close_from(posix_spawn_file_actions_t *actions, int from) {
  return posix_spawn_file_actions_addclosefrom_np(actions, from);
}

/// Starts the program in the directory `path`.
static inline int kettle_spawn_change_directory(posix_spawn_file_actions_t *actions,
                                                const char *path) {
  return posix_spawn_file_actions_addchdir_np(actions, path);
}

/// POSIX_SPAWN_SETSID: the started program leads a session of its own (posix_spawn(3)).
static inline short kettle_spawn_setsid_flag(void) { return 0x80; }

/// The type of the file system that a file is on: a magic number of statfs(2). Returns 0 or -1.
static inline int kettle_file_system_kind(int descriptor, long *kind) {
  struct statfs status;
  int result = fstatfs(descriptor, &status);
  if (result == 0) *kind = (long)status.f_type;
  return result;
}

/// The offset of the file's first hole; its end counts as one (SEEK_HOLE, lseek(2)). Returns -1
/// with errno set when the file is empty or the offset is unknown.
static inline off_t kettle_first_hole(int descriptor) {
  return lseek(descriptor, 0, 4 /* SEEK_HOLE */);
}

/// Makes `to` share the blocks of `from` (FICLONE, ioctl_ficlone(2)). Returns 0 or -1.
static inline int kettle_clone(int from, int to) {
  // FICLONE is _IOW(0x94, 9, int); the macro is in linux/fs.h, which clashes with sys/mount.h.
  return (int)syscall(SYS_ioctl, to, 0x40049409UL, (long)from);
}

/// Copies within the kernel, from and to the same offset (copy_file_range(2)). Returns the number of
/// bytes or -1.
static inline ssize_t kettle_copy_range(int from, int to, off_t offset, size_t count) {
  int64_t read_at = offset, write_at = offset;
  return syscall(SYS_copy_file_range, from, &read_at, to, &write_at, count, 0u);
}

#endif
