// The parts of ncurses that Swift cannot call: variadics, statement macros, casting macros,
// globals. Also the signal handlers, which must not run as Swift.
#ifndef KETTLE_CNCURSES_H
#define KETTLE_CNCURSES_H

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

// stdin, stdout and stdscr are mutable globals, which Swift 6 rejects.
static inline SCREEN *kettle_newterm(const char *name) { return newterm(name, stdout, stdin); }
static inline WINDOW *kettle_stdscr(void) { return stdscr; }
static inline int kettle_colors(void) { return COLORS; }

// Casting macros.
static inline attr_t kettle_attr_bold(void) { return A_BOLD; }
static inline attr_t kettle_attr_dim(void) { return A_DIM; }
static inline attr_t kettle_attr_reverse(void) { return A_REVERSE; }
static inline attr_t kettle_attr_underline(void) { return A_UNDERLINE; }
static inline int kettle_key_f(int number) { return KEY_F(number); }

// ioctl is variadic. Returns 0 and the size, or -1.
static inline int kettle_window_size(int fd, int *columns, int *rows) {
  struct winsize size;
  if (ioctl(fd, TIOCGWINSZ, &size) != 0) return -1;
  *columns = size.ws_col;
  *rows = size.ws_row;
  return 0;
}

// Writes one cell: a spacing character and its combining characters. The color pair is passed
// through the extension pointer, because the plain parameter is a short and there can be more pairs
// (curs_getcchar(3x)).
static inline int kettle_put_cell(
    int row, int column, const wchar_t *text, attr_t attributes, int pair) {
  cchar_t cell;
  if (setcchar(&cell, text, attributes, (short)0, &pair) != OK) return ERR;
  return mvwadd_wch(stdscr, row, column, &cell);
}

static inline int kettle_put_character(
    int row, int column, wchar_t character, attr_t attributes, int pair) {
  wchar_t text[2] = {character, 0};
  return kettle_put_cell(row, column, text, attributes, pair);
}

// Returns a string capability of the terminal, or NULL when it has none. tigetstr returns -1 for a
// name that is not a string, a pointer that must not be read.
static inline const char *kettle_string_capability(const char *name) {
  const char *text = tigetstr(name);
  return text == (const char *)-1 ? NULL : text;
}

// term.h defines hundreds of common words as macros, so the needed part is declared here.
struct term;
extern struct term *cur_term;
extern int setupterm(const char *name, int fd, int *status);
extern int del_curterm(struct term *terminal);

// Whether a terminal description is installed whose color numbers are red-green-blue values.
static inline int kettle_has_direct_color(const char *name) {
  int status = 0;
  if (setupterm(name, STDOUT_FILENO, &status) != OK) return 0;
  int is_direct = tigetflag("RGB") > 0;
  del_curterm(cur_term);
  return is_direct;
}

// Hidden unless feature macros are set before the first system header, which we do not include.
extern int wcwidth(wchar_t character);
static inline int kettle_character_width(wchar_t character) { return wcwidth(character); }

static inline int kettle_signal_pipe(int ends[2]) {
  if (pipe(ends) != 0) return -1;
  for (int index = 0; index < 2; index++) {
    fcntl(ends[index], F_SETFD, FD_CLOEXEC);
    fcntl(ends[index], F_SETFL, O_NONBLOCK);
  }
  return 0;
}

static inline int kettle_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

// The C library and ncurses read the names of some directories from the environment only. Gives
// them one more variable and returns the environment of before, or NULL. Other threads may read it
// meanwhile, so it is replaced as a whole and not changed. Programs that are started later get that
// of before.
static inline char **kettle_enter_environment(const char *variable, const char *value) {
  extern char **environ;
  char **former = environ;
  size_t count = 0;
  while (former[count]) count++;
  // Never freed, for the threads that still read it.
  char **entered = (char **)malloc((count + 2) * sizeof *entered);
  size_t size = strlen(variable) + strlen(value) + 2;
  char *assignment = (char *)malloc(size);
  if (!entered || !assignment) return NULL;
  snprintf(assignment, size, "%s=%s", variable, value);
  entered[0] = assignment;
  memcpy(entered + 1, former, (count + 1) * sizeof *entered);
  environ = entered;
  return former;
}

static inline void kettle_leave_environment(char **former) {
  extern char **environ;
  environ = former;
}

// kettle_newterm with the terminal's description from a directory of terminfo(5).
static inline SCREEN *kettle_newterm_in(const char *directory, const char *name) {
  char **former = kettle_enter_environment("TERMINFO", directory);
  if (!former) return NULL;
  SCREEN *screen = kettle_newterm(name);
  kettle_leave_environment(former);
  return screen;
}

// Sets the character set of a locale from a directory of locales. Returns 0 if it is not there.
static inline int kettle_set_charset_in(const char *directory, const char *locale) {
  char **former = kettle_enter_environment("LOCPATH", directory);
  if (!former) return 0;
  const char *name = setlocale(LC_CTYPE, locale);
  kettle_leave_environment(former);
  return name != NULL;
}

static inline const char *kettle_codeset(void) { return nl_langinfo(CODESET); }

// MARK: Signals
//
// A handler may call very little (signal-safety(7)), so it writes the signal's number to a pipe
// that the terminal's owner thread reads. Only one Swift file uses this part, and likewise the
// next: every file that used it would get its own statics.

static volatile sig_atomic_t kettle_signal_fd = -1;

static void kettle_signal_to_pipe(int number) {
  int saved = errno;
  unsigned char byte = (unsigned char)number;
  if (kettle_signal_fd >= 0) {
    ssize_t written = write((int)kettle_signal_fd, &byte, 1);
    (void)written;
  }
  errno = saved;
}

static inline void kettle_set_signal_pipe(int fd) { kettle_signal_fd = fd; }

// Sends a signal to the pipe; stores the previous action in `previous`.
static inline int kettle_catch_signal(int number, struct sigaction *previous) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = kettle_signal_to_pipe;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  return sigaction(number, &action, previous);
}

static inline int kettle_default_signal(int number, struct sigaction *previous) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = SIG_DFL;
  sigemptyset(&action.sa_mask);
  return sigaction(number, &action, previous);
}

// MARK: Crashes and exits
//
// A program that traps or calls exit would leave the terminal in raw mode on the alternate screen.
// A handler may call tcsetattr and write, but not endwin.

#define KETTLE_CRASH_COUNT 6

struct kettle_guard {
  struct termios modes;
  struct sigaction before[KETTLE_CRASH_COUNT];
  volatile sig_atomic_t is_on;
  char text[512];
  size_t length;
};

// Inside a function, because Swift omits the storage of file-level variables without a value.
static inline struct kettle_guard *kettle_guard_state(void) {
  static struct kettle_guard state;
  return &state;
}

static inline int kettle_crash_number(int index) {
  static const int numbers[KETTLE_CRASH_COUNT] = {SIGSEGV, SIGBUS, SIGILL,
                                                  SIGTRAP, SIGABRT, SIGFPE};
  return numbers[index];
}

static void kettle_restore_now(void) {
  struct kettle_guard *guard = kettle_guard_state();
  if (!guard->is_on) return;
  guard->is_on = 0;
  ssize_t written = write(STDOUT_FILENO, guard->text, guard->length);
  (void)written;
  tcsetattr(STDIN_FILENO, TCSANOW, &guard->modes);
}

static void kettle_restore_after_crash(int number) {
  kettle_restore_now();
  // Then the crash proceeds as it would have without the handler.
  for (int index = 0; index < KETTLE_CRASH_COUNT; index++) {
    if (kettle_crash_number(index) == number) {
      sigaction(number, &kettle_guard_state()->before[index], NULL);
    }
  }
  raise(number);
}

// Saves the terminal's modes before the terminal is claimed.
static inline int kettle_save_modes(void) {
  return tcgetattr(STDIN_FILENO, &kettle_guard_state()->modes);
}

// Restores the saved modes once all output has been sent.
static inline int kettle_put_modes_back(void) {
  return tcsetattr(STDIN_FILENO, TCSADRAIN, &kettle_guard_state()->modes);
}

static inline void kettle_guard_on(const char *restore_text) {
  static int is_registered = 0;
  struct kettle_guard *guard = kettle_guard_state();
  if (guard->is_on) return;
  size_t length = strlen(restore_text);
  if (length > sizeof guard->text) length = sizeof guard->text;
  memcpy(guard->text, restore_text, length);
  guard->length = length;
  guard->is_on = 1;
  if (!is_registered) is_registered = atexit(kettle_restore_now) == 0;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = kettle_restore_after_crash;
  action.sa_flags = SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (int index = 0; index < KETTLE_CRASH_COUNT; index++) {
    sigaction(kettle_crash_number(index), &action, &guard->before[index]);
  }
}

static inline void kettle_guard_off(void) {
  struct kettle_guard *guard = kettle_guard_state();
  if (!guard->is_on) return;
  guard->is_on = 0;
  for (int index = 0; index < KETTLE_CRASH_COUNT; index++) {
    sigaction(kettle_crash_number(index), &guard->before[index], NULL);
  }
}

// MARK: Pseudo terminals, for tests and benchmarks

/// Opens a pseudo terminal (openpty(3)). Returns 0 or -1.
static inline int kettle_open_terminal(int *primary, int *secondary, int columns, int rows) {
  struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
  return openpty(primary, secondary, NULL, NULL, &size);
}

/// Resizes a pseudo terminal; the program in it receives SIGWINCH. Returns 0 or -1.
static inline int kettle_resize_terminal(int primary, int columns, int rows) {
  struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
  return ioctl(primary, TIOCSWINSZ, &size);
}

#endif
