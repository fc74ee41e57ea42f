# A real terminal for scripts: keys go in, screens are waited for and kept. It is read by `day.sh`.
#
#   program  the program under test        home   a throw-away home
#   out      where the screens are kept    step_count, and the functions below

# How long a text may take to show; what is there shows much sooner.
budget_seconds=${KETTLE_DAY_BUDGET:-60}
step_count=0

tm() { tmux -S "$home/tmux" -f /dev/null "$@"; }

# Everything that runs in the throw-away home, with nothing of the user's.
in_home() {
  env -i HOME="$home" XDG_RUNTIME_DIR="$home/run" PATH="$PATH" TMPDIR="$home" TERM=xterm-256color \
    LANG=C.UTF-8 TZ=UTC ${LD_LIBRARY_PATH:+LD_LIBRARY_PATH="$LD_LIBRARY_PATH"} "$@"
}

open_terminal() { # columns rows command...
  columns=$1 rows=$2
  shift 2
  in_home tmux -S "$home/tmux" -f /dev/null new-session -d -x "$columns" -y "$rows" "$*" \; \
    set-option -g default-terminal tmux-256color \; set-option -g status off
}

screen() { tm capture-pane -p; }

complain() {
  printf 'day: %s\n' "$1" >&2
  screen >&2 || true
  exit 1
}

# Waits until every text shows.
see() {
  for text do
    deadline=$(($(date +%s) + budget_seconds))
    until screen | grep -qF -- "$text"; do
      [ "$(date +%s)" -le "$deadline" ] || complain "\"$text\" never showed in step $step_name"
      sleep 0.1
    done
  done
}

# Waits until the row under the cursor has the text.
see_under_cursor() {
  deadline=$(($(date +%s) + budget_seconds))
  until screen | grep -F -- "$1" | grep -q '▌'; do
    [ "$(date +%s)" -le "$deadline" ] ||
      complain "the cursor never came to \"$1\" in step $step_name"
    sleep 0.1
  done
}

# The number of the first line of the screen that has the pattern, or nothing.
line_of() { screen | grep -n -- "$1" | head -n 1 | cut -d : -f 1; }

# Moves the cursor step by step to the row that has the word, wherever that is.
put_cursor_on() {
  deadline=$(($(date +%s) + budget_seconds))
  until screen | grep -F -- "$1" | grep -q '▌'; do
    [ "$(date +%s)" -le "$deadline" ] ||
      complain "the cursor never came to \"$1\" in step $step_name"
    from=$(line_of '▌')
    to=$(line_of "$1")
    if [ "${to:-999}" -lt "${from:-0}" ]; then keys k; else keys j; fi
    # A second key before the first has moved the cursor would take it past the row.
    moved_by=$(($(date +%s) + 10))
    while [ "$(line_of '▌')" = "$from" ] && [ "$(date +%s)" -le "$moved_by" ]; do
      sleep 0.1
    done
  done
}

# Waits until a text is gone.
see_no_more() {
  deadline=$(($(date +%s) + budget_seconds))
  while screen | grep -qF -- "$1"; do
    [ "$(date +%s)" -le "$deadline" ] || complain "\"$1\" stayed in step $step_name"
    sleep 0.1
  done
}

# Another command in the terminal, in place of the one that runs there.
open_instead() { tm respawn-pane -k "$*"; }

keys() { tm send-keys "$@"; }
type_text() { tm send-keys -l -- "$1"; }

# As a terminal pastes: in one piece, and marked as such.
paste_text() {
  tm set-buffer -- "$1"
  tm paste-buffer -p
}

# Gives the terminal another size, and waits until the program has drawn itself in it: its title is
# in the first line again and its footer in the last one.
resize() { # columns rows
  tm resize-window -x "$1" -y "$2"
  deadline=$(($(date +%s) + budget_seconds))
  until screen | sed -n "$2p" | grep -q 'leave' && screen | sed -n 1p | grep -q '♨'; do
    [ "$(date +%s)" -le "$deadline" ] || complain "it never fitted $1x$2 in step $step_name"
    sleep 0.1
  done
}

begin() {
  step_name=$1
  printf 'day: %s\n' "$1"
}

# Keeps the screen with its colors up to its right edge, and as plain text.
keep() {
  step_count=$((step_count + 1))
  name=$(printf '%02d-%s' "$step_count" "$1")
  tm capture-pane -e -p -N > "$out/$name.screen"
  screen > "$out/$name.txt"
}
