/// The keys, from the table of bindings, and what the signs mean.
extension DashboardModel {
  func helpLines(width: Int) -> [ReaderLine] {
    var text = ReaderText(width: width)
    for group in Binding.Group.allCases {
      text.heading(Strings.title(of: group))
      for binding in Bindings.all where binding.group == group {
        text.pair(binding.keyNames, binding.description)
      }
    }
    text.heading(Strings.headingLeaving)
    text.text(Strings.leavingNote)
    return text.lines
  }
}
