import KettleModel
import KettleSystem
import Testing
import TestSupport

@testable import KettleEngine

/// Bytes that are copied into blocks with stores that nothing orders.
@Suite(.serialized) struct UnorderedCopiesTests {
  /// Copies that are on their way until somebody waits for them. C functions know nothing else.
  private enum Copies {
    private struct Copy {
      var place: UInt
      var bytes: [UInt8]
    }

    private static let underWay = Mutex<[Copy]>([])

    static var count: Int { underWay.withLock { $0.count } }

    /// Those of a test that failed have no place any more.
    static func forget() { underWay.withLock { $0 = [] } }

    static let copying = BlockCopying(
      copy: { place, source, byteCount in
        let bytes = Array(UnsafeRawBufferPointer(start: source, count: byteCount))
        Copies.underWay.withLock { $0.append(Copy(place: UInt(bitPattern: place), bytes: bytes)) }
      }, publish: { Copies.arrive() }, collect: { Copies.arrive() })

    private static func arrive() {
      underWay.withLock { copies in
        for copy in copies {
          UnsafeMutableRawPointer(bitPattern: copy.place)?.copyMemory(
            from: copy.bytes, byteCount: copy.bytes.count)
        }
        copies = []
      }
    }
  }

  private final class File: PartialFile {
    private let base: any PartialFile

    init(_ base: any PartialFile) { self.base = base }

    var path: String { base.path }
    var finalName: String { base.finalName }
    var device: UInt64 { base.device }
    var inode: UInt64 { base.inode }

    func makeLargeMemory() -> BlockMemory? {
      BlockMemory(
        .allocate(byteCount: 2 << 20, alignment: 2 << 20), copying: Copies.copying
      ) { $0.deallocate() }
    }

    func write(_ pieces: [UnsafeRawBufferPointer], at offset: Int64) throws(TransferFailure) {
      try base.write(pieces, at: offset)
    }

    func read(
      _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(TransferFailure) { try base.read(buffer, at: offset) }

    func sync() throws(TransferFailure) -> Int64 { try base.sync() }
    func keepInMemory() { base.keepInMemory() }
    func truncate(to byteCount: Int64) throws(TransferFailure) {
      try base.truncate(to: byteCount)
    }
  }

  private static let totalByteCount: Int64 = 16 << 20
  private let files = InMemoryFileStorage(documentsDirectory: "/d")
  private let file: File
  private let body: TransferBody
  private let sink: SegmentSink
  private let attempt = AttemptID(rawValue: 1)

  init() throws {
    Copies.forget()
    file = File(try files.createPartialFile(in: "/d", preferredName: "a", onConflict: .rename))
    body = TransferBody(
      file: file, held: ByteRangeSet(), totalByteCount: Self.totalByteCount,
      queue: LingeringQueue("test.disk")
    ) { _ in }
    sink = body.begin(attempt, from: 0, .whole(Self.totalByteCount))
  }

  /// Brings bytes in small pieces, as the transport does, and answers how many of them needed no
  /// asking.
  private func bring(_ bytes: ArraySlice<UInt8>) throws -> Int {
    let room = try #require(sink.room)
    return stride(from: bytes.startIndex, to: bytes.endIndex, by: 16 << 10).count { start in
      bytes[start..<min(start + 16 << 10, bytes.endIndex)].withUnsafeBytes { piece in
        if room.take(piece) { return true }
        #expect(sink.receive(piece) == .taken)
        return false
      }
    }
  }

  private let bytes = (0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 / 1000) }

  @Test func `a full block is written with all that was copied into it`() throws {
    #expect(try bring(bytes[..<(2 << 20)]) > 100)
    #expect(Copies.count == 0)
    #expect(try body.sync().held == ByteRangeSet(prefix: 2 << 20))
    #expect(files.bytes(at: file.path)?.elementsEqual(bytes[..<(2 << 20)]) == true)
  }

  @Test func `so is what a checkpoint takes out of one that is not full`() throws {
    #expect(try bring(bytes[..<1_000_000]) > 50)
    #expect(Copies.count > 50)
    #expect(try body.sync().held == ByteRangeSet(prefix: 1_000_000))
    #expect(files.bytes(at: file.path)?.elementsEqual(bytes[..<1_000_000]) == true)
    #expect(try bring(bytes[1_000_000...]) > 50)
    #expect(try body.sync().held == ByteRangeSet(prefix: 3 << 20))
    #expect(files.bytes(at: file.path)?.elementsEqual(bytes) == true)
  }

  @Test func `so is what is left of an attempt that is over`() throws {
    #expect(try bring(bytes[..<1_000_000]) > 50)
    #expect(Copies.count > 50)
    #expect(body.end(attempt, isComplete: true).receivedUpTo == 1_000_000)
    #expect(files.bytes(at: file.path)?.elementsEqual(bytes[..<1_000_000]) == true)
  }
}
