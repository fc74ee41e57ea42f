import KettleModel

/// The line about what happened before the dashboard was opened.
extension Strings {
  /// For example `since 18:04: 12 done (3.2 GiB), 2 failed, 1 login`, from the longest form to the
  /// shortest.
  static func news(_ news: TransferNews, since time: String) -> [String] {
    let byteCount = news.completedByteCount
    let size = byteCount > 0 ? " (" + ByteText.size(byteCount) + ")" : ""
    let done = counted(news.completedCount, one: "done")
    let failed = counted(news.failedCount, one: "failed")
    let needs = [
      counted(news.needsLoginCount, one: "login", more: "logins"),
      counted(news.needsLinkCount, one: "new link", more: "new links"),
      counted(news.needsDecisionCount, one: "decision", more: "decisions"),
    ]
    let forms = [
      [done.map { $0 + size }, failed] + needs, [done, failed] + needs,
      [done, failed, needsYou(news)],
    ]
    return forms.map { "since " + time + ": " + $0.compactMap(\.self).joined(separator: ", ") }
  }

  private static func needsYou(_ news: TransferNews) -> String? {
    // Counts from outside can be anything.
    let counts = [news.needsLoginCount, news.needsLinkCount, news.needsDecisionCount]
    let sum = counts.reduce(0) { $0 + min(max(0, $1), 1 << 40) }
    return counted(sum, one: "needs you", more: "need you")
  }

  /// Returns nil for none.
  private static func counted(_ count: Int, one: String, more: String? = nil) -> String? {
    guard count > 0 else { return nil }
    return CountText.text(count) + " " + (count == 1 ? one : more ?? one)
  }
}
