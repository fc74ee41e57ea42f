import KettleModel
import Testing

@testable import KettleScheduler

/// What is joined to the segments of a playlist, and what is not, as scripts of events.
struct PlaylistIdentityScriptTests {
  private static let master = "http://files.example/show.m3u8"
  private static let high = "#EXT-X-STREAM-INF:BANDWIDTH=5,RESOLUTION=1920x1080\nhi/v.m3u8\n"
  private static let low = "#EXT-X-STREAM-INF:BANDWIDTH=1,RESOLUTION=640x360\nlo/v.m3u8\n"
  private static let best = "#EXT-X-STREAM-INF:BANDWIDTH=9,RESOLUTION=3840x2160\nuhd/v.m3u8\n"
  private static let page = ["Content-Type": "text/html; charset=utf-8", "Content-Length": "50"]

  private static func variants(_ lines: String...) -> [UInt8] {
    Array(("#EXTM3U\n" + lines.joined()).utf8)
  }

  /// Three segments of 100 bytes.
  private static func media(
    _ head: String = "", names: String = "s", query: String = "", between: String = ""
  ) -> [UInt8] {
    let segments = (0..<3).map { "#EXTINF:6,\n\($0 == 1 ? between : "")\(names)\($0).ts\(query)\n" }
    return Array(
      "#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(head)\(segments.joined())#EXT-X-ENDLIST\n".utf8)
  }

  private static let parts = parts(of: "all.ts")

  private static func parts(of uri: String) -> [UInt8] {
    let segments = (0..<3).map { "#EXTINF:6,\n#EXT-X-BYTERANGE:100@\($0 * 100)\n\(uri)\n" }
    return Array("#EXTM3U\n#EXT-X-VERSION:4\n\(segments.joined())#EXT-X-ENDLIST\n".utf8)
  }

  private func part(_ index: Int, tag: String? = nil, total: Int = 300) -> [String: String] {
    var headers = [
      "Content-Range": "bytes \(index * 100)-\(index * 100 + 99)/\(total)", "Content-Length": "100",
    ]
    headers["ETag"] = tag
    return headers
  }

  private func deliver(_ documents: [UInt8]..., to script: inout SchedulerScript) throws {
    for bytes in documents {
      let attempt = try #require(script.attempt)
      script.head(attempt, 200)
      guard case .acceptDocument(_, _, let document)? = script.lastAction else {
        Issue.record("\(String(describing: script.lastAction))")
        return
      }
      script.settled(attempt, .document(ArrivedDocument(bytes, as: document)))
    }
  }

  /// Opens the partial file for the segment that the last attempt has requested.
  private func open(
    _ id: TransferID, _ script: inout SchedulerScript, from joined: Int64, status: Int = 200,
    _ headers: [String: String] = ["Content-Length": "100"]
  ) throws -> AttemptID {
    let attempt = try #require(script.attempt)
    script.head(attempt, status, headers)
    var data = script.record(id)?.resumeData ?? partial(total: nil, entityTag: nil)
    data.durable = ByteRangeSet(prefix: joined)
    script.opened(attempt, data)
    return attempt
  }

  private func join(
    _ id: TransferID, _ script: inout SchedulerScript, from joined: Int64, status: Int = 200,
    _ headers: [String: String] = ["Content-Length": "100"]
  ) throws {
    let attempt = try open(id, &script, from: joined, status: status, headers)
    script.settled(attempt, .complete, durable: joined + 100)
  }

  private func interrupt(_ id: TransferID, _ script: inout SchedulerScript) throws {
    script.control(.pause, id)
    script.settled(try #require(script.attempt), .cancelled)
    script.control(.start, id)
  }

  /// A transfer with two joined segments, which is about to fetch its playlist again.
  private func interrupted(
    _ documents: [UInt8]..., script: inout SchedulerScript
  ) throws -> TransferID {
    let id = script.add(spec(Self.master))
    for document in documents { try deliver(document, to: &script) }
    try join(id, &script, from: 0)
    try join(id, &script, from: 100)
    try interrupt(id, &script)
    return id
  }

  private func progress(_ id: TransferID, _ script: SchedulerScript) -> PlaylistProgress? {
    script.record(id)?.resumeData?.playlist
  }

  /// The path of the last request.
  private func path(_ script: SchedulerScript) -> String? {
    script.plan.map { $0.url.path + ($0.url.query.map { "?" + $0 } ?? "") }
  }

  private func expectFromZero(_ id: TransferID, _ script: SchedulerScript) {
    #expect(script.record(id)?.freshStart == .resourceChanged)
    #expect(script.record(id)?.resumeData?.durable.isEmpty == true)
    #expect(progress(id, script)?.joinedCount == 0)
  }

  // MARK: Variants

  // Fault 156
  @Test func `the variant that was begun is continued while it is listed`() throws {
    var script = SchedulerScript()
    let id = try interrupted(
      Self.variants(Self.high, Self.low), Self.media(), script: &script)
    try deliver(Self.variants(Self.best, Self.low, Self.high), to: &script)
    #expect(path(script) == "/hi/v.m3u8")
    try deliver(Self.media(), to: &script)
    #expect(path(script) == "/hi/s1.ts")
    #expect(progress(id, script)?.joinedCount == 2)
  }

  // Fault 156
  @Test func `another variant of the same shape is compared, and begun afresh if it differs`()
    throws
  {
    var script = SchedulerScript()
    let id = try interrupted(Self.variants(Self.high, Self.low), Self.media(), script: &script)
    try deliver(Self.variants(Self.low), Self.media(), to: &script)
    #expect(path(script) == "/lo/s1.ts")
    let attempt = try open(id, &script, from: 200)
    #expect(
      script.lastAction == .acceptSegment(id, attempt, from: 100, upTo: 200, nil))
    script.settled(
      attempt, .failed(TransferFailure(.otherVersion, on: "show.ts")), durable: 200)
    #expect(path(script) == "/show.m3u8")
    expectFromZero(id, script)
    try deliver(Self.variants(Self.low), Self.media(), to: &script)
    #expect(path(script) == "/lo/s0.ts")
  }

  // Fault 156
  @Test func `a segment that is gone leads to the same variant`() throws {
    var script = SchedulerScript()
    let id = script.add(spec(Self.master))
    try deliver(Self.variants(Self.high, Self.low), Self.media(), to: &script)
    try join(id, &script, from: 0)
    let attempt = try #require(script.attempt)
    script.head(attempt, 404)
    script.settled(attempt, .cancelled)
    try deliver(Self.variants(Self.best, Self.high), Self.media(query: "?t=2"), to: &script)
    #expect(path(script) == "/hi/s0.ts?t=2")
  }

  // MARK: The same shape

  // Fault 156
  @Test func `a run appends after a joined segment was equal`() throws {
    var script = SchedulerScript()
    let id = try interrupted(Self.media(query: "?t=1"), script: &script)
    try deliver(Self.media(query: "?t=2"), to: &script)
    #expect(path(script) == "/s1.ts?t=2")
    let attempt = try open(id, &script, from: 200)
    script.settled(attempt, .complete, durable: 200)
    #expect(progress(id, script)?.joinedCount == 2)
    #expect(progress(id, script)?.joinedByteCount == 200)
    #expect(path(script) == "/s2.ts?t=2")
    try join(id, &script, from: 200)
    #expect(script.state(id) == .verifying)
  }

  // Fault 156
  @Test func `new bytes at the same addresses are begun afresh`() throws {
    var script = SchedulerScript()
    let id = try interrupted(Self.media(), script: &script)
    try deliver(Self.media(), to: &script)
    #expect(path(script) == "/s1.ts")
    let attempt = try open(id, &script, from: 200)
    script.settled(
      attempt, .failed(TransferFailure(.otherVersion, on: "show.ts")), durable: 200)
    expectFromZero(id, script)
  }

  // Fault 156
  @Test func `the beginning of an MP4 file proves nothing while there is more`() throws {
    let lines = "#EXTINF:6,\na.m4s\n#EXT-X-MAP:URI=\"j.mp4\"\n#EXTINF:6,\nb.m4s\n"
    let movie = Array("#EXTM3U\n#EXT-X-MAP:URI=\"i.mp4\"\n\(lines)#EXT-X-ENDLIST\n".utf8)
    var script = SchedulerScript()
    let id = script.add(spec(Self.master))
    try deliver(movie, to: &script)
    for joined in [0, 100, 200] as [Int64] { try join(id, &script, from: joined) }
    #expect(path(script) == "/b.m4s")
    #expect(progress(id, script)?.sample == JoinedSegment(index: 1, lower: 100, upper: 200))
  }

  // Fault 156
  @Test(arguments: [
    AttemptOutcome.complete, .failed(TransferFailure(.tooLong, on: "the body")),
  ])
  func `a segment of another length proves nothing`(outcome: AttemptOutcome) throws {
    var script = SchedulerScript()
    let id = try interrupted(Self.media(query: "?t=1"), script: &script)
    try deliver(Self.media(query: "?t=2"), to: &script)
    let attempt = try open(id, &script, from: 200)
    // Ended before the end of the joined segment, or goes on behind it.
    script.ended(attempt, outcome, upTo: nil)
    script.closed(durable: ByteRangeSet(prefix: 200))
    expectFromZero(id, script)
  }

  // MARK: Another shape

  // Fault 156, 157
  @Test(arguments: [
    media("#EXT-X-MEDIA-SEQUENCE:3\n"), media("#EXT-X-TARGETDURATION:7\n"),
    media(between: "#EXT-X-BYTERANGE:5@0\n"), media(between: "#EXT-X-DISCONTINUITY\n"),
  ])
  func `a playlist of another shape is begun afresh`(changed: [UInt8]) throws {
    var script = SchedulerScript()
    let id = try interrupted(Self.media(), script: &script)
    try deliver(changed, to: &script)
    #expect(path(script) == "/s0.ts")
    expectFromZero(id, script)
  }

  // Fault 162
  @Test func `segments of unknown origin are begun afresh`() throws {
    var script = SchedulerScript()
    let id = try interrupted(Self.media(), script: &script)
    script.control(.pause, id)
    script.settled(try #require(script.attempt), .cancelled)
    var record = try #require(script.record(id))
    record.resumeData?.playlist?.identity = nil
    var restarted = SchedulerScript()
    restarted.run(restarted.scheduler.recover([record], at: restarted.now))
    restarted.control(.start, id)
    try deliver(Self.media(), to: &restarted)
    #expect(path(restarted) == "/s0.ts")
    expectFromZero(id, restarted)
  }

  @Test func `damage to joined segments begins the recording afresh`() throws {
    var script = SchedulerScript()
    let id = try interrupted(Self.media(), script: &script)
    script.control(.pause, id)
    script.settled(try #require(script.attempt), .cancelled)
    var record = try #require(script.record(id))
    #expect(record.resumeData?.durable.isEmpty == false)
    // As after a crash.
    record.resumeData?.lastWriteNanoseconds = nil
    var restarted = SchedulerScript()
    restarted.damaged = [try #require(ByteRange(lower: 10, upper: 20))]
    restarted.run(restarted.scheduler.recover([record], at: restarted.now))
    restarted.control(.start, id)
    try deliver(Self.media(), to: &restarted)
    #expect(path(restarted) == "/s0.ts")
    #expect(restarted.record(id)?.resumeData?.durable.isEmpty == true)
    #expect(restarted.record(id)?.freshStart == .partialFileChanged)
  }

  // Fault 156
  @Test func `a recording that is another one each time fails`() throws {
    var script = SchedulerScript()
    let id = try interrupted(Self.media(), script: &script)
    for number in 1...6 {
      try deliver(Self.media("#EXT-X-MEDIA-SEQUENCE:\(number)\n"), to: &script)
      guard script.state(id) == .running else { break }
      try join(id, &script, from: 0)
      let attempt = try #require(script.attempt)
      script.head(attempt, 404)
      script.settled(attempt, .cancelled)
    }
    #expect(script.state(id) == .failed)
    #expect(script.record(id)?.failure?.code == .otherVersion)
  }

  // MARK: A link from the user

  // Fault 156
  @Test func `a link to a recording of another shape is asked about and discards nothing`() throws {
    var script = SchedulerScript()
    let id = try interrupted(Self.media(), script: &script)
    script.control(.relink(url("http://files.example/other.m3u8"), nil), id)
    script.settled(try #require(script.attempt), .cancelled)
    try deliver(Self.media("#EXT-X-MEDIA-SEQUENCE:3\n"), to: &script)
    #expect(script.record(id)?.reason == .needsLink)
    #expect(script.record(id)?.failure?.code == .otherFile)
    #expect(progress(id, script)?.joinedCount == 2)
  }

  // Fault 156
  @Test(arguments: [true, false])
  func `a link to a recording of the same shape must prove itself`(isSame: Bool) throws {
    var script = SchedulerScript()
    let id = try interrupted(Self.media(), script: &script)
    script.control(.relink(url("http://files.example/other.m3u8"), nil), id)
    script.settled(try #require(script.attempt), .cancelled)
    try deliver(Self.media(), to: &script)
    #expect(path(script) == "/s1.ts")
    let attempt = try open(id, &script, from: 200)
    let failure = TransferFailure(.otherVersion, on: "show.ts")
    script.settled(attempt, isSame ? .complete : .failed(failure), durable: 200)
    #expect(progress(id, script)?.joinedCount == 2)
    if isSame {
      #expect(path(script) == "/s2.ts")
    } else {
      #expect(script.record(id)?.reason == .needsLink)
      #expect(script.record(id)?.failure?.code == .otherFile)
    }
  }

  // MARK: Responses that are no segments

  // Fault 158
  @Test(arguments: ["text/html", "application/json", "application/vnd.apple.mpegurl"])
  func `a web page in place of the first segment is waited for, and then asked about`(
    type: String
  ) throws {
    var script = SchedulerScript()
    let id = script.add(spec(Self.master))
    for _ in 0..<20 where script.record(id)?.reason != .needsLink {
      try deliver(Self.media(), to: &script)
      let attempt = try #require(script.attempt)
      script.head(attempt, 200, ["Content-Type": type, "Content-Length": "50"])
      script.settled(attempt, .cancelled)
      #expect(script.state(id) == .waiting)
      script.advance(milliseconds: 100_000)
      script.timePasses()
    }
    #expect(script.record(id)?.reason == .needsLink)
    #expect(script.record(id)?.failure?.code == .linkExpired)
    #expect(script.bodyPlan == nil)
  }

  // Fault 158
  @Test func `a web page in place of a later segment or of the playlist keeps what is joined`()
    throws
  {
    var script = SchedulerScript()
    let id = script.add(spec(Self.master))
    try deliver(Self.media(), to: &script)
    try join(id, &script, from: 0)
    script.head(try #require(script.attempt), 200, Self.page)
    script.settled(try #require(script.attempt), .cancelled)
    #expect(path(script) == "/show.m3u8")
    try deliver(Array("<title>Sign in</title>".utf8), to: &script)
    #expect(script.record(id)?.reason == .retry)
    #expect(progress(id, script)?.joinedCount == 1)
  }

  // Fault 160
  @Test(arguments: [100, nil] as [Int64?])
  func `a segment without bytes, or without all of them, is not joined`(end: Int64?) throws {
    var script = SchedulerScript()
    let id = script.add(spec(Self.master))
    try deliver(Self.media(), to: &script)
    try join(id, &script, from: 0)
    let attempt = try open(id, &script, from: 100, ["Transfer-Encoding": "chunked"])
    script.ended(attempt, .complete, upTo: end)
    script.closed(durable: ByteRangeSet(prefix: 100))
    #expect(script.record(id)?.reason == .retry)
    #expect(script.record(id)?.failure?.code == .truncated)
    #expect(progress(id, script)?.joinedCount == 1)
  }

  // MARK: Parts of one resource

  // Fault 159
  @Test func `a part is requested for the version that the others are from`() throws {
    var script = SchedulerScript()
    let id = script.add(spec(Self.master))
    try deliver(Self.parts, to: &script)
    #expect(script.plan?.headers.map(\.name) == ["Range"])
    try join(id, &script, from: 0, status: 206, part(0, tag: "\"v1\""))
    #expect(script.plan?.headers.map(\.value) == ["bytes=100-199", "\"v1\""])
    // The same after a restart.
    var record = try #require(script.record(id))
    record.state = .running
    var restarted = SchedulerScript()
    restarted.run(restarted.scheduler.recover([record], at: restarted.now))
    try deliver(Self.parts, to: &restarted)
    #expect(restarted.plan?.headers.map(\.value) == ["bytes=0-99", "\"v1\""])
  }

  // Fault 159
  @Test func `the part that proves a renewed link shows the version of those that follow`() throws {
    var script = SchedulerScript()
    let id = script.add(spec(Self.master))
    try deliver(Self.parts, to: &script)
    try join(id, &script, from: 0, status: 206, part(0, tag: "\"v1\""))
    script.head(try #require(script.attempt), 403)
    script.settled(try #require(script.attempt), .cancelled)
    try deliver(Self.parts(of: "all.ts?t=2"), to: &script)
    let proof = try open(id, &script, from: 100, status: 206, part(0, tag: "\"v1\""))
    script.settled(proof, .complete, durable: 100)
    #expect(script.plan?.headers.map(\.value) == ["bytes=100-199", "\"v1\""])
    let next = try #require(script.attempt)
    script.head(next, 206, part(1, tag: "\"v2\""))
    script.settled(next, .cancelled)
    expectFromZero(id, script)
  }

  // Fault 159
  @Test(arguments: [
    (206, "\"v2\"", 300), (206, "W/\"v2\"", 300), (206, nil, 400), (206, "\"v1\"", 400),
    (200, "\"v2\"", 300),
  ])
  func `a part of another version is begun afresh`(
    status: Int, tag: String?, total: Int
  ) throws {
    var script = SchedulerScript()
    let id = script.add(spec(Self.master))
    try deliver(Self.parts, to: &script)
    try join(id, &script, from: 0, status: 206, part(0, tag: "\"v1\""))
    let attempt = try #require(script.attempt)
    var headers = part(1, tag: tag, total: total)
    if status == 200 { headers["Content-Range"] = nil }
    script.head(attempt, status, headers)
    script.settled(attempt, .cancelled)
    #expect(path(script) == "/show.m3u8")
    expectFromZero(id, script)
  }

  // Fault 159
  @Test(arguments: [
    (206, ["Content-Range": "bytes 100-198/300"]),
    (206, ["Content-Range": "bytes 100-199/300", "Content-Length": "99"]),
    (200, ["Content-Length": "300", "ETag": "\"v1\""]),
  ])
  func `a response that is not the part is tried again`(
    status: Int, headers: [String: String]
  ) throws {
    var script = SchedulerScript()
    let id = script.add(spec(Self.master))
    try deliver(Self.parts, to: &script)
    try join(id, &script, from: 0, status: 206, part(0, tag: "\"v1\""))
    let attempt = try #require(script.attempt)
    script.head(attempt, status, headers)
    script.settled(attempt, .cancelled)
    #expect(script.record(id)?.failure?.code == .rangeReplyWrong)
    #expect(progress(id, script)?.joinedCount == 1)
  }
}
