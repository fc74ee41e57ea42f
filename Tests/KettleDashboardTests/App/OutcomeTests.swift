import KettleDashboard
import KettleModel
import Testing

/// The messages about the outcomes of commands.
struct OutcomeTests {
  @Test(
    arguments: [
      (.added(count: 1, first: nil), "1 transfer added"),
      (.added(count: 12, first: nil), "12 transfers added"),
      (.removed(count: 1), "1 transfer removed; z undoes it"),
      (.controlled(.pause, appliedCount: 3, refused: []), "3 transfers paused"),
      (.controlled(.start, appliedCount: 1, refused: []), nil),
      (.controlled(.stop, appliedCount: 10, refused: []), "10 transfers stopped; z undoes it"),
      (.undone(UndoOutcome(.stop, restoredCount: 10)), "undone: stop of 10 transfers"),
      (
        .undone(UndoOutcome(.removeWithFile, restoredCount: 1, busyCount: 2)),
        "undone: removal of 1 transfer, not of 2 that started again"
      ),
      (
        .undone(UndoOutcome(.stop, busyCount: 1)),
        "1 transfer started again; x stops, then b restores what was there before"
      ),
      (.undone(UndoOutcome(nil)), "there is nothing to undo"),
      (
        .controlled(
          .stop, appliedCount: 0,
          refused: [ControlRefusal(id: TransferID(rawValue: 1), why: .completed)]),
        "it is already finished"
      ),
      (
        .controlled(
          .pause, appliedCount: 2,
          refused: [
            ControlRefusal(id: TransferID(rawValue: 1), why: .notStarted),
            ControlRefusal(id: TransferID(rawValue: 2), why: .unknown),
          ]), "2 of 4 not: it is not started"
      ),
      (
        .reset(deletedCount: 1, keptPaths: []),
        "1 file moved to the bin, all transfers reset; z undoes it"
      ),
      (.failed(sentence: "The disk is full"), "The disk is full"),
    ] as [(CommandOutcome, String?)])
  func `each outcome has its message`(outcome: CommandOutcome, sentence: String?) {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.update(.commandFinished(outcome), at: Sample.now)
    #expect(model.said == sentence)
  }
}
