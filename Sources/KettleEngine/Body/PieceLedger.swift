import KettleModel
import KettleScheduler

/// Which pieces of a file that is being written have the digests of a document.
///
/// Invariant: bytes count as durable only while their piece is incomplete, or after it was compared
/// and is right. So a whole piece with a wrong byte is in no record.
struct PieceLedger: Sendable {
  let pieces: PieceHashes
  /// The bytes of right pieces.
  private(set) var verified = ByteRangeSet()
  /// Complete pieces that are not compared yet, or are being compared.
  private var awaiting: Set<Int> = []
  /// Those of them that no comparison has begun, in the order of their last bytes.
  private var queue: ArraySlice<Int> = []
  /// Who has delivered bytes of each incomplete piece in this run.
  private var attempts: [Int: Set<AttemptID>] = [:]
  /// The pieces that were wrong.
  private(set) var wrong: [WrongPiece] = []
  /// Whether two sources sent different bytes for the same place.
  private(set) var isDoubtful = false

  /// - Parameters:
  ///   - durable: what is in the file. Its whole pieces were right when they were recorded.
  ///   - isProved: whether they were. A file of another program was never compared.
  init(_ pieces: PieceHashes, durable: ByteRangeSet, isProved: Bool) {
    self.pieces = pieces
    for range in durable.ranges {
      for index in pieces.indices(touching: range) { note(index, in: durable, isProved) }
    }
  }

  private mutating func note(_ index: Int, in written: ByteRangeSet, _ isProved: Bool) {
    guard let range = pieces.range(of: index), written.contains(range), !verified.contains(range)
    else { return }
    if isProved { return verified.insert(range) }
    if awaiting.insert(index).inserted { queue.append(index) }
  }

  /// Notes bytes that were written.
  mutating func note(_ range: ByteRange, by attempt: AttemptID, in written: ByteRangeSet) {
    for index in pieces.indices(touching: range) {
      attempts[index, default: []].insert(attempt)
      note(index, in: written, false)
    }
  }

  /// Notes that an attempt sent other bytes than those that are in the file.
  mutating func noteDifference() { isDoubtful = true }

  /// Whether a piece is to be compared.
  var hasNext: Bool { !queue.isEmpty }

  /// Removes and returns the next piece to compare.
  mutating func next() -> Int? { queue.popFirst() }

  /// Notes the result of a comparison. Returns the wrong piece, whose bytes must be removed.
  mutating func finish(_ index: Int, isRight: Bool) -> WrongPiece? {
    awaiting.remove(index)
    let deliverers = attempts.removeValue(forKey: index) ?? []
    guard let range = pieces.range(of: index) else { return nil }
    if isRight {
      verified.insert(range)
      return nil
    }
    let piece = WrongPiece(range: range, attempts: deliverers)
    wrong.append(piece)
    return piece
  }

  /// The bytes that may be recorded as durable once they are synced. After a wrong piece only right
  /// ones count: its source may have sent bytes of incomplete pieces too.
  func durable(of written: ByteRangeSet) -> ByteRangeSet {
    if isDoubtful || !wrong.isEmpty { return verified }
    var durable = written
    for index in awaiting { pieces.range(of: index).map { durable.remove($0) } }
    return durable
  }
}

/// Compares the pieces of one file.
struct PieceComparing: Sendable {
  let storage: any FileStorage
  /// Called on a thread of the writer with each wrong piece.
  let onWrong: @Sendable (WrongPiece) -> Void
}
