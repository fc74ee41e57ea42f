// bin/kettle of the portable archive: runs libexec/kettle/kettle with the C library that is beside it,
// on systems whose own is older, another one, or missing.
//
// Does what the kernel does for the interpreter of a program (execve(2)): maps the dynamic loader
// libexec/kettle/lib/ld.so into this process, places arguments, environment and auxiliary vector on the
// stack, and jumps to its first instruction. Unlike execve(2) of the loader, this keeps /proc/self/exe,
// the command line and the name of the process. So the program finds itself as it always does, and ps(1)
// shows what was typed. No variable is set, so programs that Kettle starts use the libraries of the system.
//
// Contains no C library: whatever one prepares for its own threads would be in the way of the next.
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>

typedef intptr_t word;

#if defined(__x86_64__)
__asm__(
    ".globl _start\n_start:\n\txor %ebp, %ebp\n\tmov %rsp, %rdi\n\tand $-16, %rsp\n\tcall launch\n");

static word call(word number, word a, word b, word c, word d, word e, word f) {
  register word r10 __asm__("r10") = d;
  register word r8 __asm__("r8") = e;
  register word r9 __asm__("r9") = f;
  word result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

static _Noreturn void jump(uintptr_t entry, word *stack) {
  __asm__ volatile("mov %1, %%rsp\n\txor %%ebp, %%ebp\n\txor %%edx, %%edx\n\tjmp *%0"
                   :
                   : "r"(entry), "r"(stack)
                   : "rdx", "memory");
  __builtin_unreachable();
}
#elif defined(__aarch64__)
__asm__(
    ".globl _start\n_start:\n\tmov x29, #0\n\tmov x30, #0\n\tmov x0, sp\n\tb launch\n");

static word call(word number, word a, word b, word c, word d, word e, word f) {
  register word x8 __asm__("x8") = number;
  register word x0 __asm__("x0") = a;
  register word x1 __asm__("x1") = b;
  register word x2 __asm__("x2") = c;
  register word x3 __asm__("x3") = d;
  register word x4 __asm__("x4") = e;
  register word x5 __asm__("x5") = f;
  __asm__ volatile("svc #0"
                   : "+r"(x0)
                   : "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5), "r"(x8)
                   : "memory");
  return x0;
}

static _Noreturn void jump(uintptr_t entry, word *stack) {
  __asm__ volatile("mov sp, %1\n\tmov x29, #0\n\tmov x30, #0\n\tmov x0, #0\n\tbr %0"
                   :
                   : "r"(entry), "r"(stack)
                   : "x0", "memory");
  __builtin_unreachable();
}
#else
#error "The entry and the system calls of this architecture are missing."
#endif

#define PATH_SIZE 4096

static size_t length(const char *text) {
  size_t count = 0;
  while (text[count]) count++;
  return count;
}

static void write_error(const char *text) {
  call(SYS_write, 2, (word)text, (word)length(text), 0, 0, 0);
}

/// Ends the process with the status that shells use for a program that cannot be started.
static _Noreturn void fail(const char *path, const char *problem) {
  write_error("kettle: ");
  write_error(path);
  write_error(": ");
  write_error(problem);
  write_error("\n");
  for (;;) call(SYS_exit_group, 126, 0, 0, 0, 0, 0);
}

/// Writes the path of `name` in libexec/kettle, seen from the folder of `own`. Returns whether it fits.
static int place(char *path, const char *own, const char *name) {
  size_t count = length(own), at = 0;
  while (count > 0 && own[count - 1] != '/') count--;
  const char *parts[] = {own, "../libexec/kettle/", name};
  const size_t counts[] = {count, length(parts[1]), length(name)};
  for (int part = 0; part < 3; part++) {
    if (at + counts[part] >= PATH_SIZE) return 0;
    for (size_t index = 0; index < counts[part]; index++) path[at++] = parts[part][index];
  }
  path[at] = 0;
  return 1;
}

static uintptr_t round_up(uintptr_t value, uintptr_t unit) { return (value + unit - 1) & -unit; }

static word map(uintptr_t address, size_t size, int access, int flags, word file, uintptr_t offset) {
  return call(SYS_mmap, (word)address, (word)size, access, MAP_PRIVATE | flags, file, (word)offset);
}

struct loader {
  uintptr_t headers, entry;
  size_t count;
};

/// Maps a segment of a file. Its bytes after those of the file are zero.
static int map_segment(const Elf64_Phdr *segment, uintptr_t base, word file, uintptr_t page) {
  uintptr_t start = base + segment->p_vaddr;
  uintptr_t first = start & -page, file_end = start + segment->p_filesz;
  uintptr_t mapped_end = round_up(file_end, page), end = round_up(start + segment->p_memsz, page);
  int access = (segment->p_flags & PF_R ? PROT_READ : 0) | (segment->p_flags & PF_W ? PROT_WRITE : 0) |
      (segment->p_flags & PF_X ? PROT_EXEC : 0);
  word at = map(first, mapped_end - first, access, MAP_FIXED, file, segment->p_offset & -page);
  if (at != (word)first) return 0;
  if (segment->p_memsz == segment->p_filesz) return 1;
  for (volatile char *byte = (char *)file_end; byte < (char *)mapped_end; byte++) *byte = 0;
  if (end == mapped_end) return 1;
  return map(mapped_end, end - mapped_end, access, MAP_FIXED | MAP_ANONYMOUS, -1, 0) == (word)mapped_end;
}

/// Maps the loader where the kernel has room. Returns whether it could.
static int map_loader(word file, uintptr_t page, struct loader *loader) {
  union {
    Elf64_Ehdr header;
    char bytes[2048];
  } start;
  word count = call(SYS_read, file, (word)&start, sizeof start, 0, 0, 0);
  const Elf64_Ehdr *header = &start.header;
  if (count < (word)sizeof *header || header->e_type != ET_DYN ||
      header->e_phentsize != sizeof(Elf64_Phdr) ||
      header->e_phoff + header->e_phnum * sizeof(Elf64_Phdr) > (size_t)count)
    return 0;
  const Elf64_Phdr *segments = (const Elf64_Phdr *)(start.bytes + header->e_phoff);
  uintptr_t size = 0, unit = page;
  for (int index = 0; index < header->e_phnum; index++) {
    if (segments[index].p_type != PT_LOAD) continue;
    uintptr_t end = segments[index].p_vaddr + segments[index].p_memsz;
    if (end > size) size = end;
    if (segments[index].p_align > unit) unit = segments[index].p_align;
  }
  // Reserves enough for any alignment; what is left over stays reserved and costs nothing.
  word reserved = map(0, round_up(size, page) + unit, PROT_NONE, MAP_ANONYMOUS, -1, 0);
  if (reserved < 0 && reserved > -4096) return 0;
  uintptr_t base = round_up((uintptr_t)reserved, unit);
  for (int index = 0; index < header->e_phnum; index++) {
    if (segments[index].p_type == PT_LOAD && !map_segment(&segments[index], base, file, page)) return 0;
  }
  loader->headers = base + header->e_phoff;
  loader->count = header->e_phnum;
  loader->entry = base + header->e_entry;
  return 1;
}

/// Called with the stack as the kernel left it: the number of arguments, the arguments, the environment
/// and the auxiliary vector, the first two with a zero after them.
__attribute__((used)) _Noreturn void launch(word *stack) {
  word count = stack[0];
  char **arguments = (char **)(stack + 1);
  word *environment = stack + 1 + count + 1, *auxiliary = environment, *end;
  while (*auxiliary++) {}
  uintptr_t page = 4096;
  for (end = auxiliary; end[0] != AT_NULL; end += 2) {
    if (end[0] == AT_PAGESZ) page = (uintptr_t)end[1];
  }
  end += 2;

  char own[PATH_SIZE], program[PATH_SIZE], path[PATH_SIZE];
  struct loader loader;
  word size_of_own =
      call(SYS_readlinkat, AT_FDCWD, (word) "/proc/self/exe", (word)own, PATH_SIZE - 1, 0, 0);
  // The program reads its arguments there too.
  if (size_of_own <= 0) fail("/proc", "must be mounted");
  own[size_of_own] = 0;
  if (!place(path, own, "lib/ld.so") || !place(program, own, "kettle")) fail(own, "the path is too long");
  word file = call(SYS_openat, AT_FDCWD, (word)path, O_RDONLY | O_CLOEXEC, 0, 0, 0);
  if (file < 0) fail(path, "cannot be opened; the archive has it in libexec, beside bin");
  if (!map_loader(file, page, &loader)) fail(path, "cannot be mapped");
  call(SYS_close, file, 0, 0, 0, 0, 0);

  // The folder of `program` takes the place of $ORIGIN after the list was split at its colons.
  const char *words[] = {
      path, "--inhibit-cache", "--library-path", "$ORIGIN/lib", "--argv0",
      count > 0 ? arguments[0] : "kettle", program};
  const word added = sizeof words / sizeof *words, given = count > 0 ? count - 1 : 0;
  size_t size = (size_t)(1 + added + given + 1 + (end - environment));
  word *target = (word *)(((uintptr_t)__builtin_alloca((size + 2) * sizeof(word)) + 15) & -(uintptr_t)16);
  word *next = target;
  *next++ = added + given;
  for (word index = 0; index < added; index++) *next++ = (word)words[index];
  for (word index = 0; index < given; index++) *next++ = (word)arguments[1 + index];
  *next++ = 0;
  for (word *source = environment; source < auxiliary; source++) *next++ = *source;
  for (word *source = auxiliary; source < end; source += 2) {
    word value = source[1];
    // As the kernel tells a loader that was itself started as a program.
    if (source[0] == AT_PHDR) value = (word)loader.headers;
    if (source[0] == AT_PHNUM) value = (word)loader.count;
    if (source[0] == AT_BASE) value = 0;
    if (source[0] == AT_ENTRY) value = (word)loader.entry;
    *next++ = source[0];
    *next++ = value;
  }
  jump(loader.entry, target);
}
