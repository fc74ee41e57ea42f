// Linux calls that Swift's Glibc module leaves out because they require _GNU_SOURCE.
#ifndef KETTLE_CLINUX_H
#define KETTLE_CLINUX_H

#include <errno.h>
#include <link.h>
#include <linux/membarrier.h>
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

/// rename(2) that fails with EEXIST instead of replacing. Returns 0, or the errno value.
static inline int kettle_rename_noreplace(const char *from, const char *to) {
  return kettle_renameat_noreplace(-100 /* AT_FDCWD */, from, to);
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

// Declared here because the system's headers show them only under _GNU_SOURCE.
int pipe2(int ends[2], int flags);
int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *, const char *);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *, int);

/// A pipe that no program started by another thread at the same moment inherits (O_CLOEXEC).
static inline int kettle_pipe(int ends[2]) { return pipe2(ends, 02000000 /* O_CLOEXEC */); }

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

/// Copies like memcpy(3) and bypasses the processor's cache where that is known to pay: data that
/// no processor reads again would evict data that one does, and each cache line would be read from
/// memory before it is overwritten. These stores are unordered: the writer calls
/// `kettle_publish_copies` before it lets another thread read them, or the reader calls
/// `kettle_collect_copies` first.
static inline void kettle_copy_past_cache(void *to, const void *from, long byte_count) {
#if defined(__x86_64__)
  typedef long long unaligned __attribute__((vector_size(16), aligned(1), may_alias));
  typedef long long aligned __attribute__((vector_size(16), may_alias));
  char *place = to;
  const char *bytes = from;
  long head = (long)(-(uintptr_t)place & 63);
  if (head > byte_count) head = byte_count;
  memcpy(place, bytes, (size_t)head);
  place += head, bytes += head, byte_count -= head;
  for (; byte_count >= 64; place += 64, bytes += 64, byte_count -= 64) {
    // Whole cache lines, or they are written in parts.
    const unaligned *source = (const unaligned *)bytes;
    aligned first = source[0], second = source[1], third = source[2], fourth = source[3];
    aligned *line = (aligned *)place;
    __builtin_nontemporal_store(first, line);
    __builtin_nontemporal_store(second, line + 1);
    __builtin_nontemporal_store(third, line + 2);
    __builtin_nontemporal_store(fourth, line + 3);
  }
  memcpy(place, bytes, (size_t)byte_count);
#else
  memcpy(to, from, (size_t)byte_count);
#endif
}

/// Makes this thread's uncached copies visible to any thread that sees what it does afterwards.
static inline void kettle_publish_copies(void) {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#else
  __atomic_thread_fence(__ATOMIC_RELEASE);
#endif
}

/// Registers the process for `kettle_collect_copies` (membarrier(2)). Takes some milliseconds in a
/// process with several threads. Returns 0 or -1.
static inline int kettle_allow_collecting_copies(void) {
  return (int)syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

/// Makes visible the uncached copies that other threads made before an action that this thread has
/// seen: each running thread executes a fence (membarrier(2), MEMBARRIER_CMD_PRIVATE_EXPEDITED).
static inline void kettle_collect_copies(void) {
  // Once registered, it can fail only when the kernel itself is out of memory.
  while (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) {}
}

/// One program or library in the process (struct dl_phdr_info, dl_iterate_phdr(3)).
struct kettle_loaded {
  ElfW(Addr) address;
  const char *name;
  const ElfW(Phdr) *headers;
  ElfW(Half) header_count;
};

// Under another name, because the system's headers declare it only under _GNU_SOURCE.
int kettle_each_loaded(int (*visit)(struct kettle_loaded *, size_t, void *), void *)
    __asm__("dl_iterate_phdr");

static inline int kettle_forget_code_of(struct kettle_loaded *loaded, size_t size, void *unused) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  (void)size, (void)unused;
  for (int index = 0; index < loaded->header_count; index++) {
    const ElfW(Phdr) *header = &loaded->headers[index];
    // Only writable segments contain data that the loader has filled in.
    if (header->p_type != PT_LOAD || (header->p_flags & PF_W)) continue;
    uintptr_t start = ((uintptr_t)loaded->address + header->p_vaddr) / page * page;
    uintptr_t end = (uintptr_t)loaded->address + header->p_vaddr + header->p_filesz;
    madvise((void *)start, end - start, 4 /* MADV_DONTNEED */);
  }
  return 0;
}

/// Drops the process's code and read-only data from its memory. Each page is read from its file
/// again when used (madvise(2), MADV_DONTNEED).
static inline void kettle_forget_code(void) { kettle_each_loaded(kettle_forget_code_of, NULL); }

#endif
