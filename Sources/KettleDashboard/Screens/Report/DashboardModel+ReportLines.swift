/// What a reset did not delete.
extension DashboardModel {
  func reportLines(_ report: ResetReport, width: Int) -> [ReaderLine] {
    var text = ReaderText(width: width)
    text.text(Strings.resetDone(deletedCount: report.deletedCount))
    text.heading(Strings.resetKept(report.keptPaths.count))
    for path in report.keptPaths.prefix(1000) { text.text(path) }
    if report.keptPaths.count > 1000 { text.text(Strings.more(report.keptPaths.count - 1000)) }
    return text.lines
  }
}
