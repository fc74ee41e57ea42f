import KettleModel
import Testing

@testable import KettleScheduler

/// The segments of a playlist, as scripts of events.
struct PlaylistScriptTests {
  private static let playlist = "http://files.example/show.m3u8"

  private static func media(_ count: Int, seconds: Int = 6) -> [UInt8] {
    let segments = (0..<count).map { "#EXTINF:\(seconds),\ns\($0).ts\n" }.joined()
    return Array("#EXTM3U\n#EXT-X-TARGETDURATION:6\n\(segments)#EXT-X-ENDLIST\n".utf8)
  }

  /// Delivers the playlist that the last attempt has requested.
  private func deliver(_ bytes: [UInt8], _ script: inout SchedulerScript) throws {
    let attempt = try #require(script.attempt)
    script.head(attempt, 200)
    script.settled(attempt, .document(ArrivedDocument(bytes, as: .playlist)))
  }

  /// Opens the partial file for the segment that the last attempt has requested.
  private func open(
    _ id: TransferID, _ script: inout SchedulerScript, from joined: Int64
  ) throws -> AttemptID {
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["Content-Length": "100"])
    var data = script.record(id)?.resumeData ?? partial(total: nil, entityTag: nil)
    data.durable = ByteRangeSet(prefix: joined)
    script.opened(attempt, data)
    return attempt
  }

  private func join(_ id: TransferID, _ script: inout SchedulerScript, from joined: Int64) throws {
    let attempt = try open(id, &script, from: joined)
    script.settled(attempt, .complete, durable: joined + 100)
  }

  private func progress(_ id: TransferID, _ script: SchedulerScript) -> PlaylistProgress? {
    script.record(id)?.resumeData?.playlist
  }

  @Test func `each segment is requested when the one before is recorded`() throws {
    var script = SchedulerScript()
    let id = script.add(spec(Self.playlist))
    #expect(script.plan?.url.text == Self.playlist)
    #expect(script.plan?.requested == nil)
    try deliver(Self.media(2), &script)
    #expect(script.plan?.url.text == "http://files.example/s0.ts")
    try join(id, &script, from: 0)
    #expect(progress(id, script)?.joinedCount == 1)
    #expect(progress(id, script)?.joinedByteCount == 100)
    #expect(script.plan?.url.text == "http://files.example/s1.ts")
    try join(id, &script, from: 100)
    #expect(script.state(id) == .verifying)
    #expect(script.record(id)?.resumeData?.totalByteCount == 200)
  }

  /// The next segment needs it at once.
  @Test func `a connection is not given away between two segments`() throws {
    var limits = TransferQueue.Limits()
    limits.connectionsMax = 1
    var script = SchedulerScript(limits: limits)
    let id = script.add(spec(Self.playlist))
    let other = script.add(spec())
    try deliver(Self.media(2), &script)
    let segment = try open(id, &script, from: 0)
    script.handle(.attempt(segment, .exchangeEnded))
    #expect(script.state(other) == .queued)
    script.settled(segment, .complete, durable: 100)
    #expect(script.plan?.url.text == "http://files.example/s1.ts")
    #expect(script.state(other) == .queued)
  }

  @Test func `a host that asks for a pause gets no request for the next segment`() throws {
    var script = SchedulerScript()
    let id = script.add(spec(Self.playlist))
    try deliver(Self.media(2), &script)
    let segment = try open(id, &script, from: 0)
    let before = script.add(spec())
    let other = try #require(script.attempt)
    script.head(other, 503, ["Retry-After": "100"])
    script.settled(other, .cancelled)
    #expect(script.state(before) == .waiting)
    script.settled(segment, .complete, durable: 100)
    #expect(script.state(id) == .waiting)
    #expect(script.record(id)?.reason == .retryAfter)
    #expect(progress(id, script)?.joinedCount == 1)
    script.advance(milliseconds: 100_000)
    script.timePasses()
    #expect(script.state(id) == .running)
    #expect(script.record(id)?.retryCount == 0)
  }

  @Test func `a playlist whose answer uses up the limit of its host still gets a segment`() throws {
    var script = SchedulerScript()
    script.add(spec(Self.playlist))
    let attempt = try #require(script.attempt)
    script.head(attempt, 200, ["RateLimit": #""files";r=0;t=60"#])
    script.settled(attempt, .document(ArrivedDocument(Self.media(2), as: .playlist)))
    #expect(script.plan?.url.text == "http://files.example/s0.ts")
  }

  @Test func `a pause at the end of a segment does not count it`() throws {
    var script = SchedulerScript()
    let id = script.add(spec(Self.playlist))
    try deliver(Self.media(2), &script)
    let attempt = try open(id, &script, from: 0)
    script.ended(attempt, .complete, upTo: 100)
    script.control(.pause, id)
    script.closed(durable: ByteRangeSet(prefix: 100))
    #expect(script.state(id) == .paused)
    // The bytes and the number of segments are recorded together, or not at all.
    #expect(progress(id, script)?.joinedCount == 0)
    #expect(script.record(id)?.resumeData?.durable.isEmpty == true)
    #expect(script.record(id)?.resumeData?.lastWriteNanoseconds == nil)
  }

  @Test func `a checkpoint in the middle of a segment records nothing`() throws {
    var script = SchedulerScript()
    let id = script.add(spec(Self.playlist))
    try deliver(Self.media(2), &script)
    try join(id, &script, from: 0)
    _ = try open(id, &script, from: 100)
    script.synced(id, 150)
    #expect(script.record(id)?.resumeData?.durable.prefixByteCount == 100)
  }

  @Test func `a run begins with the playlist and continues at the segment`() throws {
    var script = SchedulerScript()
    let id = script.add(spec(Self.playlist))
    try deliver(Self.media(3), &script)
    try join(id, &script, from: 0)
    script.control(.pause, id)
    script.settled(try #require(script.attempt), .cancelled)
    script.control(.start, id)
    #expect(script.plan?.url.text == Self.playlist)
    try deliver(Self.media(3), &script)
    // It is compared with what is joined.
    #expect(script.plan?.url.text == "http://files.example/s0.ts")
    let attempt = try open(id, &script, from: 100)
    script.settled(attempt, .complete, durable: 100)
    #expect(script.plan?.url.text == "http://files.example/s1.ts")
  }

  @Test(arguments: [(4, 6), (3, 5)])
  func `another recording is fetched from the beginning`(count: Int, seconds: Int) throws {
    var script = SchedulerScript()
    let id = script.add(spec(Self.playlist))
    try deliver(Self.media(3), &script)
    try join(id, &script, from: 0)
    script.control(.pause, id)
    script.settled(try #require(script.attempt), .cancelled)
    script.control(.start, id)
    try deliver(Self.media(count, seconds: seconds), &script)
    #expect(script.plan?.url.text == "http://files.example/s0.ts")
    #expect(script.record(id)?.freshStart == .resourceChanged)
    try join(id, &script, from: 0)
    #expect(progress(id, script)?.segmentCount == count)
  }

  @Test func `a server in trouble is retried and nothing is lost`() throws {
    var script = SchedulerScript()
    let id = script.add(spec(Self.playlist))
    try deliver(Self.media(2), &script)
    try join(id, &script, from: 0)
    let attempt = try #require(script.attempt)
    script.head(attempt, 503)
    script.settled(attempt, .cancelled)
    #expect(script.state(id) == .waiting)
    #expect(progress(id, script)?.joinedCount == 1)
  }

  @Test func `a program's task gets the playlist itself`() throws {
    var script = SchedulerScript()
    var wanted = spec(Self.playlist)
    wanted.session = SessionID(rawValue: "books")
    wanted.task = TaskOptions(kind: .download)
    script.add(wanted)
    script.head(try #require(script.attempt), 200, ["Content-Length": "1000"])
    #expect(script.bodyPlan != nil)
  }

  @Test func `what a playlist names must reach as far as its server`() throws {
    var script = SchedulerScript()
    script.add(spec(Self.playlist))
    try deliver(Self.media(1), &script)
    #expect(script.plan?.minimumReach == .world)
  }
}
