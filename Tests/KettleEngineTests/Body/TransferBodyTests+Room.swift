import Dispatch
import KettleModel
import Testing
import TestSupport

@testable import KettleEngine

/// How much may come, without asking and in all, before what came is on record.
extension TransferBodyTests {
  @Test func `8 MiB in all may be unconfirmed, with what the transport holds`() throws {
    let body = body(total: 64 << 20)
    let sinks = (UInt64(0)..<4).map { number in
      body.begin(attempt(number), from: Int64(number) << 24, .part((Int64(number) + 1) << 24))
    }
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    var taken = 0
    while give(sinks[taken % 4], piece) == .taken { taken += 1 }
    // Of one attempt the transport may hold a MiB, of three others half of that each.
    #expect(taken == 5)
    #expect(asked.value == 1)
    // What it holds comes all the same.
    let held = Array(piece.prefix(512 << 10))
    for sink in [sinks[0], sinks[2], sinks[3]] { #expect(give(sink, held) == .full) }
    #expect(body.heldByteCount <= 8 << 20)
    let synced = try body.sync()
    #expect(body.heldBack.count == 4, "synced is not on record")
    #expect(body.confirm(ByteRangeSet(prefix: 1)).isEmpty, "another run's record")
    #expect(body.confirm(synced.held) == Set((UInt64(0)..<4).map(attempt)))
    #expect(asked.value == 1)
    #expect(give(sinks[0], piece) == .taken)
  }

  @Test func `when too much came during a checkpoint, another one follows at once`() throws {
    let body = body(total: 64 << 20)
    let sink = body.begin(attempt(1), from: 0, .whole(64 << 20))
    #expect(give(sink, [7]) == .taken)
    let synced = try body.sync()
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    for _ in 0..<6 { #expect(give(sink, piece) == .taken) }
    for _ in 0..<2 { #expect(give(sink, piece) == .full) }
    #expect(asked.value == 0, "one is under way")
    #expect(body.confirm(synced.held).isEmpty)
    #expect(asked.value == 1)
    #expect(body.confirm(try body.sync().held) == [attempt(1)])
  }

  @Test func `a checkpoint leaves out what is gathered while that is little`() throws {
    let body = body(total: 64 << 20)
    let sink = body.begin(attempt(1), from: 0, .whole(64 << 20))
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    for _ in 0..<5 { #expect(give(sink, piece) == .taken) }
    #expect(asked.value == 0)
    #expect(give(sink, piece) == .taken)
    #expect(asked.value == 1, "three blocks are full")
    #expect(give(sink, Array(piece.prefix(1000))) == .taken)
    let synced = try body.sync(.fullBlocks)
    #expect(synced.held == ByteRangeSet(prefix: 6 << 20))
    _ = body.confirm(synced.held)
    // What was left out counts on.
    let rest = [UInt8](repeating: 7, count: 7 << 20)
    #expect(give(sink, Array(rest.dropLast(1000))) == .taken)
    #expect(give(sink, [7]) == .full)
    #expect(try body.sync().held == ByteRangeSet(prefix: (13 << 20) + 1))
  }

  @Test func `what was granted to one that is silent now holds back nobody`() throws {
    let body = body(total: 64 << 20)
    let piece = [UInt8](repeating: 7, count: 16 << 10)
    #expect(give(body.begin(attempt(99), from: 60 << 20, .part(64 << 20)), piece) == .taken)
    let sinks = (UInt64(0)..<11).map { number in
      body.begin(attempt(number), from: Int64(number) << 22, .part((Int64(number) + 1) << 22))
    }
    for _ in 0..<10 {
      for sink in sinks { #expect(give(sink, piece) == .taken) }
    }
    #expect(asked.value == 0)
  }

  @Test func `those who wait go on when nothing more can be confirmed`() throws {
    let body = body(total: 64 << 20)
    let sinks = (UInt64(0)..<20).map { number in
      body.begin(attempt(number), from: Int64(number) << 21, .part((Int64(number) + 1) << 21))
    }
    let piece = [UInt8](repeating: 7, count: 400 << 10)
    for sink in sinks { #expect(give(sink, piece) != .failed) }
    var rounds = 0
    while body.heldBack.count > 0, rounds < 3 {
      _ = body.confirm(try body.sync(.fullBlocks).held)
      rounds += 1
    }
    #expect(body.heldBack.isEmpty)
  }

  @Test func `a checkpoint in the middle of a block leaves it where it is`() throws {
    let body = body(total: 8 << 20)
    let bytes = (0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 / 1000) }
    let first = body.begin(attempt(1), from: 0, .whole(8 << 20))
    #expect(give(first, Array(bytes[..<1_000_001])) == .taken)
    #expect(try body.sync().held == ByteRangeSet(prefix: 1_000_001))
    // Takes memory that is free, if there is any.
    let other = body.begin(attempt(2), from: 6 << 20, .part(8 << 20))
    #expect(give(other, [UInt8](repeating: 255, count: 1 << 20)) == .taken)
    for piece in stride(from: 1_000_001, to: bytes.count, by: 16_384) {
      let end = min(piece + 16_384, bytes.count)
      #expect(give(first, Array(bytes[piece..<end])) == .taken)
    }
    #expect(try body.sync().held == held((0, 5 << 20), (6 << 20, 7 << 20)))
    #expect(files.bytes(at: file.path)?.prefix(5 << 20).elementsEqual(bytes) == true)
  }

  @Test func `many attempts that have gathered a little each are put on the disk all the same`()
    throws
  {
    let body = body(total: 64 << 20)
    let sinks = (UInt64(0)..<12).map { number in
      body.begin(attempt(number), from: Int64(number) << 22, .part((Int64(number) + 1) << 22))
    }
    let piece = [UInt8](repeating: 7, count: 200 << 10)
    for sink in sinks.prefix(10) { #expect(give(sink, piece) == .taken) }
    #expect(asked.value == 0)
    for sink in sinks.suffix(2) { #expect(give(sink, piece) == .full) }
    #expect(asked.value == 1)
    let synced = try body.sync(.fullBlocks)
    #expect(synced.held.byteCount == 12 * Int64(piece.count))
    #expect(body.confirm(synced.held) == [attempt(10), attempt(11)])
    for sink in sinks.prefix(10) { #expect(give(sink, piece) == .taken) }
  }

  @Test func `what comes during a checkpoint is confirmed by the next`() throws {
    let body = body(total: 64 << 20)
    let sink = body.begin(attempt(1), from: 0, .whole(64 << 20))
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    for _ in 0..<4 { #expect(give(sink, piece) == .taken) }
    let synced = try body.sync()
    for _ in 0..<3 { #expect(give(sink, piece) == .taken) }
    _ = body.confirm(synced.held)
    for _ in 0..<4 { #expect(give(sink, piece) == .taken) }
    #expect(give(sink, [7]) == .full)
  }

  @Test
  func `7 MiB of small pieces of one attempt are unconfirmed, and what the transport has read`()
    throws
  {
    let body = body(total: 64 << 20)
    let sink = body.begin(attempt(1), from: 0, .whole(64 << 20))
    let piece = [UInt8](repeating: 7, count: 16 << 10)
    var taken: Int64 = 0
    while give(sink, piece) == .taken {
      taken += Int64(piece.count)
      // Looked at now and then, as whoever tells of the progress does.
      if taken % (1 << 20) == 48 << 10 { #expect(body.progress == [attempt(1): taken]) }
    }
    #expect(taken == 7 << 20)
    #expect(asked.value == 1)
    for _ in 1..<64 { #expect(give(sink, piece) != .failed) }
    #expect(body.heldByteCount == 8 << 20)
    let synced = try body.sync()
    #expect(synced.held == ByteRangeSet(prefix: 8 << 20))
    #expect(body.confirm(synced.held) == [attempt(1)])
    #expect(give(sink, piece) == .taken)
    #expect(body.heldByteCount == (8 << 20) + Int64(piece.count))
  }

  @Test func `an attempt that is shortened takes no small piece behind its new end`() throws {
    let body = body(total: 1 << 20)
    let sink = body.begin(attempt(1), from: 0, .whole(1 << 20))
    let piece = [UInt8](repeating: 7, count: 1000)
    #expect(give(sink, piece) == .taken)
    #expect(give(sink, piece) == .taken)
    body.shorten(attempt(1), to: 2500)
    #expect(give(sink, piece) == .satisfied)
    #expect(body.end(attempt(1), isComplete: true).receivedUpTo == 2500)
    #expect(files.bytes(at: file.path)?.count == 2500)
  }

  @Test func `who brings bytes goes on without asking while others look and sync`() throws {
    let body = body(total: 64 << 20)
    let sink = body.begin(attempt(1), from: 0, .whole(64 << 20))
    let room = try #require(sink.room)
    let piece = [UInt8](repeating: 7, count: 16 << 10)
    #expect(give(sink, piece) == .taken)
    var taken = Int64(piece.count)
    func takesUnasked() -> Bool {
      defer { taken += Int64(piece.count) }
      return piece.withUnsafeBytes { room.take($0) }
    }
    #expect(takesUnasked())
    #expect(body.progress == [attempt(1): taken])
    #expect(takesUnasked())
    #expect(body.heldByteCount == taken)
    #expect(takesUnasked())
    let first = try body.sync()
    #expect(first.held == ByteRangeSet(prefix: taken))
    #expect(takesUnasked())
    _ = body.confirm(first.held)
    #expect(takesUnasked())
    #expect(body.claimCheckpoint())
    #expect(takesUnasked())
    #expect(try body.sync().held == ByteRangeSet(prefix: taken))
    #expect(
      files.bytes(at: file.path)?.elementsEqual(repeatElement(7, count: Int(taken))) == true)
  }

  @Test func `who was held back hears of a failure, and brings nothing more`() throws {
    let body = body(total: 64 << 20)
    let sink = body.begin(attempt(1), from: 0, .whole(64 << 20))
    let room = try #require(sink.room)
    while give(sink, [UInt8](repeating: 7, count: 750_000)) == .taken {}
    let synced = try body.sync()
    files.fail(.write, with: TransferFailure(.diskFull, on: file.path))
    _ = give(sink, [UInt8](repeating: 7, count: 2 << 20))
    let isDone = DispatchSemaphore(value: 0)
    queue.async { isDone.signal() }
    isDone.wait()
    // What the transport has read already.
    let piece = [UInt8](repeating: 7, count: 1000)
    while piece.withUnsafeBytes({ room.take($0) }) {}
    #expect(body.confirm(synced.held) == [attempt(1)])
    #expect(!piece.withUnsafeBytes { room.take($0) })
    #expect(give(sink, piece) == .failed)
  }

  @Test func `what comes without asking counts once, however often it is looked at`() throws {
    let body = body(total: 64 << 20)
    let sink = body.begin(attempt(1), from: 0, .whole(64 << 20))
    let room = try #require(sink.room)
    let piece = [UInt8](repeating: 7, count: 16 << 10)
    var taken: Int64 = 0
    var unasked = 0
    while true {
      if piece.withUnsafeBytes({ room.take($0) }) {
        unasked += 1
      } else if give(sink, piece) != .taken {
        break
      }
      taken += Int64(piece.count)
      #expect(body.progress == [attempt(1): taken])
    }
    // As if nobody had looked: see the test of 7 MiB of small pieces.
    #expect(taken == 7 << 20)
    #expect(unasked > 400)
  }

  @Test func `who was held back goes on without asking`() throws {
    let body = body(total: 64 << 20)
    let sink = body.begin(attempt(1), from: 0, .whole(64 << 20))
    let room = try #require(sink.room)
    while give(sink, [UInt8](repeating: 7, count: 750_000)) == .taken {}
    // What the transport has read already.
    let piece = [UInt8](repeating: 7, count: 1000)
    var reserve = 0
    while piece.withUnsafeBytes({ room.take($0) }) { reserve += 1 }
    #expect(reserve > 500)
    let synced = try body.sync()
    #expect(body.confirm(synced.held) == [attempt(1)])
    #expect(piece.withUnsafeBytes { room.take($0) })
  }
}
