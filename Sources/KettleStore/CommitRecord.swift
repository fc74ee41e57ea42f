import Glibc
import KettleSystem

/// A copy of a store's `CommitMark` in its own file, outside the log that it verifies.
///
/// It is written after SQLite has synced a commit, so it is never ahead of the store. A killed
/// service loses none of it, because written data is in the page cache. A power cut may lose the
/// last writes, which are not synced one by one: the record is then behind, and proves less. A
/// record that is missing, damaged or unwritable proves nothing, and is not an error.
final class CommitRecord: Sendable {
  private let file: OwnedDescriptor

  /// Opens the record and brings it up to `mark`, synced. Returns nil when the file cannot be
  /// opened.
  init?(_ paths: StorePaths, _ mark: CommitMark) {
    let known = Self.read(paths)
    do { file = try paths.openCommits() } catch { return nil }
    guard known != mark else { return }
    // Writes both slots, so that nothing of an earlier state remains.
    for slot in 0..<Self.slotCount { write(mark, slot: slot) }
    sync()
  }

  /// Overwrites the older of the two slots, so if a power cut tears the write, the other remains.
  func write(_ mark: CommitMark) {
    write(mark, slot: mark.commitCount % Self.slotCount)
  }

  /// Makes earlier writes survive a power cut.
  func sync() { fdatasync(file.number) }

  /// Returns the newest mark in the record of a store, or nil if there is no reliable one.
  static func read(_ paths: StorePaths) -> CommitMark? {
    // O_NONBLOCK: a pipe at the path must not block.
    let number = open(paths.commitsPath, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard number >= 0 else { return nil }
    let file = OwnedDescriptor(owning: number)
    return (0..<slotCount)
      .compactMap { read(file.number, slot: $0) }
      .max { $0.commitCount < $1.commitCount }
  }

  // MARK: Slots

  // A slot is a signature, the three numbers of the mark, and a checksum of these four. All are
  // 64-bit words, little-endian.
  private static let slotCount: Int64 = 2
  private static let wordCount = 5
  private static let slotByteCount = wordCount * MemoryLayout<Int64>.size
  /// "KttlCmit".
  private static let signature: Int64 = 0x4B74_746C_436D_6974

  private func write(_ mark: CommitMark, slot: Int64) {
    var words = [Self.signature, mark.storeID, mark.commitCount, mark.lastID]
    words.append(Self.checksum(words))
    words = words.map(\.littleEndian)
    words.withUnsafeBytes { bytes in
      _ = pwrite(file.number, bytes.baseAddress, bytes.count, off_t(slot) * off_t(bytes.count))
    }
  }

  private static func read(_ number: Int32, slot: Int64) -> CommitMark? {
    var words = [Int64](repeating: 0, count: wordCount)
    let byteCount = words.withUnsafeMutableBytes { bytes in
      pread(number, bytes.baseAddress, bytes.count, off_t(slot) * off_t(bytes.count))
    }
    words = words.map { Int64(littleEndian: $0) }
    guard byteCount == slotByteCount, words[0] == signature,
      words[4] == checksum(words.prefix(4)),
      let commitCount = TransferRowReader.bounded(words[2]),
      let lastID = TransferRowReader.bounded(words[3])
    else { return nil }
    return CommitMark(storeID: words[1], commitCount: commitCount, lastID: lastID)
  }

  /// FNV-1a over the bytes of the words.
  private static func checksum(_ words: some Sequence<Int64>) -> Int64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for word in words {
      withUnsafeBytes(of: word.littleEndian) { bytes in
        for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
      }
    }
    return Int64(bitPattern: hash)
  }
}

/// The progress of a store: its identity, the number of acknowledged commits, and the largest
/// transfer id among them.
///
/// The store keeps these numbers in its table `counter`, and a `CommitRecord` beside it keeps a
/// copy. A store that is behind its copy has lost commits.
struct CommitMark: Hashable, Sendable {
  /// A random number that the store gets when it is created.
  var storeID: Int64
  /// Commits of progress alone are not counted: if one is lost, some bytes are fetched again.
  var commitCount: Int64
  /// The largest id ever given to a transfer.
  var lastID: Int64

  /// Returns what a store lost that had once reached this mark, or nil if it lost nothing.
  ///
  /// - Parameter found: the numbers in the store now.
  func loss(in found: StoreCounters) -> CommitLoss? {
    guard commitCount > 0 else { return nil }
    guard found.storeID == storeID else { return .differentStore(lastID: lastID) }
    guard commitCount > found.commitCount else { return nil }
    return .lastCommits(
      count: commitCount - found.commitCount,
      transfers: found.lastID < lastID ? found.lastID + 1...lastID : nil)
  }
}

/// Acknowledged commits that a store does not contain.
enum CommitLoss: Hashable, Sendable {
  /// SQLite ignores the rest of a log from the first frame whose checksum is wrong, so commits are
  /// lost from the end.
  ///
  /// - Parameter transfers: the ones that the lost commits added; nil if they only changed others.
  case lastCommits(count: Int64, transfers: ClosedRange<Int64>?)
  /// The numbers in the store belong to a different store, or to a backup that has none.
  case differentStore(lastID: Int64)
  /// There is no store, or its numbers cannot be read.
  case unknown(lastID: Int64)

  /// The number of transfers that were added and are missing; nil if unknown.
  var transferCount: Int? {
    switch self {
    case .lastCommits(_, let transfers): transfers?.count ?? 0
    case .differentStore, .unknown: nil
    }
  }

  /// Describes what is missing, as a clause that can follow other reasons.
  var reason: String {
    switch self {
    case .lastCommits(let count, let transfers):
      let commits = count == 1 ? "its last commit is" : "its last \(count) commits are"
      return "\(commits) missing, " + Self.effect(transfers)
    case .differentStore(let lastID):
      return "it is not the store that was used last, \(Self.acknowledged(lastID))"
    case .unknown(let lastID):
      return Self.acknowledged(lastID)
    }
  }

  private static func effect(_ transfers: ClosedRange<Int64>?) -> String {
    guard let transfers else { return "with changes to transfers" }
    return transfers.count == 1
      ? "with transfer \(transfers.lowerBound)"
      : "with transfers \(transfers.lowerBound) to \(transfers.upperBound)"
  }

  private static func acknowledged(_ lastID: Int64) -> String {
    lastID == 0 ? "changes were acknowledged" : "transfers up to \(lastID) were acknowledged"
  }
}
