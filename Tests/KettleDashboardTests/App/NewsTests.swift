import KettleDashboard
import KettleModel
import Testing

/// The line about what happened before the dashboard was opened.
struct NewsTests {
  private func news(
    done: Int = 0, bytes: Int64 = 0, failed: Int = 0, logins: Int = 0, links: Int = 0,
    decisions: Int = 0, since seconds: Int64 = -3600
  ) -> TransferNews {
    var news = TransferNews(since: Sample.time(seconds: seconds))
    (news.completedCount, news.completedByteCount, news.failedCount) = (done, bytes, failed)
    (news.needsLoginCount, news.needsLinkCount) = (logins, links)
    news.needsDecisionCount = decisions
    return news
  }

  private func model(
    _ news: TransferNews, columns: Int = 100, showing rows: [TransferSnapshot] = []
  ) -> Dashboard {
    var model = Sample.model(columns: columns, rows: 24, showing: rows)
    #expect(model.update(.newsArrived(news), at: Sample.now) == [])
    return model
  }

  /// The message line, if it is about the news.
  private func line(_ model: Dashboard) -> String? {
    model.screen().lines.compactMap { line in
      // Without the lines of a box.
      let text = line.hasPrefix("│") ? String(line.dropFirst().dropLast()) : line
      return text.hasPrefix(" since ") ? text.trimmingEnd : nil
    }.first
  }

  @Test(arguments: 0..<32)
  func `every combination names what there is`(parts: Int) {
    func has(_ part: Int) -> Bool { parts & (1 << part) != 0 }
    let news = news(
      done: has(0) ? 12 : 0, bytes: has(0) ? 3_435_973_836 : 0, failed: has(1) ? 2 : 0,
      logins: has(2) ? 1 : 0, links: has(3) ? 2 : 0, decisions: has(4) ? 1 : 0)
    let texts = ["12 done (3.2 GiB)", "2 failed", "1 login", "2 new links", "1 decision"]
    let named = texts.indices.filter(has).map { texts[$0] }
    let expected = named.isEmpty ? nil : " since 11:00: " + named.joined(separator: ", ")
    #expect(line(model(news)) == expected)
  }

  @Test func `one and many, unknown sizes and other days have their words`() {
    #expect(line(model(news(done: 1))) == " since 11:00: 1 done")
    #expect(
      line(model(news(done: 1204, failed: 1, since: -86_400)))
        == " since 20 Nov 12:00: 1,204 done, 1 failed")
    #expect(
      line(model(news(logins: 2, links: 1, decisions: 3)))
        == " since 11:00: 2 logins, 1 new link, 3 decisions")
  }

  @Test(arguments: [
    (100, " since 11:00: 1,204 done (3.2 GiB), 2 failed, 1 login, 2 new links, 1 decision"),
    (70, " since 11:00: 1,204 done, 2 failed, 1 login, 2 new links, 1 decision"),
    (50, " since 11:00: 1,204 done, 2 failed, 4 need you"),
  ])
  func `a narrow screen gets a shorter form`(columns: Int, expected: String) {
    let news = news(
      done: 1204, bytes: 3_435_973_836, failed: 2, logins: 1, links: 2, decisions: 1)
    #expect(line(model(news, columns: columns)) == expected)
  }

  @Test func `the line replaces the remark on the row until the next key, and does not return`() {
    var model = model(news(failed: 1), showing: [Sample.rows[6]])
    #expect(line(model)?.hasPrefix(" since 11:00: 1 failed") == true)
    _ = model.press(.up)
    _ = model.update(.ticked, at: Sample.moment(seconds: 6))
    #expect(line(model) == nil)
    #expect(model.screen().lines.contains { $0.contains("requires a login") })
    _ = model.update(.linkChanged(.lost), at: Sample.moment(seconds: 7))
    _ = model.update(.linkChanged(.connected), at: Sample.moment(seconds: 8))
    _ = model.update(.ticked, at: Sample.moment(seconds: 20))
    #expect(line(model) == nil)
  }

  @Test func `a click removes the line, the wheel and the time do not`() {
    var model = model(news(failed: 1), showing: Sample.rows)
    _ = model.wheel(.wheelDown)
    _ = model.update(.ticked, at: Sample.moment(seconds: 3600))
    #expect(line(model) != nil)
    _ = model.click(row: 3, column: 10)
    #expect(line(model) == nil)
  }

  @Test func `a problem covers the line, which then appears`() {
    var model = model(news(failed: 1))
    _ = model.update(.serviceReported(["The store was damaged"]), at: Sample.now)
    #expect(line(model) == nil)
    // Clears the problem and opens the help, which covers the line as well.
    _ = model.press(.character("?"))
    #expect(line(model) == nil)
    _ = model.press(.escape)
    #expect(line(model) == " since 11:00: 1 failed")
    _ = model.press(.escape)
    #expect(line(model) == nil)
  }

  @Test func `an idle dashboard with the line needs no ticks`() {
    #expect(model(news(done: 3)).millisecondsToNextTick(at: Sample.now) == nil)
  }

  @Test func `impossible counts are no news, or do not break the screen`() {
    #expect(line(model(news(done: -1, bytes: -1, failed: .min))) == nil)
    for columns in [36, 40, 60, 80, 200] {
      let most = news(
        done: .max, bytes: .max, failed: .max, logins: .max, links: .max, decisions: .max,
        since: .max / 4000)
      #expect(line(model(most, columns: columns)) != nil)
    }
  }
}

extension String {
  fileprivate var trimmingEnd: String {
    var text = self[...]
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
