import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleStore

/// The contract of the port, tested with the store and the journal in memory.
@Suite struct JournalConformanceTests {
  enum Kind: CaseIterable, Sendable {
    case sqlite, memory
  }

  private let scratch: StoreScratch

  init() throws { scratch = try StoreScratch() }

  private func journal(_ kind: Kind) throws -> any TransferJournal & TransferArchive {
    switch kind {
    case .sqlite: try scratch.open().journal
    case .memory: InMemoryJournal()
    }
  }

  @Test(arguments: Kind.allCases)
  func `a new journal is empty`(_ kind: Kind) throws {
    let contents = try journal(kind).whole()
    #expect(contents.records == [])
    #expect(contents.lastID == TransferID(rawValue: 0))
    #expect(contents.lastTaskIdentifiers == [:])
  }

  @Test(arguments: Kind.allCases)
  func `records are loaded unchanged and ordered by id`(_ kind: Kind) throws {
    let journal = try journal(kind)
    let records = [Sample.plain(30), Sample.full(7), Sample.plain(8)]
    try journal.commit(records.map(JournalChange.put))
    #expect(try journal.whole().records == [records[1], records[2], records[0]])
  }

  @Test(arguments: Kind.allCases)
  func `a record replaces every field of the previous one with its id`(_ kind: Kind) throws {
    let journal = try journal(kind)
    try journal.commit([.put(Sample.full(1))])
    var plain = Sample.plain(1, session: "org.example.app")
    plain.state = .idle
    try journal.commit([.put(plain)])
    #expect(try journal.whole().records == [plain])
  }

  @Test(arguments: Kind.allCases)
  func `changes are applied in order`(_ kind: Kind) throws {
    let journal = try journal(kind)
    let one = TransferID(rawValue: 1)
    try journal.commit([.put(Sample.plain(1)), .remove(one)])
    #expect(try journal.whole().records == [])
    try journal.commit([.remove(one), .put(Sample.plain(2)), .remove(TransferID(rawValue: 99))])
    #expect(try journal.whole().records == [Sample.plain(2)])
  }

  private func durable(_ journal: any TransferJournal & TransferArchive) throws -> [ByteRangeSet?] {
    try journal.whole().records.map { $0.resumeData?.durable }
  }

  @Test(arguments: Kind.allCases)
  func `the latest checkpoint is part of the record in every read`(_ kind: Kind) throws {
    let journal = try journal(kind)
    let known = try #require(Sample.full(1).resumeData?.durable)
    try journal.commit([.put(Sample.full(1)), .put(Sample.full(2))])
    var more = ByteRangeSet(prefix: 7 << 20)
    try journal.commit([.progress(TransferID(rawValue: 2), more)])
    #expect(try durable(journal) == [known, more])
    more.insert(try #require(ByteRange(lower: 9 << 20, upper: 10 << 20)))
    try journal.commit([.progress(TransferID(rawValue: 2), more)])
    var expected = Sample.full(2)
    expected.resumeData?.durable = more
    #expect(try journal.whole().records == [Sample.full(1), expected])
    #expect(try journal.records([TransferID(rawValue: 2)]) == [expected])
  }

  @Test(arguments: Kind.allCases)
  func `a later record overrides earlier checkpoints`(_ kind: Kind) throws {
    let journal = try journal(kind)
    let (one, two) = (TransferID(rawValue: 1), TransferID(rawValue: 2))
    let known = try #require(Sample.full(1).resumeData?.durable)
    let more = ByteRangeSet(prefix: 7 << 20)
    try journal.commit([.put(Sample.full(1)), .put(Sample.full(2))])
    try journal.commit([.progress(one, more), .progress(two, more), .put(Sample.full(1))])
    #expect(try durable(journal) == [known, more])
    try journal.commit([.put(Sample.full(2)), .put(Sample.full(1)), .progress(one, more)])
    #expect(try durable(journal) == [more, known])
    // A restarted file has no durable bytes, whatever was recorded for the previous one.
    var fresh = Sample.full(1)
    fresh.resumeData?.durable = ByteRangeSet()
    try journal.commit([.put(fresh)])
    #expect(try durable(journal) == [ByteRangeSet(), known])
    try journal.commit([.progress(one, more), .remove(one)])
    try journal.commit([.put(Sample.full(1))])
    #expect(try durable(journal) == [known, known])
  }

  @Test(arguments: Kind.allCases)
  func `the last identifiers are remembered after their transfers are removed`(_ kind: Kind) throws
  {
    let journal = try journal(kind)
    try journal.commit([
      .put(Sample.plain(5, session: "a", task: 2)), .put(Sample.plain(9, session: "b", task: 7)),
    ])
    try journal.commit([.remove(TransferID(rawValue: 9)), .remove(TransferID(rawValue: 5))])
    try journal.commit([.put(Sample.plain(3, session: "b", task: 1))])
    let contents = try journal.whole()
    #expect(contents.lastID == TransferID(rawValue: 9))
    #expect(
      contents.lastTaskIdentifiers
        == [SessionID(rawValue: "a"): 2, SessionID(rawValue: "b"): 7])
  }

  @Test(arguments: Kind.allCases)
  func `cleared transfers stay cleared after a clear with a lower number`(
    _ kind: Kind
  ) throws {
    let journal = try journal(kind)
    #expect(try journal.whole().clearedUpTo == nil)
    try journal.commit([.clearFinished(upTo: 0)])
    #expect(try journal.whole().clearedUpTo == 0)
    try journal.commit([.clearFinished(upTo: 7)])
    try journal.commit([.clearFinished(upTo: 3)])
    #expect(try journal.whole().clearedUpTo == 7)
  }

  @Test(arguments: Kind.allCases)
  func `clearing is undone to an earlier number or to none`(_ kind: Kind) throws {
    let journal = try journal(kind)
    try journal.commit([.clearFinished(upTo: 3)])
    try journal.commit([.clearFinished(upTo: 7)])
    try journal.commit([.uncover(clearedUpTo: 3)])
    #expect(try journal.whole().clearedUpTo == 3)
    try journal.commit([.uncover(clearedUpTo: nil)])
    #expect(try journal.whole().clearedUpTo == nil)
  }

  @Test(arguments: Kind.allCases)
  func `the bin keeps every field of a transfer until its action is removed`(
    _ kind: Kind
  ) throws {
    let journal = try journal(kind)
    let time = WallTime(millisecondsSince1970: 1_800_000_000_000)
    let stop = BinAction(number: 5, kind: .stop, at: time)
    let clear = BinAction(number: 9, kind: .clear, at: time, clearedBefore: 4)
    var partial = Sample.plain(3)
    partial.resumeData = Sample.resumeData(3)
    let records = [Sample.full(1), Sample.plain(2), partial]
    try journal.commit([.bin(.putAction(clear)), .bin(.putAction(stop))])
    try journal.commit(records.map { .bin(.putEntry(BinEntry(action: 5, record: $0))) })
    #expect(try journal.load().binActions == [stop, clear])
    #expect(
      try journal.binEntries(of: 5, after: nil, countMax: 2).map(\.record)
        == Array(records.prefix(2)))
    #expect(
      try journal.binEntries(of: 5, after: records[1].id, countMax: 9).map(\.record)
        == [records[2]])
    #expect(
      try journal.binEntries(of: [records[0].id, records[2].id], in: [4, 5]).map(\.record)
        == [records[0], records[2]])
    #expect(try journal.binContents(of: 9)[5] == nil)
    #expect(try journal.binContents(of: 5)[5] == journal.binContents(of: nil)[5])
    let contents = try #require(try journal.binContents(of: nil)[5])
    #expect(contents.transferCount == 3)
    let title = RowMaker(documentsDirectory: "").row(of: records[0]).title
    #expect(contents.title == title)

    var bytes = try #require(partial.resumeData)
    bytes.durable = ByteRangeSet(prefix: 77)
    try journal.commit([.bin(.setBytes(bytes, partial.id, action: 5))])
    // It has no bytes, and gets none.
    try journal.commit([.bin(.setBytes(bytes, records[1].id, action: 5))])
    let changed = try journal.binEntries(of: 5, after: nil, countMax: 9).map(\.record.resumeData)
    #expect(changed == [records[0].resumeData, nil, bytes])
    try journal.commit([.bin(.removeEntries([records[0].id], action: 5))])
    #expect(try journal.binContents(of: nil)[5]?.byteCount == 77)

    try journal.commit([.bin(.removeEntries([partial.id], action: 5))])
    #expect(try journal.binEntries(of: 5, after: nil, countMax: 9).map(\.record) == [records[1]])
    try journal.commit([.bin(.removeAction(5))])
    #expect(try journal.load().binActions == [clear])
    #expect(try journal.binEntries(of: 5, after: nil, countMax: 9).isEmpty)
    #expect(try journal.binContents(of: nil)[5] == nil)
  }

  @Test(arguments: Kind.allCases)
  func `the last response of each host is kept`(_ kind: Kind) throws {
    let journal = try journal(kind)
    let first = Origin(scheme: .https, host: "files.example", port: 443)
    let second = Origin(scheme: .http, host: "[::1]", port: 8080)
    let time = WallTime(millisecondsSince1970: 1_800_000_000_000)
    let later = time.advanced(byMilliseconds: 3_600_000)
    #expect(try journal.load().servedHosts.isEmpty)
    try journal.commit([.hostServed(first, at: time), .hostServed(second, at: time)])
    try journal.commit([.hostServed(first, at: later)])
    #expect(try journal.load().servedHosts == [first: later, second: time])
  }

  @Test(arguments: Kind.allCases)
  func `what the user decided for a host is kept until it is forgotten`(_ kind: Kind) throws {
    let journal = try journal(kind)
    let first = Origin(scheme: .https, host: "files.example", port: 443)
    let second = Origin(scheme: .https, host: "[::1]", port: 8443)
    let login = RememberedHost(login: Login(user: "ada", password: "a:b \u{1F511}"))
    let trusted = RememberedHost(trustedKeys: [String(repeating: "ab", count: 32)])
    #expect(try journal.load().rememberedHosts.isEmpty)
    try journal.commit([.rememberHost(first, login), .rememberHost(second, login)])
    try journal.commit([.rememberHost(second, trusted)])
    #expect(try journal.load().rememberedHosts == [first: login, second: trusted])
    try journal.commit([.rememberHost(first, RememberedHost())])
    #expect(try journal.load().rememberedHosts == [second: trusted])
  }

  @Test(arguments: Kind.allCases)
  func `trusted servers and the refused certificate are kept`(_ kind: Kind) throws {
    let journal = try journal(kind)
    var record = Sample.plain(1)
    record.spec.trustedServers = [
      TrustedServer(origin: "https://nas.local", key: String(repeating: "0f", count: 32))
    ]
    record.state = .waiting
    record.reason = .needsDecision
    var failure = TransferFailure(.tlsRefused, on: "nas.local", detail: "self-signed certificate")
    failure.certificate = ServerCertificate(
      origin: "https://nas.local", fingerprint: String(repeating: "ab", count: 32),
      key: String(repeating: "cd", count: 32), subject: "nas.local", issuer: "")
    failure.certificate?.validUntil = WallTime(millisecondsSince1970: 1_900_000_000_000)
    record.failure = failure
    try journal.commit([.put(record)])
    #expect(try journal.whole().records == [record])
  }

  @Test(arguments: Kind.allCases)
  func `a negative queue position is loaded unchanged`(_ kind: Kind) throws {
    let journal = try journal(kind)
    var record = Sample.plain(1)
    record.queuePosition = -4711
    try journal.commit([.put(record)])
    #expect(try journal.whole().records == [record])
  }

  @Test(arguments: Kind.allCases)
  func `sessions are loaded unchanged by name, with and without transfers`(
    _ kind: Kind
  ) throws {
    let journal = try journal(kind)
    try journal.commit([
      .putSession(Sample.session("org.example.b")), .putSession(Sample.session("org.example.a")),
      .put(Sample.plain(1, session: "org.example.b", task: 4)),
    ])
    try journal.commit([.putSession(Sample.session("org.example.b", launch: .armed))])
    let contents = try journal.whole()
    #expect(
      contents.sessions
        == [Sample.session("org.example.a"), Sample.session("org.example.b", launch: .armed)])
    #expect(
      contents.lastTaskIdentifiers
        == [SessionID(rawValue: "org.example.a"): 0, SessionID(rawValue: "org.example.b"): 4])
  }

  @Test(arguments: Kind.allCases)
  func `a dropped session is removed and its last task identifier is remembered`(_ kind: Kind)
    throws
  {
    let journal = try journal(kind)
    let name = SessionID(rawValue: "org.example.a")
    try journal.commit([
      .putSession(Sample.session(name.rawValue)),
      .put(Sample.plain(1, session: name.rawValue, task: 7)),
    ])
    try journal.commit([.remove(TransferID(rawValue: 1)), .removeSession(name)])
    #expect(try journal.whole().sessions == [])
    #expect(try journal.whole().lastTaskIdentifiers == [name: 7])
    try journal.commit([.putSession(Sample.session(name.rawValue))])
    #expect(try journal.whole().lastTaskIdentifiers == [name: 7])
  }

  @Test(arguments: Kind.allCases)
  func `an empty commit is not an error`(_ kind: Kind) throws {
    let journal = try journal(kind)
    try journal.commit([])
    #expect(try journal.whole().records == [])
  }
}

@Suite struct InMemoryJournalTests {
  private struct Refusal: Error {}

  @Test func `a failed commit changes nothing`() throws {
    let journal = InMemoryJournal()
    journal.failNextCommits(with: Refusal())
    #expect(throws: Refusal.self) { try journal.commit(Sample.puts(1...2)) }
    #expect(try journal.whole().records == [])
    try journal.commit(Sample.puts(1...2))
    #expect(journal.commits == [Sample.puts(1...2)])
  }

  @Test func `a held commit is applied when it is released`() async throws {
    let journal = InMemoryJournal()
    journal.hold()
    // On its own thread, so that it does not block one of the few threads of the task pool.
    let commit = Completion<Result<Void, any Error>>()
    OriginThread.start { commit.finish(Result { try journal.commit(Sample.puts(1...1)) }) }
    var attempts = journal.attempts.makeAsyncIterator()
    #expect(await attempts.next() == Sample.puts(1...1))
    #expect(journal.commits.isEmpty)
    journal.release()
    try await commit.value().get()
    #expect(journal.commits.count == 1)
  }
}
