import KettleModel
import Testing

@testable import KettleScheduler

/// Which source the next connection uses.
struct MirrorTableTests {
  private typealias ID = MirrorTable.SourceID

  private let now = MonotonicTime(milliseconds: 1_000_000)

  private func later(_ milliseconds: Int64) -> MonotonicTime {
    now.advanced(byMilliseconds: milliseconds)
  }

  private func table(mirrors count: Int) -> MirrorTable {
    var wanted = spec("https://a.example/file")
    wanted.options.mirrors = (1...count).map { url("https://m\($0).example/file") }
    return MirrorTable(wanted)
  }

  private func id(_ number: Int) -> MirrorTable.SourceID { .init(rawValue: number) }

  private func uses(_ counts: [Int: Int]) -> [MirrorTable.SourceID: MirrorTable.Use] {
    Dictionary(uniqueKeysWithValues: counts.map { (id($0), MirrorTable.Use(fetching: $1)) })
  }

  @Test func `a transfer without mirrors has no table`() {
    #expect(MirrorTable(spec()).isEmpty)
  }

  @Test func `an upload and another request than GET have one source`() {
    var posted = spec()
    posted.options.mirrors = [url("https://m.example/")]
    posted.request = RequestContent(method: "POST", body: .bytes(Base64Bytes([1])))
    #expect(MirrorTable(posted).isEmpty)
    var task = spec()
    task.options.mirrors = [url("https://m.example/")]
    task.task = TaskOptions(kind: .download)
    #expect(!MirrorTable(task).isEmpty)
    task.task = TaskOptions(kind: .upload)
    #expect(MirrorTable(task).isEmpty)
  }

  @Test func `a mirror that is the URL itself or given twice counts once`() {
    var wanted = spec("https://a.example/file")
    let other = url("https://m.example/file")
    wanted.options.mirrors = [wanted.url, other, other]
    #expect(MirrorTable(wanted).sources.map(\.url) == [wanted.url, other])
  }

  @Test func `mirrors that are not tried come first, two at a time`() {
    let table = table(mirrors: 3)
    let used = uses([0: 1])
    #expect(table.candidates(used, at: now) == [id(1), id(2), id(3), id(0)])
    var sampling = used
    sampling[id(1)] = .init(sampling: 1)
    #expect(table.candidates(sampling, at: now) == [id(2), id(3), id(0)])
    sampling[id(2)] = .init(sampling: 1)
    #expect(table.candidates(sampling, at: now) == [id(0)])
  }

  @Test func `a proved mirror without a connection comes before all others`() {
    var table = table(mirrors: 2)
    table.recordProof(of: id(2), nil)
    #expect(table.candidates(uses([0: 1]), at: now) == [id(2), id(1), id(0)])
  }

  @Test func `further connections follow the speed of each`() {
    var table = table(mirrors: 2)
    for number in 1...2 { table.recordProof(of: id(number), nil) }
    for (number, speed) in [(0, 10), (1, 40), (2, 20)] {
      table.recordSpeed(of: id(number), bytesPerSecond: Int64(speed))
    }
    var counts = [0: 1, 1: 1, 2: 1]
    for _ in 0..<7 {
      let best = table.candidates(uses(counts), at: now).first?.rawValue ?? 0
      counts[best, default: 0] += 1
    }
    #expect(counts == [0: 1, 1: 6, 2: 3])
  }

  @Test func `a failed mirror is left out for a growing time`() {
    var table = table(mirrors: 1)
    table.recordFailure(of: id(1), at: now)
    #expect(!table.candidates([:], at: later(4999)).contains(id(1)))
    #expect(table.candidates([:], at: later(5000)).contains(id(1)))
    table.recordFailure(of: id(1), at: later(5000))
    #expect(!table.candidates([:], at: later(14_999)).contains(id(1)))
    #expect(table.candidates([:], at: later(15_000)).contains(id(1)))
    for _ in 0..<40 { table.recordFailure(of: id(1), at: now) }
    #expect(table.candidates([:], at: later(600_000)).contains(id(1)))
  }

  @Test func `Retry-After of a mirror is honoured, up to a day`() {
    var table = table(mirrors: 1)
    table.recordFailure(of: id(1), retryAfterMilliseconds: 60_000, at: now)
    #expect(!table.candidates([:], at: later(59_999)).contains(id(1)))
    table.recordFailure(of: id(1), retryAfterMilliseconds: .max, at: now)
    #expect(table.candidates([:], at: later(24 * 3600 * 1000)).contains(id(1)))
  }

  @Test func `a mirror that lies is not used until the user starts the transfer`() {
    var table = table(mirrors: 1)
    table.recordLie(of: id(1))
    table.recordProof(of: id(1), nil)
    #expect(table.candidates([:], at: later(1_000_000)) == [id(0)])
    table.beginRun(keepsBytes: true)
    #expect(table[id(1)]?.standing == .lied)
    table.forgetFailures()
    #expect(table[id(1)]?.standing == .unproved)
  }

  @Test func `the next source opens the file, and the user's URL has the last word`() {
    var table = table(mirrors: 2)
    table.chooseOpener(knownTo: nil, at: now)
    var openers = [table.opener.rawValue]
    while table.failOver(passing: nil, at: now) {
      openers.append(table.opener.rawValue)
      if openers.count > 10 { break }
    }
    #expect(openers == [0, 1, 2, 0])
  }

  @Test func `a run begins with the source whose validator is known, if it is usable`() {
    var table = table(mirrors: 2)
    table.chooseOpener(knownTo: "https://m2.example/file", at: now)
    #expect(table.opener == id(2))
    table.recordFailure(of: id(2), at: now)
    table.chooseOpener(knownTo: "https://m2.example/file", at: now)
    #expect(table.opener == .user)
    table.recordFailure(of: .user, at: now)
    table.chooseOpener(knownTo: nil, at: now)
    #expect(table.opener == id(1))
  }

  @Test func `a source whose file had another checksum opens it last`() {
    var table = table(mirrors: 2)
    table.chooseOpener(knownTo: nil, at: now)
    table.recordMismatch()
    table.forgetFailures()
    table.chooseOpener(knownTo: nil, at: now)
    #expect(table.opener == id(1))
    var openers = [table.opener.rawValue]
    while openers.count < 10, table.failOver(passing: nil, at: now) {
      openers.append(table.opener.rawValue)
    }
    #expect(openers == [1, 2, 0])
  }

  @Test func `no more mirrors are kept than a transfer may have`() {
    var table = table(mirrors: 60)
    let many = (0..<100).map { url("https://l\($0).example/") }
    table.add(
      many.map { ChainedURL(given: $0) }, to: ChainedURL(given: url("https://a.example/file")))
    #expect(table.sources.count == TransferOptions.mirrorCountMax + 1)
  }
}
