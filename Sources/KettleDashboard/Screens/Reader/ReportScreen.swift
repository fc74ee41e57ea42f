/// What a reset did not delete.
struct ReportScreen: ReaderScreen {
  let deletedCount: Int
  let keptPaths: [String]
  var scrolled = 0
  var search = ReaderSearch()

  init(deletedCount: Int, keptPaths: [String]) {
    self.deletedCount = deletedCount
    self.keptPaths = keptPaths
  }

  static let bindings = BindingTable(readerBindings)

  var title: String { Strings.reportTitle }

  func lines(_ layout: ReaderLayout, _ context: ScreenContext) -> [ReaderLine] {
    let shown = 1000
    var text = ReaderText(width: layout.textWidth)
    text.text(Strings.resetDone(deletedCount: deletedCount))
    text.heading(Strings.resetKept(keptPaths.count))
    for path in keptPaths.prefix(shown) { text.text(path) }
    if keptPaths.count > shown { text.text(Strings.more(keptPaths.count - shown)) }
    return text.lines
  }
}
