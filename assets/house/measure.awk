# The lines of one target's files, its real lines and its largest knot; see measure.sh.

# The words of a line without texts and comments.
function code(line) {
  gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
  sub(/\/\/.*/, "", line)
  return line
}

# Marks what can be reached from a file (Tarjan's algorithm for strongly connected components).
function visit(file,    list, count, i, next_file, size) {
  number[file] = low[file] = ++visited
  stack[++height] = file
  on_stack[file] = 1
  count = split(needs[file], list, " ")
  for (i = 1; i <= count; i++) {
    next_file = list[i]
    if (!(next_file in number)) {
      visit(next_file)
      if (low[next_file] < low[file]) low[file] = low[next_file]
    } else if (on_stack[next_file] && number[next_file] < low[file]) low[file] = number[next_file]
  }
  if (low[file] != number[file]) return
  size = 0
  do {
    next_file = stack[height--]
    on_stack[next_file] = 0
    size++
  } while (next_file != file)
  if (size > largest) largest = size
}

FNR == 1 {
  files++
  is_text = 0
}

{
  lengths[files] = FNR
  line = $0
  # Texts of several lines are real lines, but name no types.
  if (gsub(/"""/, "\"\"\"", line) % 2) { is_text = !is_text; real++; next }
  if (is_text) { real++; next }
  line = code(line)
  if (line ~ /^[[:space:]]*$/ || line ~ /^[[:space:]]*[][(){},]+[[:space:]]*$/) next
  if (line ~ /^(@testable |package |public |private |internal )*import /) next
  real++
  body[files] = body[files] " " line
  while (match(line, /(^|[^A-Za-z0-9_.])(struct|class|enum|actor|protocol|typealias) +[A-Z][A-Za-z0-9_]*/)) {
    name = substr(line, RSTART, RLENGTH)
    sub(/.* /, "", name)
    if (!(name in home)) home[name] = files
    else if (home[name] != files) home[name] = 0
    line = substr(line, RSTART + RLENGTH)
  }
}

END {
  for (file = 1; file <= files; file++) {
    count = split(body[file], words, /[^A-Za-z0-9_]+/)
    for (i = 1; i <= count; i++) {
      other = words[i] in home ? home[words[i]] : 0
      if (other && other != file && !((file, other) in known)) {
        known[file, other] = 1
        needs[file] = needs[file] " " other
      }
    }
    print "file", lengths[file]
  }
  for (file = 1; file <= files; file++) if (!(file in number)) visit(file)
  print "target", target, files, real, (largest > 1 ? largest : 0)
}
