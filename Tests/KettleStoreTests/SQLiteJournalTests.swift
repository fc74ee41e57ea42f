import Dispatch
import Glibc
import GRDB
import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleStore

@Suite struct SQLiteJournalTests {
  private let scratch: StoreScratch

  init() throws { scratch = try StoreScratch() }

  private func pragma(_ name: String, _ configuration: Configuration) throws -> String? {
    try DatabaseQueue(path: scratch.path, configuration: configuration).inDatabase { db in
      try String.fetchOne(db, sql: "PRAGMA \(name)")
    }
  }

  // MARK: Content

  @Test(arguments: TransferState.allCases)
  func `a record in every state survives a restart`(_ state: TransferState) throws {
    let record = Sample.full(12, state: state)
    try scratch.fill([.put(record)])
    let opening = try scratch.open()
    #expect(opening.notice == nil)
    #expect(try opening.journal.whole().records == [record])
  }

  @Test func `the full sample differs from a new record in every field`() {
    // A new field of the model fails here, as a reminder to extend the sample and the columns.
    let pairs = [
      (Mirror(reflecting: Sample.full(1).spec), Mirror(reflecting: Sample.plain(1).spec)),
      (Mirror(reflecting: Sample.full(1)), Mirror(reflecting: Sample.plain(1))),
      (Mirror(reflecting: Sample.resumeData(1)), Mirror(reflecting: Sample.bareResumeData)),
    ]
    for (full, plain) in pairs {
      for (one, other) in zip(full.children, plain.children)
      where !["id", "taskIdentifier", "createdAt", "queuePosition"].contains(one.label) {
        #expect(
          String(describing: one.value) != String(describing: other.value),
          "\(one.label ?? "") is as in a new record")
      }
    }
    #expect(Mirror(reflecting: Sample.full(1).spec).children.count == 19)
    #expect(Mirror(reflecting: Sample.full(1)).children.count == 16)
    #expect(Mirror(reflecting: Sample.resumeData(1)).children.count == 22)
  }

  @Test(arguments: [
    1_798_135_200_123_456_789, Int64(-1),
  ])
  func `the last write time of a partial file is stored to the nanosecond`(
    _ nanoseconds: Int64
  ) throws {
    var record = Sample.full(1)
    record.resumeData?.lastWriteNanoseconds = nanoseconds
    try scratch.fill([.put(record)])
    #expect(try scratch.open().journal.whole().records == [record])
  }

  // Fault 100
  @Test func `resume data of an older version is read without the later fields`() throws {
    try scratch.fill([.put(Sample.full(1))])
    let queue = try DatabaseQueue(path: scratch.path)
    try queue.write { db in
      try db.execute(
        sql: """
          UPDATE transfer SET resume_data =
            json_remove(resume_data, '$.lastWriteNanoseconds', '$.serverChecksum', '$.setAside')
          """)
      let left = try String.fetchOne(db, sql: "SELECT resume_data FROM transfer") ?? ""
      #expect(!left.contains("lastWriteNanoseconds") && left.contains("partialPath"))
    }
    try queue.close()
    var expected = Sample.full(1)
    expected.resumeData?.lastWriteNanoseconds = nil
    expected.resumeData?.serverChecksum = nil
    expected.resumeData?.setAside = nil
    let opening = try scratch.open()
    #expect(opening.notice == nil)
    #expect(try opening.journal.whole().records == [expected])
  }

  // Fault 152
  @Test func `who has chosen the name and the URL survives a restart`() throws {
    var record = Sample.plain(1)
    record.spec.name = FileName(foreign: ".bash_aliases")
    record.spec.source = ChainedURL(record.spec.url, namedBy: .world)
    record.spec.options.mirrors = [record.spec.url]
    record.spec.options.described = DescribedFile(
      copies: [ChainedURL(record.spec.url, namedBy: .network)], byteCount: 7)
    try scratch.fill([.put(record)])
    #expect(try scratch.open().journal.whole().records == [record])
  }

  // Fault 152
  @Test func `mirrors of an earlier version are not believed to be the user's`() throws {
    var record = Sample.plain(1)
    let mirrors = [record.spec.url]
    record.spec.options.mirrors = mirrors
    record.spec.name = try FileName(typed: ".profile")
    try scratch.fill([.put(record)])
    let queue = try DatabaseQueue(path: scratch.path)
    try queue.write { db in
      try db.execute(
        sql: "UPDATE transfer SET options = json_remove(options, '$.areMirrorsGiven')")
    }
    try queue.close()
    // A document may have named them, and have chosen the URL and the name.
    let spec = try #require(try scratch.open().journal.whole().records.first?.spec)
    #expect(spec.source == ChainedURL(record.spec.url, namedBy: .world))
    #expect(spec.name == FileName(foreign: "_profile"))
    #expect(spec.options.mirrors.isEmpty)
    #expect(
      spec.options.described?.copies == mirrors.map { ChainedURL($0, namedBy: .world) })
  }

  @Test func `sorted and displayed values have their own columns`() throws {
    var record = Sample.full(3, state: .waiting)
    record.finishedFile = nil
    try scratch.fill([.put(record)])
    let row = try DatabaseQueue(path: scratch.path).read { db in
      try Row.fetchOne(
        db,
        sql: """
          SELECT state, reason, session, bytes_received, bytes_expected, priority, url
          FROM transfer WHERE id = 3
          """)
    }
    let expected: Row = [
      "state": "waiting", "reason": "retryAfter", "session": "org.example.app",
      // An upload that waits and will continue: the sent bytes of its request body.
      "bytes_received": 1 << 41, "bytes_expected": 1 << 44, "priority": 0.75,
      "url": "https://example.org:8443/a%20b/3?token=s%2Fecret",
    ]
    #expect(row == expected)
  }

  // MARK: Guarantees

  // Fault 77
  @Test func `commits survive a power cut and foreign keys are checked`() throws {
    _ = try scratch.open()
    #expect(try pragma("journal_mode", StoreSchema.writing) == "wal")
    #expect(try pragma("synchronous", StoreSchema.writing) == "2")
    #expect(try pragma("foreign_keys", StoreSchema.writing) == "1")
    #expect(try pragma("busy_timeout", StoreSchema.writing) == "5000")
    #expect(try pragma("application_id", StoreSchema.writing) == "1265923180")
    #expect(try pragma("user_version", StoreSchema.writing) == "3")
  }

  // Fault 76
  @Test func `committed changes survive a kill`() throws {
    let journal = try scratch.open().journal
    try journal.commit(Sample.puts(1...100))
    try journal.commit([.remove(TransferID(rawValue: 50))])
    let copy = try scratch.killed()
    let opening = try copy.open()
    #expect(opening.notice == nil)
    #expect(try opening.journal.whole().records.count == 99)
    #expect(try journal.whole().records.count == 99)
  }

  // Fault 76
  @Test func `the last checkpoint before a kill is in the record at the next start`()
    throws
  {
    var record = Sample.plain(1)
    record.resumeData = Sample.resumeData(1)
    record.resumeData?.durable = ByteRangeSet(prefix: 1 << 20)
    let journal = try scratch.open().journal
    try journal.commit([.put(record), .put(Sample.full(2)), .put(Sample.plain(3))])
    for step in 2...9 {
      let durable = ByteRangeSet(prefix: Int64(step) << 20)
      try journal.commit([.progress(record.id, durable)])
    }
    try journal.commit([.progress(TransferID(rawValue: 2), ByteRangeSet(prefix: 5))])
    try journal.commit([.progress(TransferID(rawValue: 3), ByteRangeSet(prefix: 5))])
    let copy = try scratch.killed()
    let opening = try copy.open(wholeByteCountMax: 0)
    #expect(opening.notice == nil)
    record.resumeData?.durable = ByteRangeSet(prefix: 9 << 20)
    var other = Sample.full(2)
    other.resumeData?.durable = ByteRangeSet(prefix: 5)
    let contents = try opening.journal.whole()
    // The third never had a file, so its checkpoint belongs to no file.
    #expect(contents.records == [record, other, Sample.plain(3)])
    #expect(contents.dormant.states[.queued]?.bytesReceived == 9 << 20)
    try opening.journal.close()
    let rows = try DatabaseQueue(path: copy.path).read { db in
      try Int.fetchOne(db, sql: "SELECT count(*) FROM progress")
    }
    #expect(rows == 0)
    #expect(try copy.open().notice == nil)
  }

  // Fault 77
  @Test func `a commit applies all changes or none`() throws {
    let journal = try scratch.open().journal
    try journal.commit([.put(Sample.plain(1, task: 1))])
    // Two transfers of one session with the same task identifier.
    let error = #expect(throws: StoreError.self) {
      try journal.commit([.put(Sample.plain(2, task: 2)), .put(Sample.plain(3, task: 1))])
    }
    #expect(error?.code == .unwritable)
    #expect(try journal.whole().records == [Sample.plain(1, task: 1)])
    // A failed commit does not use up its identifiers.
    #expect(try journal.whole().lastID == TransferID(rawValue: 1))
    try journal.commit([.put(Sample.plain(2, task: 2))])
    #expect(try journal.whole().records.count == 2)
  }

  @Test func `identifiers never decrease across removals and restarts`() throws {
    try scratch.fill(Sample.puts(1...20))
    try scratch.fill((1...20).map { .remove(TransferID(rawValue: $0)) })
    try scratch.fill([.put(Sample.plain(4, task: 4))])
    let contents = try scratch.open().journal.whole()
    #expect(contents.records.map(\.id.rawValue) == [4])
    #expect(contents.lastID.rawValue == 20)
    #expect(contents.lastTaskIdentifiers == [.kettle: 20])
  }

  @Test func `a store locked by another program is reported as busy`() throws {
    let journal = try scratch.open().journal
    var impatient = Configuration()
    impatient.busyMode = .immediateError
    let other = try DatabaseQueue(path: scratch.path, configuration: impatient)
    try other.inDatabase { db in
      try db.execute(sql: "BEGIN IMMEDIATE")
      let error = #expect(throws: StoreError.self) { try journal.commit(Sample.puts(1...1)) }
      #expect(error?.code == .busy)
      try db.execute(sql: "ROLLBACK")
    }
    try journal.commit(Sample.puts(1...1))
    #expect(try journal.whole().records.count == 1)
  }

  // Fault 72
  @Test func `a full disk is reported and no part of the commit remains`() throws {
    let journal = try scratch.open().journal
    try journal.commit(Sample.puts(1...10))
    // SQLite refuses to grow the file, as on a full disk.
    try journal.queue.inDatabase { db in try db.execute(sql: "PRAGMA max_page_count = 30") }
    let error = #expect(throws: StoreError.self) { try journal.commit(Sample.puts(11...5000)) }
    #expect(error?.code == .diskFull)
    #expect(try journal.whole().records.count == 10)
    #expect(try journal.whole().lastID.rawValue == 10)
  }

  // Fault 102
  @Test func `50,000 transfers are added in one commit and loaded again`() throws {
    let journal = try scratch.open().journal
    let clock = ContinuousClock()
    let duration = try clock.measure { try journal.commit(Sample.puts(1...50_000)) }
    #expect(try journal.whole().records.count == 50_000)
    // Well under 1 s when optimized; the bound here only detects nonlinear behavior.
    #expect(duration < .seconds(30))
  }

  @Test func `a closed store leaves no log and accepts no commit`() throws {
    let journal = try scratch.open().journal
    try journal.commit(Sample.puts(1...3))
    try journal.close()
    #expect(try scratch.names() == ["store.sqlite", "store.sqlite-commits"])
    #expect(throws: StoreError.self) { try journal.commit(Sample.puts(4...4)) }
  }

  @Test func `a read beside a close answers or fails`() throws {
    for _ in 0..<100 {
      let journal = try scratch.open().journal
      _ = try journal.records([TransferID(rawValue: 1)])
      DispatchQueue.concurrentPerform(iterations: 4) { number in
        guard number < 3 else { return (try? journal.close()) ?? () }
        for _ in 0..<50 { _ = try? journal.records([TransferID(rawValue: 1)]) }
      }
      #expect(throws: StoreError.self) { try journal.records([TransferID(rawValue: 1)]) }
    }
  }

  @Test func `text from a server is stored with every character`() throws {
    var record = Sample.plain(1)
    record.failure = TransferFailure(
      .tlsRefused, on: "a\u{0}b", detail: "\u{1B}[\u{2028}\u{202E}\r\n")
    try scratch.fill([.put(record)])
    #expect(try scratch.open().journal.whole().records == [record])
  }
}
