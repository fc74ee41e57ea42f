# Who runs on which processor, in the rows of a big file.
#
# In truth a server is another machine. On this one it would run now on the processor of the program
# that is measured, whose caches it then shares, and now beside it, and who is woken by whom costs
# more or less for that, as the scheduler happens to decide. So the origin has the last processor for
# itself, and whatever is measured has all others.

# "0-2,5" as 0,1,2,5.
allowed_processors() {
  taskset -cp $$ | sed 's/.*: *//' | tr ',' '\n' | awk -F - '
    { for (number = $1; number <= (NF > 1 ? $2 : $1); number++) printf "%s%d", (count++ ? "," : ""), number }'
}

children_of() {
  for stat in /proc/[0-9]*/stat; do
    parent=$(sed 's/.*) . \([0-9]*\) .*/\1/' "$stat" 2>/dev/null) || continue
    [ "$parent" != "$1" ] || echo "$stat" | cut -d / -f 3
  done
}

# run_on PROCESSORS PROCESS...: all their threads, and what they start from now on.
run_on() {
  where=$1
  shift
  for process in "$@"; do
    for task in "/proc/$process/task"/*; do
      # A thread may end in between.
      taskset -cp "$where" "${task##*/}" >/dev/null 2>&1 || [ ! -d "$task" ] ||
        fail "process $process stays where it is"
    done
  done
}

# With one processor there is nothing to divide.
keep_apart() {
  all_processors=$(allowed_processors)
  [ -n "$all_processors" ] ||
    fail 'taskset does not say which processors are allowed; it is in the package util-linux'
  case $all_processors in *,*) ;; *) return 0 ;; esac
  # The ids are words of their own.
  # shellcheck disable=SC2046
  run_on "${all_processors##*,}" "$nginx_id" $(children_of "$nginx_id")
  run_on "${all_processors%,*}" $$ "$service_id"
}

# The service of the row is over by the next one, and has none of this.
share_again() {
  # shellcheck disable=SC2046
  run_on "$all_processors" $$ "$nginx_id" $(children_of "$nginx_id")
}
