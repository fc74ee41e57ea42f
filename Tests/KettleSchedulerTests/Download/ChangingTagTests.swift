import KettleModel
import KettleScheduler
import Testing

/// An additional connection receives a different tag when the first one has almost finished: a
/// server with random tags, on a machine that is slow to begin connections.
struct ChangingTagTests {
  private static let total: Int64 = 4 << 20
  private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

  /// Runs until every byte is durable and only the version is in doubt.
  ///
  /// - Parameter lastModified: of the known version.
  private func wholeInDoubt(
    _ script: inout SchedulerScript, lastModified: String? = date
  ) throws -> (TransferID, AttemptPlan) {
    var wanted = spec()
    wanted.connections = 2
    let id = script.add(wanted)
    let primary = try #require(script.attempt)
    script.head(primary, 200, ["Content-Length": "\(Self.total)", "ETag": "\"v1\""])
    var known = partial(total: Self.total)
    known.validator?.lastModified = lastModified
    known.validator?.isLastModifiedStrong = true
    script.opened(primary, known)
    script.advance(milliseconds: DivisionPolicy().speedMilliseconds)
    script.timePasses()
    let joining = try #require(script.attempt)
    #expect(joining != primary)
    script.head(joining, 200, ["Content-Length": "\(Self.total)", "ETag": "\"v2\""])
    script.ended(joining, .cancelled)
    script.settled(primary, .cancelled, durable: Self.total)
    return (id, try #require(script.plan))
  }

  private func endOfFile(_ entityTag: String) -> [String: String] {
    [
      "Content-Range": "bytes \(Self.total - 65536)-\(Self.total - 1)/\(Self.total)",
      "ETag": entityTag, "Last-Modified": Self.date, "Date": "Sun, 06 Nov 1994 09:49:37 GMT",
    ]
  }

  // Fault 17
  @Test func `a complete file in doubt is checked by fetching its end again`() throws {
    var script = SchedulerScript()
    let (id, plan) = try wholeInDoubt(&script)
    #expect(
      plan.requested
        == RequestedRange(lower: Self.total - 65536, upper: nil, proof: .overlap(suspect: "\"v2\""))
    )
    script.head(plan.attempt, 206, endOfFile("\"v3\""))
    guard case .goOn(let resumeData)? = script.bodyPlan else {
      Issue.record("what was held is not gone on with")
      return
    }
    script.opened(plan.attempt, resumeData)
    script.settled(plan.attempt, .complete, durable: Self.total)
    #expect(script.state(id) == .verifying)
    #expect(script.record(id)?.freshStart == nil)
  }

  // Fault 137
  @Test func `without a date the whole file is compared when every response has another tag`()
    throws
  {
    var script = SchedulerScript()
    let (id, plan) = try wholeInDoubt(&script, lastModified: nil)
    script.head(plan.attempt, 206, endOfFile("\"v3\""))
    script.settled(plan.attempt, .cancelled)
    let whole = try #require(script.plan)
    #expect(whole.attempt != plan.attempt && whole.requested == nil)
    script.head(whole.attempt, 200, ["Content-Length": "\(Self.total)", "ETag": "\"v4\""])
    guard case .goOn(let resumeData)? = script.bodyPlan else {
      Issue.record("The bytes are not compared")
      return
    }
    #expect(resumeData.durable.byteCount == Self.total)
    #expect(resumeData.isProvedByBytes == true)
    script.opened(whole.attempt, resumeData)
    let other = TransferFailure(.otherVersion, on: "a.iso")
    script.settled(whole.attempt, .failed(other), durable: Self.total)
    #expect(script.record(id)?.freshStart == .resourceChanged)
  }

  // Fault 12
  @Test func `a repeated different tag means another version of a complete file`() throws {
    var script = SchedulerScript()
    let (id, plan) = try wholeInDoubt(&script)
    script.head(plan.attempt, 206, endOfFile("\"v2\""))
    #expect(script.record(id)?.freshStart == .resourceChanged)
  }

  // Fault 12
  @Test func `a body that differs from the durable bytes is another version`() throws {
    var script = SchedulerScript()
    let (id, plan) = try wholeInDoubt(&script)
    script.head(plan.attempt, 206, endOfFile("\"v3\""))
    script.opened(plan.attempt, partial(durable: Self.total, total: Self.total))
    let other = TransferFailure(.otherVersion, on: "a.iso")
    script.settled(plan.attempt, .failed(other), durable: Self.total)
    #expect(script.record(id)?.freshStart == .resourceChanged)
    #expect(script.state(id) == .running)
  }
}
