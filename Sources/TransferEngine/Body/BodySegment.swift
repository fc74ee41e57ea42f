import TransferModel

/// The part of a body that one attempt brings.
struct BodySegment: Sendable {
  /// Where it ends.
  enum Bound: Sendable, Hashable {
    /// Where the reply ends; nothing else tells.
    case none
    /// The end of the file: a reply that goes on behind it is of another file.
    case whole(Int64)
    /// The end of the range that was asked for: what comes behind it is not taken.
    case part(Int64)
    /// Others take over from there: the attempt ends when it is reached.
    case shortened(Int64)

    var upper: Int64? {
      switch self {
      case .none: nil
      case .whole(let upper), .part(let upper), .shortened(let upper): upper
      }
    }
  }

  /// One write call for so many bytes; several attempts at once have less each.
  static let gatheredByteCountMax: Int64 = 1 << 20

  private(set) var bound: Bound
  private(set) var writtenUpTo: Int64
  private var gathered: [UInt8] = []
  private let gatheredMax: Int
  var failure: TransferFailure?

  init(from lower: Int64, bound: Bound, gatheredByteCountMax: Int) {
    writtenUpTo = lower
    self.bound = bound
    gatheredMax = gatheredByteCountMax
  }

  var gatheredByteCount: Int64 { Int64(gathered.count) }
  var receivedUpTo: Int64 { writtenUpTo + gatheredByteCount }
  /// nil when nothing waits to be written.
  var gatheredRange: ByteRange? { ByteRange(lower: writtenUpTo, upper: receivedUpTo) }
  var isGathered: Bool { gathered.count >= gatheredMax || isSatisfied }

  /// All that is wanted is there, though the reply may go on.
  var isSatisfied: Bool {
    guard case .shortened(let upper) = bound else { return false }
    return receivedUpTo >= upper
  }

  mutating func shorten(to upper: Int64) {
    if let known = bound.upper, known <= upper { return }
    bound = .shortened(max(upper, receivedUpTo))
  }

  /// How many of so many bytes are wanted; nil, with the failure noted, when they are not of this
  /// file.
  mutating func allowance(for byteCount: Int) -> Int? {
    guard failure == nil else { return nil }
    guard let upper = bound.upper, receivedUpTo + Int64(byteCount) > upper else {
      return byteCount
    }
    if case .whole = bound {
      failure = TransferFailure(
        .tooLong, on: "the body", detail: "more than \(upper) bytes")
      return nil
    }
    return Int(max(0, upper - receivedUpTo))
  }

  mutating func gather(_ bytes: UnsafeRawBufferPointer) { gathered.append(contentsOf: bytes) }

  /// Writes what was gathered; where `written` says that bytes are there, compares them.
  mutating func flush(
    into file: any PartialFile, over written: inout HeldRanges
  ) throws(TransferFailure) {
    guard let range = gatheredRange else { return }
    let bytes = gathered
    let lower = writtenUpTo
    let result = bytes.withUnsafeBytes { buffer -> Result<Void, TransferFailure> in
      do throws(TransferFailure) {
        for gap in written.gaps(in: range) {
          try file.write(Self.slice(buffer, gap, from: lower), at: gap.lower)
        }
        for held in written.parts(in: range) {
          try Self.compare(Self.slice(buffer, held, from: lower), with: file, at: held.lower)
        }
        return .success(())
      } catch {
        return .failure(error)
      }
    }
    try result.get()
    written.insert(range)
    writtenUpTo = range.upper
    gathered.removeAll(keepingCapacity: true)
  }

  private static func slice(
    _ buffer: UnsafeRawBufferPointer, _ range: ByteRange, from lower: Int64
  ) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      rebasing: buffer[Int(range.lower - lower)..<Int(range.upper - lower)])
  }

  private static func compare(
    _ bytes: UnsafeRawBufferPointer, with file: any PartialFile, at offset: Int64
  ) throws(TransferFailure) {
    let held = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    defer { held.deallocate() }
    try file.read(held, at: offset)
    guard held.elementsEqual(bytes) else {
      throw TransferFailure(
        .otherVersion, on: file.finalName,
        detail: "bytes \(offset) to \(offset + Int64(bytes.count) - 1) are others than before")
    }
  }
}
