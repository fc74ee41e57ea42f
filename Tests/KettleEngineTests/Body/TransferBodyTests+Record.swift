import KettleModel
import Testing
import TestSupport

@testable import KettleEngine

/// Who puts on record what a checkpoint put on the disk.
extension TransferBodyTests {
  private var stamp: ProgressStamp { ProgressStamp(rawValue: 7) }
  private var later: MonotonicTime { MonotonicTime(milliseconds: 5) }

  /// A body with something in it, and what takes more.
  private func begun() -> (TransferBody, SegmentSink) {
    let body = body(total: 64 << 20)
    let sink = body.begin(attempt(1), from: 0, .whole(64 << 20))
    #expect(give(sink, [UInt8](repeating: 7, count: 1 << 20)) == .taken)
    return (body, sink)
  }

  @Test func `a checkpoint that the engine recorded lets the next ones go without it`() throws {
    let (body, sink) = begun()
    #expect(body.progressStamp == nil)
    body.leaveRecording()
    #expect(body.progressStamp == nil, "the first is not on record")
    _ = body.confirm(try body.sync().held) { stamp }
    #expect(body.progressStamp == stamp && body.recorded == nil)
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    while give(sink, piece) == .taken {}
    let held = try body.sync().held
    #expect(body.confirm(held, stamp, at: later) == [attempt(1)])
    #expect(body.recorded?.held == held && body.recorded?.at == later)
    #expect(give(sink, piece) == .taken)
  }

  @Test func `what the engine takes over is its own until it leaves it again`() throws {
    let (body, sink) = begun()
    body.leaveRecording()
    _ = body.confirm(try body.sync().held) { stamp }
    #expect(body.takeOverRecording() == nil, "nothing was recorded since")
    #expect(body.progressStamp == nil)
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    while give(sink, piece) == .taken {}
    let held = try body.sync().held
    // It was on its way when the engine took over: not confirmed, and still to be.
    #expect(body.confirm(held, stamp, at: later) == nil)
    #expect(body.recorded == nil)
    body.leaveRecording()
    #expect(body.confirm(held) { stamp } == [attempt(1)])
    #expect(give(sink, piece) == .taken)
    let more = try body.sync().held
    #expect(body.confirm(more, stamp, at: later) == [])
    #expect(body.takeOverRecording()?.held == more)
  }

  @Test func `a change that comes before the first is on record keeps it with the engine`()
    throws
  {
    let (body, _) = begun()
    body.leaveRecording()
    let held = try body.sync().held
    #expect(body.takeOverRecording() == nil)
    _ = body.confirm(held) { stamp }
    #expect(body.progressStamp == nil)
  }

  @Test func `a stamp of before does not count`() throws {
    let (body, _) = begun()
    body.leaveRecording()
    _ = body.confirm(try body.sync().held) { stamp }
    let held = try body.sync().held
    #expect(body.confirm(held, ProgressStamp(rawValue: 8), at: later) == nil)
    #expect(body.confirm(held, stamp, at: later) == [])
  }
}
