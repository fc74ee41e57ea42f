import KettleModel
import Testing

@testable import KettleScheduler

/// Files whose pieces have known digests, as scripts of events.
struct PieceScriptTests {
  private static let total: Int64 = 64 << 20
  private static let pieceByteCount: Int64 = 1 << 20

  private func pieces(of total: Int64 = Self.total) throws -> PieceHashes {
    let count = Int((total + Self.pieceByteCount - 1) / Self.pieceByteCount)
    return try #require(
      PieceHashes(
        .digest(.sha1), pieceByteCount: Self.pieceByteCount, of: total,
        digests: [UInt8](repeating: 7, count: 20 * count)))
  }

  private func wanted(mirrors: [String] = []) throws -> TransferSpec {
    var wanted = spec()
    wanted.options.described = DescribedFile(
      copies: [], byteCount: Self.total, pieces: .given(try pieces()))
    wanted.options.mirrors = mirrors.map { url($0) }
    return wanted
  }

  private func plans(_ script: SchedulerScript, at host: String? = nil) -> [AttemptPlan] {
    script.actions.compactMap { action in
      guard case .beginAttempt(_, let plan) = action, host == nil || plan.url.host == host else {
        return nil
      }
      return plan
    }
  }

  /// A transfer whose first connection has delivered a mebibyte.
  private func running(
    _ script: inout SchedulerScript, mirrors: [String] = [], headers: [String: String] = [:]
  ) throws -> TransferID {
    let id = script.add(try wanted(mirrors: mirrors))
    let primary = try #require(script.attempt)
    script.head(
      primary, 200, ["Content-Length": "\(Self.total)"].merging(headers) { $1 })
    script.opened(primary, partial(total: Self.total))
    script.advance(milliseconds: 250)
    script.handle(.body(id, .progressed([primary: 2 << 20])))
    return id
  }

  private func range(_ lower: Int64, _ upper: Int64) throws -> ByteRange {
    try #require(ByteRange(lower: lower, upper: upper))
  }

  @Test func `several connections need no validator`() throws {
    var script = SchedulerScript()
    _ = try running(&script)
    let second = try #require(plans(script).dropFirst().first)
    #expect(second.requested?.proof == .pieces)
    #expect(second.requested?.headers.map(\.name) == ["Range"])
  }

  @Test func `mirrors show no sample, and their validators are not compared`() throws {
    var script = SchedulerScript()
    let id = try running(&script, mirrors: ["http://b.example/a.iso"])
    let plan = try #require(plans(script, at: "b.example").first)
    let asked = try #require(plan.requested)
    #expect(asked.proof == .pieces)
    script.head(
      plan.attempt, 206,
      [
        "Content-Range": "bytes \(asked.lower)-\((asked.upper ?? Self.total) - 1)/\(Self.total)",
        "ETag": "\"any\"",
      ])
    #expect(
      script.actions.contains {
        if case .acceptBody(id, plan.attempt, _) = $0 { true } else { false }
      })
  }

  @Test func `the mirror that sent a wrong piece is dropped, and the bytes stay`() throws {
    var script = SchedulerScript()
    let id = try running(&script, mirrors: ["http://b.example/a.iso", "http://c.example/a.iso"])
    let liar = try #require(plans(script, at: "b.example").first)
    let lower = try #require(liar.requested?.lower)
    script.handle(
      .body(
        id,
        .pieceWrong(
          WrongPiece(
            range: try range(lower, lower + Self.pieceByteCount), attempts: [liar.attempt]))))
    let begun = plans(script).count
    for plan in plans(script) { script.ended(plan.attempt, .cancelled) }
    script.closed(durable: ByteRangeSet(prefix: 1 << 20))
    let next = try #require(plans(script).dropFirst(begun).first)
    #expect(next.url.host != "b.example")
    let mirrors = try #require(script.scheduler.machines[id]?.facts.mirrors)
    #expect(mirrors.sources.first { $0.url.host == "b.example" }?.standing == .lied)
    #expect(next.requested?.lower == 1 << 20)
    #expect(next.requested?.proof == .pieces)
  }

  @Test func `a single source that keeps sending wrong pieces fails with the bytes`() throws {
    var script = SchedulerScript()
    let id = try running(&script)
    for count in 0...TransferFacts.wrongPieceCountMax {
      let plan = try #require(plans(script).last)
      if count > 0 {
        script.head(
          plan.attempt, 206,
          ["Content-Range": "bytes \(1 << 20)-\(Self.total - 1)/\(Self.total)"])
        script.opened(plan.attempt, partial(durable: 1 << 20, total: Self.total))
      }
      script.handle(
        .body(
          id,
          .pieceWrong(
            WrongPiece(range: try range(1 << 20, 2 << 20), attempts: [plan.attempt]))))
      for open in plans(script) { script.ended(open.attempt, .cancelled) }
      script.closed(durable: ByteRangeSet(prefix: 1 << 20))
      script.advance(milliseconds: 600_000)
      script.timePasses()
    }
    let record = try #require(script.record(id))
    #expect(script.state(id) == .failed)
    #expect(
      record.failure
        == TransferFailure(.wrongPiece, on: spec().url.text, detail: "bytes 1048576 to 2097151"))
    #expect(record.resumeData?.durable == ByteRangeSet(prefix: 1 << 20))
  }
}
