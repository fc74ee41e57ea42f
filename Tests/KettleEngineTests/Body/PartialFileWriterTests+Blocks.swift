import Dispatch
import KettleModel
import KettleSystem
import Testing
import TestSupport

@testable import KettleEngine

/// Blocks queued for the disk, and attempts that are held back meanwhile.
extension PartialFileWriterTests {
  private var blockByteCount: Int { Int(PartialFileWriter.blockByteCountMax) }

  /// Runs `body` while the writing queue is occupied.
  private func whileDiskIsBusy(_ body: () throws -> Void) rethrows {
    let gate = Gate()
    queue.async { gate.pass() }
    defer { gate.open() }
    try body()
  }

  private func waitForDisk() { queue.sync {} }

  @Test func `an attempt waits when 8 MiB are queued and continues when half is written`() throws {
    let writer = writer(total: 64 << 20)
    let sink = writer.begin(attempt(1), from: 0, .whole(64 << 20))
    let piece = [UInt8](repeating: 7, count: 16 << 10)
    var accepted: Int64 = 0
    whileDiskIsBusy {
      var answer = SinkAnswer.taken
      while answer == .taken {
        answer = give(sink, piece)
        accepted += Int64(piece.count)
      }
      #expect(answer == .full)
      #expect(accepted == 10 << 20, "the fifth block exceeds the limit")
      #expect(writer.waitingForDisk == [attempt(1)])
      // Bytes that the transport has already read still arrive.
      #expect(give(sink, piece) == .full)
      accepted += Int64(piece.count)
      #expect(resumed.all.isEmpty)
    }
    waitForDisk()
    #expect(resumed.all == [[attempt(1)]])
    #expect(writer.waitingForDisk.isEmpty)
    #expect(give(sink, piece) == .taken)
    accepted += Int64(piece.count)
    #expect(try writer.sync().durable == ByteRangeSet(prefix: accepted))
  }

  @Test func `attempts that only buffer are never held back`() throws {
    let writer = writer(total: 64 << 20)
    let sinks = (UInt64(0)..<20).map { number in
      writer.begin(attempt(number), from: Int64(number) << 21, .part((Int64(number) + 1) << 21))
    }
    let piece = [UInt8](repeating: 7, count: 500 << 10)
    whileDiskIsBusy { for sink in sinks { #expect(give(sink, piece) == .taken) } }
    #expect(writer.waitingForDisk.isEmpty)
    #expect(try writer.sync().durable.byteCount == 20 * Int64(piece.count))
  }

  @Test func `a sync in the middle of a block keeps every byte at its offset`() throws {
    let writer = writer(total: 8 << 20)
    let bytes = (0..<(5 << 20)).map { UInt8(truncatingIfNeeded: $0 / 1000) }
    let first = writer.begin(attempt(1), from: 0, .whole(8 << 20))
    #expect(give(first, Array(bytes[..<1_000_001])) == .taken)
    #expect(try writer.sync().durable == ByteRangeSet(prefix: 1_000_001))
    // Reuses the memory of written blocks.
    let other = writer.begin(attempt(2), from: 6 << 20, .part(8 << 20))
    #expect(give(other, [UInt8](repeating: 255, count: 1 << 20)) == .taken)
    for start in stride(from: 1_000_001, to: bytes.count, by: 16_384) {
      let end = min(start + 16_384, bytes.count)
      #expect(give(first, Array(bytes[start..<end])) == .taken)
    }
    #expect(try writer.sync().durable == ranges((0, 5 << 20), (6 << 20, 7 << 20)))
    #expect(files.bytes(at: file.path)?.prefix(5 << 20).elementsEqual(bytes) == true)
  }

  @Test func `bytes received after a sync belong to the next one`() throws {
    let writer = writer(total: 64 << 20)
    let sink = writer.begin(attempt(1), from: 0, .whole(64 << 20))
    #expect(give(sink, [1, 2]) == .taken)
    #expect(try writer.sync().durable == ByteRangeSet(prefix: 2))
    #expect(give(sink, [3]) == .taken)
    #expect(writer.receivedByteCount == 3)
    #expect(try writer.sync().durable == ByteRangeSet(prefix: 3))
  }

  /// A file on a disk slower than the network: during every write another block is received.
  private final class SlowFile: PartialFile {
    let path = "/d/a.part"
    let finalName = "a"
    let device: UInt64 = 1
    let inode: UInt64 = 1
    private let delivery = Mutex<(@Sendable () -> Void)?>(nil)
    private let written = Mutex(0)

    var writeCount: Int { written.withLock { $0 } }
    func deliver(_ body: @escaping @Sendable () -> Void) { delivery.withLock { $0 = body } }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(TransferFailure) {
      let count = written.withLock { count in
        count += 1
        return count
      }
      if count < 50 { delivery.withLock { $0 }?() }
    }

    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(TransferFailure) {}
    func sync() throws(TransferFailure) -> Int64 { 0 }
    func keepInMemory() {}
    func setPermissions(_ permissions: FilePermissions) {}
    func truncate(to byteCount: Int64) throws(TransferFailure) {}
  }

  @Test func `a sync completes even if the network is faster than the disk`() throws {
    let file = SlowFile()
    let writer = PartialFileWriter(
      file: file, durable: ByteRangeSet(), totalByteCount: nil, queue: queue
    ) { _ in }
    let sink = writer.begin(attempt(1), from: 0, .none)
    let bytes = [UInt8](repeating: 7, count: blockByteCount)
    file.deliver { _ = bytes.withUnsafeBytes { sink.receive($0) } }
    let syncs = Mutex<[Int64]>([])
    whileDiskIsBusy {
      #expect(give(sink, bytes) == .taken)
      queue.async {
        let synced = try? writer.sync()
        syncs.withLock { $0.append(synced?.durable.byteCount ?? -1) }
        #expect(file.writeCount == 2, "the block before the sync, and the one in the queue")
      }
    }
    waitForDisk()
    #expect(syncs.withLock { $0 } == [Int64(2 * blockByteCount)])
  }

  @Test func `an allocation releases a spare block of another size`() {
    var spare = (0..<4).map { _ in BlockMemory(byteCount: 2 << 20) }
    var segment = BodySegment(
      of: attempt(1), from: 0, bound: .none, blockByteCount: 512 << 10)
    let bytes = [UInt8](repeating: 7, count: 1)
    bytes.withUnsafeBytes { #expect(segment.append($0, reusing: &spare).isEmpty) }
    #expect(spare.count == 3)
  }

  // Fault 71
  @Test func `blocks written before the disk was full are kept`() throws {
    let writer = writer()
    let sink = writer.begin(attempt(1), from: 0, .none)
    let bytes = (0..<3).flatMap { [UInt8](repeating: $0, count: blockByteCount) }
    files.fail(.write, with: TransferFailure(.diskFull, on: file.path), after: 2)
    #expect(give(sink, bytes) == .taken)
    let ended = writer.end(attempt(1), isComplete: true)
    #expect(ended.receivedUpTo == Int64(2 * blockByteCount))
    #expect(ended.failure?.code == .diskFull)
    let written = bytes.prefix(2 * blockByteCount)
    #expect(files.bytes(at: file.path)?.elementsEqual(written) == true)
  }

  @Test func `after a failed write no other block is written`() throws {
    let writer = writer()
    let sink = writer.begin(attempt(1), from: 0, .none)
    let bytes = [UInt8](repeating: 7, count: 3 * blockByteCount)
    files.fail(.write, with: TransferFailure(.fileProblem, on: file.path))
    whileDiskIsBusy { #expect(give(sink, bytes) == .taken) }
    let ended = writer.end(attempt(1), isComplete: true)
    #expect(ended.receivedUpTo == 0)
    #expect(ended.failure?.code == .fileProblem)
    #expect(files.callCount(.write) == 1)
  }

  @Test func `blocks already in the file are compared and the others are written`() throws {
    let (lower, upper) = (Int64(blockByteCount), Int64(2 * blockByteCount))
    let bytes = (0..<3).flatMap { [UInt8](repeating: $0, count: blockByteCount) }
    try write(Array(bytes[Int(lower)..<Int(upper)]), at: lower)
    let writer = writer(durable: ranges((lower, upper)))
    let before = files.callCount(.write)
    #expect(give(writer.begin(attempt(1), from: 0, .none), bytes) == .taken)
    let ended = writer.end(attempt(1), isComplete: true)
    #expect(ended.receivedUpTo == Int64(bytes.count))
    #expect(ended.failure == nil)
    #expect(files.callCount(.write) == before + 2)
    #expect(files.bytes(at: file.path)?.elementsEqual(bytes) == true)
  }

  @Test func `a held-back attempt gets a write failure with its next bytes`() throws {
    let writer = writer(total: 64 << 20)
    let sink = writer.begin(attempt(1), from: 0, .whole(64 << 20))
    let piece = [UInt8](repeating: 7, count: 1 << 20)
    files.fail(.write, with: TransferFailure(.diskFull, on: file.path))
    whileDiskIsBusy { while give(sink, piece) == .taken {} }
    waitForDisk()
    #expect(resumed.all == [[attempt(1)]])
    #expect(give(sink, piece) == .failed)
  }

  @Test func `a held-back attempt is resumed if its bytes differ from the file`() throws {
    try write([1, 2, 3, 4], at: 0)
    let writer = writer(durable: ByteRangeSet(prefix: 4), total: 64 << 20)
    let sink = writer.begin(attempt(1), from: 0, .whole(64 << 20))
    whileDiskIsBusy {
      while give(sink, [UInt8](repeating: 7, count: 1 << 20)) == .taken {}
    }
    waitForDisk()
    #expect(resumed.all == [[attempt(1)]])
    #expect(writer.end(attempt(1), isComplete: false).failure?.code == .otherVersion)
  }

  @Test func `a shortened attempt accepts no byte past its new end`() throws {
    let writer = writer(total: 1 << 20)
    let sink = writer.begin(attempt(1), from: 0, .whole(1 << 20))
    let piece = [UInt8](repeating: 7, count: 1000)
    #expect(give(sink, piece) == .taken)
    #expect(give(sink, piece) == .taken)
    writer.shorten(attempt(1), to: 2500)
    #expect(give(sink, piece) == .satisfied)
    #expect(writer.end(attempt(1), isComplete: true).receivedUpTo == 2500)
    #expect(files.bytes(at: file.path)?.count == 2500)
  }

  private func write(_ bytes: [UInt8], at offset: Int64) throws {
    try bytes.withUnsafeBytes { bytes in
      Result { () throws(TransferFailure) in try file.write(bytes, at: offset) }
    }.get()
  }
}
