import KettleModel
import Testing

@testable import KettleDashboard

struct QueryCompletionTests {
  private var names: QueryNames {
    var names = QueryNames()
    names.hosts = ["cdn.example.org", "cdn.example.com", "nas"]
    names.queues = ["night"]
    names.sessions = ["kettle", "my app"]
    return names
  }

  private func completed(_ text: String) -> String? {
    QueryCompletion(of: text, among: names).completed
  }

  @Test(arguments: [
    ("st", "state:"), ("state:f", "state:failed"), ("state:failed,d", "state:failed,done"),
    ("iso n", "iso needs:"), ("needs:", "needs:you"), ("host:c", "host:cdn.example."),
    ("host:N", "host:nas"), ("queue:", "queue:night"), ("session:m", "session:\"my app\""),
    ("!state:pau", "!state:paused"), ("failed", "state:failed"), ("iso Errors", "iso state:failed"),
    ("!done", "!state:done"), ("night", "queue:night"), ("nas", "host:nas"),
    ("login", "needs:you"), ("ST", "state:"),
  ])
  func `Tab completes`(text: String, expected: String) {
    #expect(completed(text) == expected)
  }

  @Test(arguments: [
    "", "iso ", "iso", "fail", "state:", "state:x", "host:cdn.example.", "state:failed", "foo:b",
    "\"failed\"", "^failed",
  ])
  func `Tab adds nothing`(text: String) {
    #expect(completed(text) == nil)
  }

  @Test func `the line lists the values of a key`() {
    let list = LongList(3) { number, row in if number == 1 { row.state = .failed } }
    var model = list.model()
    list.press(.character("\\"), in: &model)
    list.type("state:p", in: &model)
    #expect(model.screen().lines.contains { $0.hasPrefix(" state:paused") })
    list.press(.control("u"), in: &model)
    list.type("failed", in: &model)
    #expect(
      model.screen().lines.contains {
        $0.hasPrefix(" Nothing has \"failed\" in its name; Tab: state:failed")
      })
    list.press(.tab, in: &model)
    #expect(model.list.window?.matchingCount == 1)
    #expect(model.screen().lines.contains { $0.hasPrefix(" 1 match") })
    list.press(.enter, in: &model)
    #expect(model.list.view.filterText == "state:failed")
  }

  @Test func `an empty list says what a bare state means`() {
    let list = LongList(3)
    var model = list.model()
    list.press(.character("\\"), in: &model)
    list.type("failed", in: &model)
    list.press(.enter, in: &model)
    #expect(model.screen().lines.contains { $0.contains("\\, then Tab: state:failed") })
  }

  @Test func `a search takes signs and conditions, also of rows that are not loaded`() {
    let list = LongList(300) { number, row in
      if number == 250 { row.state = .failed }
    }
    var model = list.model()
    list.press(.character("/"), in: &model)
    list.type("state:failed", in: &model)
    list.press(.enter, in: &model)
    #expect(model.list.cursorRow?.id == TransferID(rawValue: 250))
    list.press(.home, .character("/"), in: &model)
    list.type("'file !7 ^file 29$", in: &model)
    #expect(model.list.cursorRow?.title == "file 29")
    list.press(.enter, .character("n"), in: &model)
    #expect(model.list.cursorRow?.title == "file 129")
  }
}
