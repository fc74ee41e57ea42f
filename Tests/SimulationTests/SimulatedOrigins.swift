import KettleModel
import SeededNumbers

/// A file on the simulated servers, and how it changes.
struct SimulatedResource {
  struct Version {
    var since: MonotonicTime
    var bytes: [UInt8]
    var number: Int
  }

  let name: String
  /// Into how many segments of a playlist it is divided; 0 for a file of its own.
  let segmentCount: Int
  private let seed: UInt64
  private(set) var versions: [Version] = []

  init(
    _ name: String, seed: UInt64, byteCount: Int, segmentCount: Int = 0, at now: MonotonicTime
  ) {
    self.name = name
    self.seed = seed
    self.segmentCount = segmentCount
    change(byteCount: byteCount, at: now)
  }

  mutating func change(byteCount: Int, at now: MonotonicTime) {
    let number = versions.count + 1
    versions.append(
      Version(
        since: now, bytes: Self.bytes(seed &+ UInt64(number), byteCount), number: number))
  }

  func version(at time: MonotonicTime) -> Version {
    versions.last { $0.since <= time } ?? versions[0]
  }

  /// What a server has that lies about the file: other bytes, as many.
  func lie(at time: MonotonicTime) -> Version {
    var version = version(at: time)
    version.bytes = Self.bytes(seed ^ 0xFFFF, version.bytes.count)
    version.number = 90
    return version
  }

  /// Returns what is under a path, and its media type; nil if the path is not of this resource.
  func content(at path: String, of version: Version) -> (bytes: ArraySlice<UInt8>, type: String)? {
    if path == "/" + name {
      guard segmentCount > 0 else { return (version.bytes[...], "application/octet-stream") }
      return (Array(playlist.utf8)[...], "application/vnd.apple.mpegurl")
    }
    guard let number = (0..<segmentCount).first(where: { path == "/\(segment($0))" }) else {
      return nil
    }
    let (count, total) = (segmentCount, version.bytes.count)
    return (version.bytes[number * total / count..<(number + 1) * total / count], "video/mp2t")
  }

  private func segment(_ number: Int) -> String { "\(name).\(number).ts" }

  private var playlist: String {
    let segments = (0..<segmentCount).map { "#EXTINF:6,\n/\(segment($0))\n" }
    return "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:6\n#EXT-X-MEDIA-SEQUENCE:0\n"
      + segments.joined() + "#EXT-X-ENDLIST\n"
  }

  private static func bytes(_ seed: UInt64, _ byteCount: Int) -> [UInt8] {
    var random = SeededGenerator(seed: seed)
    return [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      for start in stride(from: 0, to: byteCount, by: 8) {
        var word = random.next()
        for index in start..<min(start + 8, byteCount) {
          buffer[index] = UInt8(truncatingIfNeeded: word)
          word >>= 8
        }
      }
      count = byteCount
    }
  }
}

/// What a simulated server is like when it tells the truth.
struct SimulatedServer {
  /// What its responses have that distinguishes two versions.
  enum Validators: String, CaseIterable {
    case tag, tagAndDate, date, weakTag
    /// A date that two versions share.
    case sameDate
    case none
    /// Another tag in each response.
    case otherTagEachTime
  }

  enum Framing: String, CaseIterable {
    case length, chunked
    /// The end of the connection is the end of the body.
    case closing
  }

  enum Kind: String {
    case ordinary, redirecting
    /// It serves other bytes than the file.
    case lying
  }

  var host: String
  var kind = Kind.ordinary
  var validators = Validators.tag
  var framing = Framing.length
  var servesParts = true
  var bytesPerSecond: Int64 = 100_000
  /// How many connections it permits; more are refused with 503.
  var connectionsMax = 100
  /// Where a redirecting server leads to.
  var target = ""
}

/// A response as it arrives.
struct SimulatedReply {
  enum End {
    case whole
    /// The connection is reset, ends, or is silent after so many bytes of the body.
    case reset(Int), ended(Int), silent(Int)
  }

  var status = 200
  var headers: [(String, String)] = []
  var body: ArraySlice<UInt8> = []
  var end = End.whole
  var isChunked = false
  /// Nothing arrives, not even the head.
  var hasNoHead = false
  /// The connection ends in place of a head.
  var isLostBeforeHead = false
  var bytesPerSecond: Int64 = 100_000

  var head: ResponseHead {
    ResponseHead(
      status: status, headers: headers.map { HeaderField(received: $0.0, $0.1) })
  }

  mutating func set(_ name: String, _ value: String?) {
    headers.removeAll { $0.0 == name }
    if let value { headers.append((name, value)) }
  }
}

/// The servers of a run and what they have.
struct SimulatedOrigins {
  var servers: [SimulatedServer] = []
  var resources: [SimulatedResource] = []

  /// The time of every response, which is that of the start of each run.
  private static let date = "Tue, 14 Nov 2023 22:13:20 GMT"

  func server(_ host: String) -> SimulatedServer? { servers.first { $0.host == host } }

  func resource(at path: String) -> SimulatedResource? {
    resources.first { $0.content(at: path, of: $0.versions[0]) != nil }
  }

  /// The response of a server that does what it should.
  func honest(
    to url: TransferURL, range: (lower: Int64, upper: Int64?)?, ifRange: String?,
    tagNumber: UInt64, at now: MonotonicTime
  ) -> SimulatedReply {
    var reply = SimulatedReply()
    reply.set("Date", Self.date)
    guard let server = server(url.host), let resource = resource(at: url.path) else {
      reply.status = 404
      return reply
    }
    reply.bytesPerSecond = server.bytesPerSecond
    if server.kind == .redirecting {
      reply.status = 302
      reply.set("Location", "http://\(server.target)\(url.path)")
      return reply
    }
    let version = server.kind == .lying ? resource.lie(at: now) : resource.version(at: now)
    guard let (bytes, type) = resource.content(at: url.path, of: version) else { return reply }
    let (tag, modified) = Self.validators(of: server, version, tagNumber)
    reply.set("ETag", tag)
    reply.set("Last-Modified", modified)
    reply.set("Content-Type", type)
    let total = Int64(bytes.count)
    let isCurrent = ifRange == nil || ifRange == tag || (tag == nil && ifRange == modified)
    guard server.servesParts, let range, isCurrent else {
      reply.body = bytes
      reply.bytesPerSecond = max(server.bytesPerSecond, total / 300)
      Self.frame(&reply, server.framing)
      return reply
    }
    guard range.lower < total else {
      reply.status = 416
      reply.set("Content-Range", "bytes */\(total)")
      reply.set("Content-Length", "0")
      return reply
    }
    let upper = min(range.upper ?? total, total)
    reply.status = 206
    reply.body = bytes.dropFirst(Int(range.lower)).prefix(Int(upper - range.lower))
    reply.bytesPerSecond = max(server.bytesPerSecond, Int64(reply.body.count) / 300)
    reply.set("Content-Range", "bytes \(range.lower)-\(upper - 1)/\(total)")
    Self.frame(&reply, server.framing == .closing ? .length : server.framing)
    return reply
  }

  private static func frame(_ reply: inout SimulatedReply, _ framing: SimulatedServer.Framing) {
    switch framing {
    case .length: reply.set("Content-Length", "\(reply.body.count)")
    case .chunked:
      reply.set("Transfer-Encoding", "chunked")
      reply.isChunked = true
    case .closing: break
    }
  }

  private static func validators(
    of server: SimulatedServer, _ version: SimulatedResource.Version, _ tagNumber: UInt64
  ) -> (tag: String?, modified: String?) {
    let tag = "\"v\(version.number)\""
    let date = "Sun, 06 Nov 1994 08:49:\(10 + version.number) GMT"
    return switch server.validators {
    case .tag: (tag, nil)
    case .tagAndDate: (tag, date)
    case .date: (nil, date)
    case .weakTag: ("W/" + tag, nil)
    case .sameDate: (nil, Self.date)
    case .none: (nil, nil)
    case .otherTagEachTime: ("\"t\(tagNumber)\"", date)
    }
  }
}

/// Makes responses false.
struct SimulatedLies {
  let chance: Chance
  let server: SimulatedServer
  let range: (lower: Int64, upper: Int64?)?

  /// Changes a response by a fault; does nothing if the fault does not apply to it.
  func tell(_ fault: SimulatedFault, in reply: inout SimulatedReply, at url: TransferURL) {
    switch fault {
    case .refused: replace(&reply, by: [500, 502, 503, 504, 408, 429])
    case .retryAfter:
      replace(&reply, by: [429, 503])
      reply.set("Retry-After", retryAfter)
    case .gone: replace(&reply, by: [404, 403, 410])
    case .strangeStatus: replace(&reply, by: [412, 304, 204, 400])
    case .redirectLoop:
      replace(&reply, by: [302])
      reply.set("Location", url.text)
    case .webPage:
      reply = SimulatedReply()
      reply.set("Content-Type", "text/html")
      reply.body = Array("<html><title>Log in</title></html>".utf8)[...]
      reply.set("Content-Length", "\(reply.body.count)")
    case .noHead: reply.hasNoHead = true
    case .lostBeforeHead: reply.isLostBeforeHead = true
    case .cut: reply.end = .reset(position(in: reply))
    case .endedEarly:
      // Without a length the end of the connection would be the end of the file.
      if server.framing != .closing { reply.end = .ended(position(in: reply)) }
    case .silentBody: reply.end = .silent(position(in: reply))
    case .slow: reply.bytesPerSecond /= 50
    case .otherTag: reply.set("ETag", "\"w\(chance.number(0...9))\"")
    case .spurious416 where range != nil:
      replace(&reply, by: [416])
      if chance.happens(0.5) { reply.set("Content-Range", "bytes */\(chance.number(1...5000))") }
    case .contradiction where reply.status == 200 && reply.body.count > 1:
      reply.set("Content-Range", "bytes 1-\(reply.body.count)/\(reply.body.count + 1)")
    case .shiftedPart, .otherTotal, .noContentRange, .severalParts, .encodedPart, .shortPart,
      .longPart:
      if reply.status == 206, let range { tell(fault, inPartFrom: range.lower, &reply) }
    case .spurious416, .contradiction, .ignoredRange, .ignoredIfRange, .createFails, .writeFails,
      .readFails, .syncFails, .renameFails, .commitFails, .answerLost, .storeReadFails,
      .slowMachine, .rot, .networkDown, .hostDown, .addressChange, .newVersion, .diskFull, .kill,
      .powerCut, .restart, .clockJump, .machineSleep, .userAction:
      break
    }
  }

  private func tell(
    _ fault: SimulatedFault, inPartFrom lower: Int64, _ reply: inout SimulatedReply
  ) {
    let upper = lower + Int64(reply.body.count)
    let total = reply.headers.first { $0.0 == "Content-Range" }?.1.split(separator: "/").last ?? ""
    if fault == .shiftedPart {
      // The bytes are those from `lower` on, whatever the head says.
      let isLate = chance.happens(0.7) && reply.body.count > 4096
      let shift = isLate ? -chance.number(1...4095) : min(lower, chance.number(1...4096))
      if isLate { reply.body = reply.body.dropLast(Int(-shift)) }
      let first = lower - shift
      reply.set(
        "Content-Range", "bytes \(first)-\(first + Int64(reply.body.count) - 1)/\(total)")
      if !reply.isChunked { reply.set("Content-Length", "\(reply.body.count)") }
    }
    if fault == .otherTotal {
      reply.set("Content-Range", "bytes \(lower)-\(upper - 1)/\(upper + 7)")
    }
    if fault == .noContentRange { reply.set("Content-Range", nil) }
    if fault == .severalParts { reply.set("Content-Type", "multipart/byteranges; boundary=x") }
    if fault == .encodedPart { reply.set("Content-Encoding", "gzip") }
    if fault == .shortPart, reply.body.count > 2 {
      reply.body = reply.body.prefix(reply.body.count / 2)
      let last = lower + Int64(reply.body.count) - 1
      reply.set("Content-Range", "bytes \(lower)-\(last)/\(total)")
      if !reply.isChunked { reply.set("Content-Length", "\(reply.body.count)") }
    }
    if fault == .longPart {
      reply.body += [UInt8](repeating: 0x55, count: 700)
      reply.set("Content-Length", nil)
      reply.set("Transfer-Encoding", "chunked")
      reply.isChunked = true
    }
  }

  private func replace(_ reply: inout SimulatedReply, by statuses: [Int]) {
    let date = reply.headers.first { $0.0 == "Date" }
    reply = SimulatedReply()
    reply.status = chance.one(of: statuses) ?? 500
    if let date { reply.headers = [date] }
    reply.set("Content-Length", "0")
  }

  /// Seconds, or a time after that of the response.
  private var retryAfter: String {
    if chance.happens(0.3) { return "Tue, 14 Nov 2023 23:\(chance.number(10...59)):00 GMT" }
    return chance.happens(0.1) ? "soon" : "\(chance.skewed(upTo: 40_000))"
  }

  private func position(in reply: SimulatedReply) -> Int {
    Int(chance.skewed(upTo: Int64(reply.body.count))) % max(1, reply.body.count)
  }
}
