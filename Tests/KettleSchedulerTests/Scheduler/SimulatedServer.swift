import KettleModel
import KettleScheduler

/// A server that sends wrong responses, changes its file and refuses requests at random. It reports
/// the version of each response, so that a file spliced from two versions is detected.
struct SimulatedServer {
  static let byteCount: Int64 = 8 << 20
  /// The size of the body of an error response.
  static let pageByteCount: Int64 = 1 << 20

  private(set) var version = 1
  private var tagCount = 0
  private var replyCount = 0
  /// Whether every response has a new tag for the same bytes.
  var rotatesTags = false
  /// Whether every file is compressed.
  var compresses = false

  enum Answer {
    case head(ResponseHead, version: Int)
    case cut
  }

  mutating func answer(_ plan: AttemptPlan, luck: Int) -> Answer {
    if luck % 97 == 0 { version += 1 }
    switch luck % 23 {
    case 0: return head(503, ["Retry-After": "1"])
    case 1: return head(503, [:])
    case 2: return head(500, [:])
    case 3: return head(302, ["Location": "/elsewhere"])
    case 4: return .cut
    case 5: return head(416, ["Content-Range": "bytes */\(Self.byteCount)"])
    // To a request for all bytes, `bytes 0-9/10` would be a file of ten bytes.
    case 6:
      let lower = plan.requested == .all ? 1 : 0
      let label = ["Content-Range": "bytes \(lower)-9/10"]
      return .head(SchedulerScript.head(206, label, statesLength: false), version: version)
    case 7: return head(404, [:])
    case 8, 9: return plan.content == nil ? whole() : outcome()
    case 10 where luck.isMultiple(of: 2): return head(401, ["WWW-Authenticate": "Basic realm=x"])
    default: return file(plan)
    }
  }

  private mutating func file(_ plan: AttemptPlan) -> Answer {
    if plan.content != nil { return outcome() }
    guard let asked = plan.requested else { return whole() }
    if case .ifRange(let tag) = asked.proof, tag != self.tag { return whole() }
    let upper = min(asked.upper ?? Self.byteCount, Self.byteCount)
    return head(
      206,
      [
        "Content-Range": "bytes \(asked.lower)-\(upper - 1)/\(Self.byteCount)", "ETag": nextTag(),
      ])
  }

  private mutating func whole() -> Answer {
    head(200, ["Content-Length": "\(Self.byteCount)", "ETag": nextTag()])
  }

  private mutating func head(_ status: Int, _ headers: [String: String]) -> Answer {
    if (200..<300).contains(status) {
      let headers = compresses ? headers.merging(["Content-Encoding": "gzip"]) { $1 } : headers
      return .head(SchedulerScript.head(status, headers), version: version)
    }
    // No two error pages are equal.
    replyCount += 1
    let length = ["Content-Length": "\(Self.pageByteCount)"]
    return .head(
      SchedulerScript.head(status, headers.merging(length) { $1 }), version: -replyCount)
  }

  /// No two responses to a request with content are equal, but all have the same tag.
  private mutating func outcome() -> Answer {
    replyCount += 1
    let headers = ["Content-Length": "\(Self.byteCount)", "ETag": tag]
    return .head(SchedulerScript.head(200, headers), version: 1_000_000 + replyCount)
  }

  private var tag: String { "\"v\(version)\"" }

  private mutating func nextTag() -> String {
    guard rotatesTags else { return tag }
    tagCount += 1
    return "\"\(tagCount)\""
  }
}

/// A partial file that records only the version of its bytes.
struct SimulatedFile {
  private(set) var written: [Int: ByteRangeSet] = [:]
  private(set) var synced = ByteRangeSet()

  var all: ByteRangeSet { written.values.reduce(into: ByteRangeSet()) { $0.formUnion($1) } }

  /// Returns whether bytes that were already present have the same version.
  mutating func write(_ range: ByteRange, version: Int) -> Bool {
    for (other, durable) in written where other != version && !durable.parts(in: range).isEmpty {
      return false
    }
    written[version, default: ByteRangeSet()].insert(range)
    return true
  }

  mutating func sync() { synced = all }

  /// Keeps only what survives a power failure.
  mutating func crash() {
    for version in written.keys {
      var left = ByteRangeSet()
      for range in synced.ranges {
        for part in written[version]?.parts(in: range) ?? [] { left.insert(part) }
      }
      written[version] = left.isEmpty ? nil : left
    }
  }

  /// Reopens the file with these recorded bytes: all others count as never written.
  mutating func keep(_ durable: ByteRangeSet) {
    synced = durable
    crash()
  }

  var isWholeAndOfOneVersion: Bool {
    guard written.count == 1, let version = written.keys.first else { return false }
    let byteCount = version < 0 ? SimulatedServer.pageByteCount : SimulatedServer.byteCount
    return all.prefixByteCount == byteCount
  }
}
