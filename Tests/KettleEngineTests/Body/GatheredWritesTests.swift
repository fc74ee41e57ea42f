import KettleModel
import KettleSystem
import Testing
import TestSupport

@testable import KettleEngine

/// Full blocks that wait for the disk, and how many calls write them.
struct GatheredWritesTests {
  private static let blockByteCount = Int(TransferBody.blockByteCountMax)

  /// Remembers with how many pieces each call came, and refuses what goes beyond a border.
  private final class File: PartialFile {
    private let base: any PartialFile
    private let border: Int64
    private let refusal: TransferFailure.Code
    private let calls = Mutex<[Call]>([])

    struct Call: Equatable {
      var offset: Int64
      var byteCounts: [Int]
    }

    init(_ base: any PartialFile, beyond border: Int64, _ refusal: TransferFailure.Code) {
      self.base = base
      self.border = border
      self.refusal = refusal
    }

    var writes: [Call] { calls.withLock { $0 } }
    var path: String { base.path }
    var finalName: String { base.finalName }
    var device: UInt64 { base.device }
    var inode: UInt64 { base.inode }

    func write(_ pieces: [UnsafeRawBufferPointer], at offset: Int64) throws(TransferFailure) {
      let byteCounts = pieces.map(\.count)
      calls.withLock { $0.append(Call(offset: offset, byteCounts: byteCounts)) }
      guard offset + Int64(byteCounts.reduce(0, +)) <= border else {
        throw TransferFailure(refusal, on: path)
      }
      try base.write(pieces, at: offset)
    }

    func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(TransferFailure) {
      try base.read(buffer, at: offset)
    }

    func sync() throws(TransferFailure) -> Int64 { try base.sync() }
    func keepInMemory() { base.keepInMemory() }
    func truncate(to byteCount: Int64) throws(TransferFailure) {
      try base.truncate(to: byteCount)
    }
  }

  private let files = InMemoryFileStorage(documentsDirectory: "/d")
  private let queue = LingeringQueue("test.disk")
  private let attempt = AttemptID(rawValue: 1)
  private static let bytes = (0..<3).flatMap { [UInt8](repeating: $0, count: blockByteCount) }
  private let bytes = Self.bytes

  /// Three full blocks come while the thread that writes is held up elsewhere.
  private func bring(
    _ held: ByteRangeSet = ByteRangeSet(), there: [UInt8] = [], beyond border: Int64 = .max,
    _ refusal: TransferFailure.Code = .diskFull
  ) throws -> (file: File, body: TransferBody) {
    let made = try files.createPartialFile(in: "/d", preferredName: "a", onConflict: .rename)
    let lower = held.ranges.first?.lower ?? 0
    try there.withUnsafeBytes { bytes in
      Result { () throws(TransferFailure) in try made.write(bytes, at: lower) }
    }.get()
    let file = File(made, beyond: border, refusal)
    let body = TransferBody(
      file: file, held: held, totalByteCount: nil, queue: queue
    ) { _ in }
    let sink = body.begin(attempt, from: 0, .none)
    let gate = Gate()
    queue.async { gate.pass() }
    defer { gate.open() }
    bytes.withUnsafeBytes { #expect(sink.receive($0) == .taken) }
    return (file, body)
  }

  private func has(_ file: File, _ expected: some Sequence<UInt8>) -> Bool {
    files.bytes(at: file.path)?.elementsEqual(expected) == true
  }

  @Test func `those that lie one behind the other need one call`() throws {
    let (file, body) = try bring()
    #expect(body.end(attempt, isComplete: true).receivedUpTo == Int64(bytes.count))
    let blocks = [Int](repeating: Self.blockByteCount, count: 3)
    #expect(file.writes == [File.Call(offset: 0, byteCounts: blocks)])
    #expect(has(file, bytes))
  }

  // Fault 71
  @Test func `of those that have no room together, the first ones that have are kept`() throws {
    let room = Int64(2 * Self.blockByteCount)
    let (file, body) = try bring(beyond: room)
    let ended = body.end(attempt, isComplete: true)
    #expect(ended.receivedUpTo == room)
    #expect(ended.failure?.code == .diskFull)
    #expect(file.writes.map(\.byteCounts.count) == [3, 1, 1, 1])
    #expect(has(file, bytes.prefix(2 * Self.blockByteCount)))
  }

  @Test func `a disk that fails is not asked again`() throws {
    let (file, body) = try bring(beyond: Int64(2 * Self.blockByteCount), .fileProblem)
    let ended = body.end(attempt, isComplete: true)
    #expect(ended.receivedUpTo == 0)
    #expect(ended.failure?.code == .fileProblem)
    #expect(file.writes.map(\.byteCounts.count) == [3])
  }

  @Test func `one that is there already is compared, and the others are written`() throws {
    let (lower, upper) = (Int64(Self.blockByteCount), Int64(2 * Self.blockByteCount))
    var held = ByteRangeSet()
    held.insert(try #require(ByteRange(lower: lower, upper: upper)))
    let (file, body) = try bring(held, there: Array(bytes[Int(lower)..<Int(upper)]))
    let ended = body.end(attempt, isComplete: true)
    #expect(ended.receivedUpTo == Int64(bytes.count))
    #expect(ended.failure == nil)
    #expect(file.writes.map(\.offset) == [0, upper])
    #expect(has(file, bytes))
  }

  @Test func `one of another attempt is written by itself`() throws {
    let (lower, upper) = (Int64(Self.blockByteCount), Int64(2 * Self.blockByteCount))
    let made = try files.createPartialFile(in: "/d", preferredName: "a", onConflict: .rename)
    let file = File(made, beyond: .max, .diskFull)
    let body = TransferBody(
      file: file, held: ByteRangeSet(), totalByteCount: upper, queue: queue
    ) { _ in }
    let other = AttemptID(rawValue: 2)
    let first = body.begin(attempt, from: 0, .part(lower))
    let gate = Gate()
    queue.async { gate.pass() }
    bytes.prefix(Self.blockByteCount).withUnsafeBytes { _ = first.receive($0) }
    let second = body.begin(other, from: lower, .whole(upper))
    bytes[Int(lower)..<Int(upper)].withUnsafeBytes { _ = second.receive($0) }
    gate.open()
    #expect(body.end(attempt, isComplete: true).failure == nil)
    #expect(body.end(other, isComplete: true).receivedUpTo == upper)
    #expect(file.writes.contains { $0.offset == lower })
    #expect(has(file, bytes[..<Int(upper)]))
  }
}
