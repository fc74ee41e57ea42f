extension Bindings {
  /// The text of docs/keybindings.md.
  package static var markdown: String {
    var lines = ["# Keys of the dashboard", "", Strings.markdownNote]
    for group in Binding.Group.allCases {
      lines += ["", "## " + Strings.title(of: group), ""]
      lines += ["| key | action | what it does |", "|---|---|---|"]
      for binding in all where binding.group == group {
        let keys = binding.keys.map { "`" + $0.name + "`" }.joined(separator: ", ")
        lines.append("| \(keys) | `\(binding.action)` | \(binding.description) |")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}
