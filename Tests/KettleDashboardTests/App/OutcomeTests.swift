import KettleDashboard
import KettleModel
import Testing

/// The messages about the outcomes of commands.
struct OutcomeTests {
  private static let taken = BinBytes(transferCount: 1, byteCount: 67_108_864)
  private static let kept = BinBytes(
    transferCount: 1, byteCount: 67_108_864,
    until: Sample.now.wall.advanced(byMilliseconds: BinAction.keptMilliseconds))

  @Test(
    arguments: [
      (.added(count: 1, first: nil), "1 transfer added"),
      (.added(count: 5, first: nil), "5 transfers added"),
      (.removed(count: 1), "Removed 1 download (z: undo)"),
      (.controlled(.pause, appliedCount: 3, refused: []), "Paused 3 downloads (z: undo)"),
      (.controlled(.start, appliedCount: 1, refused: []), nil),
      (.controlled(.start, appliedCount: 9, refused: []), "Started 9 downloads (z: undo)"),
      (
        .controlled(.start, appliedCount: 1, refused: [], bin: Self.taken), "Continues from 64 MiB"
      ),
      (
        .controlled(.start, appliedCount: 9, refused: [], bin: Self.taken),
        "Started 9 downloads; 1 continue from 64 MiB"
      ),
      (
        .controlled(.stop, appliedCount: 1, refused: [], bin: Self.kept),
        "Stopped; 64 MiB kept until 12:10 (z: undo)"
      ),
      (
        .controlled(.stop, appliedCount: 9, refused: [], bin: Self.kept),
        "Stopped 9 downloads; 64 MiB kept until 12:10 (z: undo)"
      ),
      (.controlled(.stop, appliedCount: 1, refused: []), "Stopped (z: undo)"),
      (
        .controlled(.startFresh, appliedCount: 1, refused: [], bin: Self.kept),
        "Started from the beginning; the old 64 MiB are in the bin until 12:10"
      ),
      (.undone(UndoOutcome(.stop, restoredCount: 9)), "Brought back 9 stopped downloads"),
      (
        .undone(UndoOutcome(.removeWithFile, restoredCount: 1, busyCount: 2)),
        "Brought back 1 download; 2 already restarted"
      ),
      (
        .undone(UndoOutcome(.stop, busyCount: 1, busyByteCount: 67_108_864)),
        "Already restarted. x, then b, brings back the old 64 MiB"
      ),
      (
        .undone(UndoOutcome(.clear, restoredCount: 12)), "Showing 12 finished downloads again"
      ),
      (
        .undone(UndoOutcome(.pause, restoredCount: 9, changedCount: 1)),
        "Resumed 9 downloads; 1 changed since and stay"
      ),
      (
        .undone(UndoOutcome(.start, restoredCount: 1)), "Paused 1 download again, with every byte"
      ),
      (
        .undone(UndoOutcome(.limit, changedCount: 2)),
        "2 downloads changed since, so nothing was undone"
      ),
      (.undone(UndoOutcome(.limitAll)), "Restored the speed limit for everything"),
      (.undone(UndoOutcome(nil)), "Nothing to undo"),
      (.prioritized(.high, appliedCount: 1), "Priority: high"),
      (.prioritized(.low, appliedCount: 3), "Priority of 3 downloads: low"),
      (.limited(.all, bytesPerSecond: 1_572_864, refused: []), "All downloads: at most 1.5 MiB/s"),
      (
        .controlled(
          .stop, appliedCount: 0,
          refused: [ControlRefusal(id: TransferID(rawValue: 1), why: .completed)]),
        "It is already finished"
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
        "1 file moved to the bin, all transfers reset (z: undo)"
      ),
      (.failed(sentence: "The disk is full"), "The disk is full"),
    ] as [(CommandOutcome, String?)])
  func `each outcome has its message`(outcome: CommandOutcome, sentence: String?) {
    var model = Sample.model(columns: 80, rows: 24)
    _ = model.update(.commandFinished(outcome), at: Sample.now)
    #expect(model.said == sentence)
  }

  @Test func `the first download says that it goes on without the dashboard`() {
    var model = Sample.model(columns: 80, rows: 24, showing: [])
    _ = model.update(.commandFinished(.added(count: 1, first: nil)), at: Sample.now)
    #expect(model.said == "Added. Downloads go on when you leave with q")
  }
}
