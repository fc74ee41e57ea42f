import KettleDashboard
import KettleModel
import Testing

struct ReaderScreenTests {
  @Test func `details that cannot be loaded show the reason`() {
    var model = Sample.model(columns: 60, rows: 10)
    _ = model.press(.enter)
    _ = model.update(
      .commandFinished(
        .detailsFailed(TransferID(rawValue: 1), sentence: "The service is ending; try again")),
      at: Sample.now)
    #expect(model.screen().lines[2] == " The service is ending; try again")
  }

  @Test func `the help is generated from the bindings`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("?"))
    expectScreen(
      model.screen(),
      """
       ♨ kettle   Keys                                           lines 1 to 22 of 203
       The marked transfers, or the one under the cursor
       u              Log in, decide, or set a new link; the bytes   new-link
                      stay
       s              Start or resume it; one that was stopped       start
                      continues from its bytes for ten minutes
       :              Start it from the beginning; its bytes go to   start-fresh
                      the bin
       p              Pause it and keep the downloaded bytes, or     pause
                      resume it
       x              Stop it; for ten minutes its bytes are kept,   stop
                      and starting continues from them
       V              Compare its finished file with what was        verify
                      downloaded; a damaged one is repaired
       Enter          Show its details; on the heading of a group,   details
                      fold or unfold it
       d Del          Remove it from the list (asks first); a        remove
                      finished file is kept
       D              Remove it and move its finished file to the    remove-file
                      bin (asks first)
       l              Limit the speed of the transfer, of the marked limit
                      ones, or of all together
       y              Copy its URL to the terminal's clipboard, or   copy-url
       Esc back  PgDn more │ / find │ ? keys
      """)
  }

  @Test(arguments: [(100, 30), (140, 40), (40, 10)])
  func `scrolling shows all of the help`(columns: Int, rows: Int) {
    var model = Sample.model(columns: columns, rows: rows)
    _ = model.press(.character("?"))
    var seen: Set<String> = []
    for _ in 0..<60 {
      seen.formUnion(model.screen().lines.dropFirst().dropLast())
      _ = model.press(.pageDown)
    }
    var tall = Sample.model(columns: columns, rows: 400)
    _ = tall.press(.character("?"))
    #expect(seen.isSuperset(of: tall.screen().lines.dropFirst().dropLast()))
  }

  @Test func `the help has two columns on a wide screen`() {
    var model = Sample.model(columns: 140, rows: 40)
    _ = model.press(.character("?"))
    let lines = model.screen().lines
    #expect(lines[1].contains("The marked transfers, or the one under the cursor     "))
    #expect(lines[1].hasSuffix("   Details and other screens"))
    #expect(lines[2].hasPrefix(" u              Log in, decide, or set a new link;"))
    #expect(
      lines[2].hasSuffix(
        " new-link          Esc q Enter    Back to the list                     back"))
  }

  @Test(arguments: [80, 100, 140, 300])
  func `every binding is in the help, with its name in the configuration`(columns: Int) {
    var model = Sample.model(columns: columns, rows: 400)
    _ = model.press(.character("?"))
    // Wrapped lines are joined.
    let words = Set(model.screen().lines.joined(separator: " ").split(separator: " "))
    for action in Bindings.all {
      let missing = action.help.split(separator: " ").filter { !words.contains($0) }
      #expect(missing.isEmpty, "\(action.keyNames)")
      #expect(words.contains(Substring(action.name)), "\(action.keyNames)")
    }
    #expect(model.screen().lines.contains { $0.contains("n N q Esc") })
  }

  @Test func `files kept by a reset are listed`() {
    var model = Sample.model(columns: 80, rows: 12)
    _ = model.update(
      .commandFinished(.reset(deletedCount: 2, keptPaths: ["/home/me/Downloads/mine.pdf"])),
      at: Sample.now)
    expectScreen(
      model.screen(),
      """
       ♨ kettle   Reset
       2 files moved to the bin, all transfers reset

       1 file kept: modified by other programs, or not deletable
       /home/me/Downloads/mine.pdf
      (6 empty lines)
       Esc back │ / find │ ? keys
      """)
  }
}
