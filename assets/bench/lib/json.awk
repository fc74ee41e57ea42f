# What stands behind a key in a line of JSON: the results have one object a line. Another program
# comes after this one, with a `-f` of its own.

function text(key,    at, rest, value, character) {
  at = index($0, "\"" key "\":\"")
  if (!at) return ""
  rest = substr($0, at + length(key) + 4)
  for (value = ""; (character = substr(rest, 1, 1)) != "\""; value = value character) {
    if (character == "") break
    if (character == "\\") { rest = substr(rest, 2); character = substr(rest, 1, 1) }
    rest = substr(rest, 2)
  }
  return value
}

function number(key) {
  if (!match($0, "\"" key "\":-?[0-9.]+(e[-+]?[0-9]+)?")) return ""
  return substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3) + 0
}
