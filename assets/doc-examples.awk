# Makes Swift sources of the examples in documentation: of every ```swift block in comments (///)
# and in Markdown. assets/doc-examples.sh says of which files.
#
#   awk -v out=DIRECTORY -v programs_out=DIRECTORY -f assets/doc-examples.awk FILE...
#
# - A block becomes the body of a function, so it may use `try` and `await`.
# - It may use the names of Tests/DocumentationTests/Given.swift without declaring them.
# - A block that begins with its imports is a program: it gets a file of its own with these imports
#   and no others, in `programs_out`, and can be run. Its URLs and paths are replaced by those of
#   Tests/DocumentationPrograms/Place.swift.
# - <!-- goes on --> above a block puts it into the same function as the block before.

function complain(why) {
  print name ": " why > "/dev/stderr"
  failed = 1
  exit 1
}

function head(from) {
  return "// swift-format-ignore-file\n// Made by `make examples` of the documentation in\n// " from "\n"
}

# Uses what a block declares for the reader's eyes only.
function uses(   i, text) {
  for (i = 1; i <= declared; i++) text = text "  _ = " declarations[i] "\n"
  return text
}

function end_function(   text, path) {
  if (body == "") return
  if (is_program) {
    path = programs_out "/" base "+Program" ++programs ".swift"
    gsub(/"https:\/\/example\.org/, "\"\\(Place.origin)", body)
    gsub(/"\/(srv|tmp)/, "\"\\(Place.root)", body)
    title = base
    gsub(/[^A-Za-z0-9]/, "", title)
    title = title programs
    kind = body ~ /await / ? "waiting" : "plain"
    text = head(name) imports "\n@MainActor\nfunc run" title
    text = text (kind == "waiting" ? "() async throws {\n" : "() throws {\n")
    printf "%s%s%s}\n", text, body, never ? "" : uses() > path
    close(path)
    table = table "  \"" title "\": ." kind "(run" title "),\n"
  } else {
    functions = functions sprintf("\nprivate func example%d() async throws {\n", ++examples)
    functions = functions body (never ? "" : uses()) "}\n"
  }
  body = imports = ""
  declared = never = is_program = 0
}

function end_file(   path) {
  if (in_block) complain("a block has no end")
  end_function()
  if (functions != "") {
    path = out "/" base "+Examples.swift"
    printf "%simport BackgroundTransfer\nimport Foundation\n%s", head(name), functions > path
    close(path)
  }
  functions = ""
  examples = programs = goes_on = 0
}

FNR == 1 {
  if (NR > 1) end_file()
  name = FILENAME
  is_source = name ~ /\.swift$/
  base = name
  sub(/.*\//, "", base)
  sub(/\.[a-z]*$/, "", base)
}

{ text = $0 }

is_source {
  if (text !~ /^ *\/\/\//) {
    if (in_block) complain("a block has no end")
    next
  }
  sub(/^ *\/\/\/ ?/, "", text)
}

!in_block && text ~ /^ *<!-- goes on -->$/ { goes_on = 1; next }

!in_block && text ~ /^ *```[a-z]*$/ {
  in_block = text ~ /```swift$/ ? "swift" : "other"
  indent = match(text, /```/) - 1
  if (in_block == "swift") {
    if (!goes_on) end_function()
    else if (body == "") complain("there is nothing that an example could go on from")
    goes_on = 0
  }
  next
}

in_block && text ~ /^ *```$/ { in_block = ""; next }

in_block == "swift" {
  line = substr(text, indent + 1)
  if (line ~ /^(@[A-Za-z]+ )?import /) {
    imports = imports line "\n"
    is_program = 1
    next
  }
  if (body == "" && line == "") next
  if (match(line, /^(let|var) [A-Za-z]+/)) {
    declarations[++declared] = substr(line, 5, RLENGTH - 4)
  }
  if (line ~ /^dispatchMain\(\)/) never = 1
  body = body (line == "" ? "" : "  " line) "\n"
}

END {
  if (failed || !NR) exit failed
  end_file()
  path = programs_out "/Programs.swift"
  printf "%s", "// swift-format-ignore-file\n// Made by `make examples`.\n\n" > path
  printf "let programs: [String: DocumentedProgram] = [\n%s]\n", table > path
}
