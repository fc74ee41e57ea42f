import DashboardUI
import Testing
import TransferModel

struct ReaderScreenTests {
  @Test func `details that cannot be had say why`() {
    var model = Sample.model(columns: 60, rows: 10)
    _ = model.press(.enter)
    _ = model.update(
      .commandFinished(
        .detailsFailed(TransferID(rawValue: 1), sentence: "The service is ending; try again")),
      at: Sample.now)
    #expect(model.screen().lines[2] == " The service is ending; try again")
  }

  @Test func `the help is made from the bindings`() {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.press(.character("?"))
    expectScreen(
      model.screen(),
      """
       Kettle   Keys                                              lines 1 to 22 of 93
       The marked transfers, else the one under the cursor
       s               Start it, or go on with it; what waits is tried at once
       p               Pause it and keep what was fetched; a paused one goes on
       x               Stop it; what was fetched so far is thrown away
       Enter           Show all about it
       d Del           Take it off the list, after a question; a finished file stays
       D               Take it off the list and delete its finished file, after a
                       question
       u               Give it a fresh link and go on; what was fetched is kept when
                       it is the same file
       l               Limit the speed of it, of all that is marked, or of everything
                       together
       y               Copy its URL to the clipboard of the terminal
       Y               Copy the path of its file
       O               Open its finished file with the program that the desktop has
                       for it

       All transfers
       S               Start everything that is neither running nor finished
       X               Stop everything unfinished; what was fetched of it is thrown
                       away
       P               Pause everything unfinished
       Esc back  PgDn more   ? help
      """)
  }

  @Test func `every binding is in the help`() {
    var model = Sample.model(columns: 140, rows: 200)
    _ = model.press(.character("?"))
    let text = model.screen().lines.joined(separator: "\n")
    for binding in Bindings.all {
      #expect(text.contains(binding.description), "\(binding.keyNames)")
    }
  }

  @Test func `files that a reset kept are named`() {
    var model = Sample.model(columns: 80, rows: 12)
    _ = model.update(
      .commandFinished(.reset(deletedCount: 2, keptPaths: ["/home/me/Downloads/mine.pdf"])),
      at: Sample.now)
    expectScreen(
      model.screen(),
      """
       Kettle   Reset
       2 files deleted, everything is back at the start

       1 file left alone: changed by others, or they cannot be deleted
       /home/me/Downloads/mine.pdf
      (6 empty lines)
       Esc back   ? help
      """)
  }
}
