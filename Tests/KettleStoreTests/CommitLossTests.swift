import Glibc
import KettleEngine
import KettleModel
import SeededNumbers
import Testing
import TestSupport

@testable import KettleStore

/// Acknowledged changes are present when the store is reopened, or their loss is reported.
@Suite struct CommitLossTests {
  /// The files of a store at one point in time, as `kill -9` leaves them.
  private struct Files {
    var store: [UInt8]
    var log: [UInt8]?
    var commits: [UInt8]?

    init(of scratch: StoreScratch) throws {
      store = try scratch.bytes(scratch.path)
      log = try? scratch.bytes(scratch.path + "-wal")
      commits = try? scratch.bytes(scratch.path + "-commits")
    }

    func scratch() throws -> StoreScratch {
      let scratch = try StoreScratch(in: StoreScratch.inMemory)
      try StorePaths(scratch.path).prepareDirectory()
      try scratch.put(store, scratch.path)
      if let log { try scratch.put(log, scratch.path + "-wal") }
      if let commits { try scratch.put(commits, scratch.path + "-commits") }
      return scratch
    }
  }

  private static let before: Int64 = 93
  private static let last: Int64 = 118

  /// One change per commit, all still in the log: new transfers, a removal and a changed transfer.
  private static let commits: [[JournalChange]] =
    (before + 1...last).map { [.put(Sample.plain($0))] }
    + [[.remove(TransferID(rawValue: 2))], [.put(ended)]]

  private static var ended: TransferRecord {
    var record = Sample.plain(3)
    record.state = .paused
    return record
  }

  private static let allRecords: [TransferRecord] = (1...last).filter { $0 != 2 }.map {
    $0 == 3 ? ended : Sample.plain($0)
  }

  /// The files before the first commit and after each one.
  private func history() throws -> [Files] {
    let scratch = try StoreScratch(in: StoreScratch.inMemory)
    try scratch.fill(Sample.puts(1...Self.before))
    let journal = try scratch.open().journal
    var history = [try Files(of: scratch)]
    for changes in Self.commits {
      try journal.commit(changes)
      history.append(try Files(of: scratch))
    }
    try journal.close()
    return history
  }

  // MARK: Losses

  /// Opens a store after each of many mutations of its log. Returns the number of losses, and the
  /// number of losses without a report.
  private func losses(
    in files: Files, roundCount: Int, seed: UInt64
  ) throws -> (all: Int, silent: Int) {
    var random = SeededGenerator(seed: seed)
    let log = try #require(files.log)
    var losses = (all: 0, silent: 0)
    for round in 0..<roundCount {
      let damage = LogDamage.allCases[round % LogDamage.allCases.count]
      let label: Comment = "\(damage), seed \(seed), round \(round)"
      var edited = files
      edited.log = damage.applied(to: log, &random)
      let scratch = try edited.scratch()
      let opening = try scratch.open()
      let records = try opening.journal.whole().records
      if records == Self.allRecords {
        #expect(opening.notice == nil, label)
        continue
      }
      losses.all += 1
      guard let notice = opening.notice else {
        losses.silent += 1
        continue
      }
      let aside = try #require(notice.asidePath)
      #expect(try scratch.bytes(aside) == files.store, label)
      // The inspection creates an empty log if none exists.
      #expect(try scratch.bytes(aside + "-wal") == edited.log ?? [], label)
      #expect(notice.keptCount == records.count, label)
      try opening.journal.commit([.put(Sample.plain(1000, task: 1000))])
      try opening.journal.close()
      let again = try scratch.open()
      #expect(again.notice == nil, label)
      #expect(try again.journal.whole().records.count == records.count + 1, label)
    }
    return losses
  }

  // Fault 99
  @Test func `no mutation of the log loses an acknowledged change silently`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    let files = try #require(try history().last)
    let found = try losses(in: files, roundCount: 150, seed: seed)
    #expect(found.all > 50, "seed \(seed)")
    #expect(found.silent == 0, "seed \(seed)")
    // Without the commit record the loss cannot be proved.
    var unproved = files
    unproved.commits = nil
    let silent = try losses(in: unproved, roundCount: 50, seed: seed)
    #expect(silent.all > 0 && silent.silent == silent.all, "seed \(seed)")
  }

  // Fault 99
  @Test func `a deleted log is reported with the missing transfers`() throws {
    var files = try #require(try history().last)
    files.log = nil
    let scratch = try files.scratch()
    let opening = try scratch.open()
    let aside = scratch.path + ".damaged-" + StoreScratch.stamp
    #expect(
      opening.notice?.sentence
        == "The store \"\(scratch.path)\" was damaged (its last 27 commits are missing, "
        + "with transfers 94 to 118) and is kept as \"\(aside)\"; 93 of its transfers could be "
        + "read, 25 could not; add again what is missing")
    let contents = try opening.journal.whole()
    #expect(contents.records == (1...Self.before).map { Sample.plain($0) })
    // No id is used twice.
    #expect(contents.lastID.rawValue == Self.last)
    try opening.journal.close()
    #expect(try scratch.open().notice == nil)
  }

  // Fault 99
  @Test func `a loss and other damage are reported in one notice`() throws {
    var files = try #require(try history().last)
    files.log = nil
    let scratch = try files.scratch()
    try scratch.meddle("UPDATE transfer SET url = 'nfs://nowhere' WHERE id = 5")
    let notice = try #require(try scratch.open().notice)
    #expect(
      notice.reason
        == "\"url\" of a transfer makes no sense; its last 27 commits are missing, "
        + "with transfers 94 to 118")
    #expect(notice.lostCount == 26)
  }

  // Fault 99
  @Test func `a restored older store is reported once and then adopted`() throws {
    let scratch = try StoreScratch(in: StoreScratch.inMemory)
    try scratch.fill(Sample.puts(1...5))
    let backup = try scratch.bytes(scratch.path)
    try scratch.fill(Sample.puts(6...6))
    try scratch.put(backup, scratch.path)
    let opening = try scratch.open()
    #expect(opening.notice?.reason == "its last commit is missing, with transfer 6")
    #expect(try opening.journal.whole().records.count == 5)
    try opening.journal.close()
    try scratch.fill(Sample.puts(7...7))
    let again = try scratch.open()
    #expect(again.notice == nil)
    #expect(try again.journal.whole().records.count == 6)
  }

  // Fault 99
  @Test func `another store or another store's log is reported once`() throws {
    let other = try #require(try history().last)
    for takesLogAlone in [false, true] {
      var files = try #require(try history().last)
      if !takesLogAlone { files.store = other.store }
      files.log = other.log
      let scratch = try files.scratch()
      let opening = try scratch.open()
      let notice = try #require(opening.notice)
      #expect(notice.lostCount == nil)
      #expect(
        notice.reason.hasSuffix(
          "it is not the store that was used last, transfers up to 118 were acknowledged")
          || takesLogAlone, "\(notice.reason)")
      try opening.journal.close()
      #expect(try scratch.open().notice == nil)
    }
  }

  // Fault 99
  @Test func `a missing store is reported if it had acknowledged commits`() throws {
    let scratch = try StoreScratch(in: StoreScratch.inMemory)
    try scratch.open().journal.close()
    unlink(scratch.path)
    #expect(try scratch.open().notice == nil)
    try scratch.fill(Sample.puts(1...4))
    unlink(scratch.path)
    let opening = try scratch.open()
    #expect(
      opening.notice?.sentence
        == "The store \"\(scratch.path)\" was damaged (the file was gone; transfers up to 4 were "
        + "acknowledged); 0 of its transfers could be read, how many are missing is not known; "
        + "add again what is missing")
    try opening.journal.close()
    #expect(try scratch.open().notice == nil)
  }

  // MARK: No false alarms

  // Fault 76, 77
  @Test func `a crash at any point and an outdated commit record raise no false alarm`() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    let history = try history()
    for round in 0..<150 {
      // The commit record may be outdated, and the log ends somewhere in the next commit.
      let known = Int.random(in: 0..<history.count, using: &random)
      let done = Int.random(in: known..<history.count, using: &random)
      var files = history[done]
      files.commits = history[known].commits
      if done + 1 < history.count, let next = history[done + 1].log, let log = files.log {
        let end = Int.random(in: log.count..<max(next.count, log.count + 1), using: &random)
        files.log = Array(next.prefix(end))
      }
      let scratch = try files.scratch()
      let opening = try scratch.open()
      let label: Comment = "seed \(seed), round \(round)"
      #expect(opening.notice == nil, label)
      let count = Int(Self.before) + min(done, Self.commits.count - 2) - max(0, done - 25).signum()
      #expect(try opening.journal.whole().records.count == count, label)
      try opening.journal.close()
      #expect(try scratch.open().notice == nil, label)
    }
  }

  // Fault 99
  @Test func `a damaged or missing commit record does not prevent the start`() throws {
    var files = try #require(try history().last)
    let sound = try #require(files.commits)
    files.log = nil
    let torn = sound.indices.map { index in
      var torn = sound
      torn[index] ^= 0x10
      return torn
    }
    for commits in [nil, [], Array(sound.prefix(39)), [UInt8](repeating: 0, count: 80)] {
      files.commits = commits
      #expect(try files.scratch().open().notice == nil)
    }
    // The other slot still proves all but the last commit.
    for commits in torn {
      files.commits = commits
      #expect(try files.scratch().open().notice != nil)
    }
    files.commits = nil
    let scratch = try files.scratch()
    #expect(mkdir(scratch.path + "-commits", 0o700) == 0)
    let journal = try scratch.open().journal
    try journal.commit(Sample.puts(200...200))
    try journal.close()
  }

  // Fault 99
  @Test func `a commit of progress alone is not counted and any other is counted once`() throws {
    let scratch = try StoreScratch(in: StoreScratch.inMemory)
    let paths = StorePaths(scratch.path)
    let journal = try scratch.open().journal
    #expect(CommitRecord.read(paths)?.commitCount == 0)
    try journal.commit(Sample.puts(1...3))
    try journal.commit([.progress(TransferID(rawValue: 1), ByteRangeSet())])
    let mark = try #require(CommitRecord.read(paths))
    #expect(mark.commitCount == 1 && mark.lastID == 3)
    try journal.commit([.remove(TransferID(rawValue: 1))])
    #expect(CommitRecord.read(paths)?.commitCount == 2)
    #expect(StoreScratch.mode(of: paths.commitsPath) == 0o600)
    try journal.close()
  }

  // MARK: Messages

  @Test func `each kind of loss has its own message`() {
    let mark = CommitMark(storeID: 7, commitCount: 10, lastID: 118)
    var found = StoreCounters()
    #expect(
      mark.loss(in: found)?.reason
        == "it is not the store that was used last, transfers up to 118 were acknowledged")
    found.storeID = 7
    found.commitCount = 9
    found.lastID = 118
    #expect(
      mark.loss(in: found)?.reason == "its last commit is missing, with changes to transfers")
    #expect(mark.loss(in: found)?.transferCount == 0)
    found.commitCount = 8
    found.lastID = 117
    #expect(
      mark.loss(in: found)?.reason == "its last 2 commits are missing, with transfer 118")
    found.commitCount = 11
    #expect(mark.loss(in: found) == nil)
    #expect(CommitLoss.unknown(lastID: 0).reason == "changes were acknowledged")
  }
}
