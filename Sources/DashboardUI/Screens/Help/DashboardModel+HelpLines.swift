/// The keys, from the table of bindings, and what the signs mean.
extension DashboardModel {
  func helpLines(width: Int) -> [ReaderLine] {
    var text = ReaderText(width: width)
    for group in Binding.Group.allCases {
      text.heading(Strings.title(of: group))
      for binding in keymap.bindings where binding.group == group {
        text.pair(binding.keyNames, binding.description)
      }
    }
    text.heading(Strings.headingLeaving)
    text.text(Strings.leavingNote)
    if !settings.problems.isEmpty {
      text.heading(Strings.headingConfiguration)
      for problem in settings.problems { text.text(problem, .problem) }
    }
    return text.lines
  }
}
