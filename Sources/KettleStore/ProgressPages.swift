import Glibc
import KettleEngine
import KettleModel
import KettleSystem

/// A file of overwritable pages beside the store. It records the progress of transfers as often as
/// a fast transfer reports it.
///
/// Overwriting a page is one call and syncing it is one write to the disk, a tenth of the cost of a
/// transaction. A page counts only for the row of the table `progress` that has its stamp, so
/// leftover pages never apply to another row, and the file never needs cleaning. A transfer has two
/// pages that alternate, each with a checksum: if a power cut tears one, the other remains.
final class ProgressPages: Sendable {
  private enum File: ~Copyable, Sendable {
    case closed
    case open(OwnedDescriptor)
    /// After a failed sync, later syncs may prove nothing either (fsync(2), "Errors").
    case unusable
  }

  /// The two pages of one row.
  private struct Slot: Sendable {
    var stamp: ProgressStamp
    /// The sequence number of the last page written.
    var sequence: Int64 = 0
  }

  private struct State: ~Copyable, Sendable {
    var file = File.closed
    var slots: [Slot] = []
  }

  private let place: StorePlace
  private let sync: @Sendable (Int32) -> Int32
  private let state = Mutex(State())

  /// - Parameter sync: behaves like fdatasync(2).
  init(_ place: StorePlace, sync: @escaping @Sendable (Int32) -> Int32 = { fdatasync($0) }) {
    self.place = place
    self.sync = sync
  }

  /// Writes and syncs the durable ranges of the transfer whose row has `stamp`. Blocks.
  ///
  /// - Parameter stamps: the stamps of all existing rows; pages with other stamps are overwritten.
  /// - Returns: false when the row itself must record them: there are more ranges than fit in a
  ///   page, or the file cannot be written. If the cause is the disk, the store then reports the
  ///   reason.
  func put(
    _ held: ByteRangeSet, _ stamp: ProgressStamp, among stamps: () -> Set<ProgressStamp>
  ) -> Bool {
    state.withLock { state in
      guard let descriptor = open(&state), held.ranges.count <= ProgressPage.rangeCountMax else {
        return false
      }
      let index = Self.slot(of: stamp, &state.slots, among: stamps)
      state.slots[index].sequence += 1
      let sequence = state.slots[index].sequence
      let page = ProgressPage(stamp: stamp, sequence: sequence, held: held)
      let place = Int64(index) * 2 + sequence % 2
      if page.write(to: descriptor, at: place), sync(descriptor) == 0 { return true }
      state.file = .unusable
      return false
    }
  }

  private static func slot(
    of stamp: ProgressStamp, _ slots: inout [Slot], among stamps: () -> Set<ProgressStamp>
  ) -> Int {
    if let known = slots.firstIndex(where: { $0.stamp == stamp }) { return known }
    let inUse = stamps()
    let slot = Slot(stamp: stamp)
    guard let free = slots.firstIndex(where: { !inUse.contains($0.stamp) }) else {
      slots.append(slot)
      return slots.count - 1
    }
    slots[free] = slot
    return free
  }

  private func open(_ state: inout State) -> Int32? {
    switch state.file {
    case .open(let file): return file.number
    case .unusable: return nil
    case .closed: break
    }
    do throws(StoreError) {
      let file = try place.openProgress()
      let number = file.number
      state.file = .open(file)
      return number
    } catch {
      state.file = .unusable
      return nil
    }
  }

  /// Returns the newest page of each stamp. A missing or unreadable file yields nothing: the rows
  /// then contain less, but nothing wrong.
  static func read(_ place: StorePlace) -> [ProgressStamp: ByteRangeSet] {
    let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC
    guard let file = OwnedDescriptor(opened: Glibc.open(place.progressPath, flags)) else {
      return [:]
    }
    var newest: [ProgressStamp: ProgressPage] = [:]
    var place: Int64 = 0
    while let words = ProgressPage.words(of: file.number, at: place) {
      place += 1
      guard let page = ProgressPage(words) else { continue }
      if let known = newest[page.stamp], known.sequence > page.sequence { continue }
      newest[page.stamp] = page
    }
    return newest.mapValues(\.held)
  }
}

/// One page: a mark, the stamp, an increasing number, the count of the ranges, their bounds, and in
/// the last word a checksum of all others. 64-bit words, little-endian.
struct ProgressPage {
  var stamp: ProgressStamp
  var sequence: Int64
  var held: ByteRangeSet

  init(stamp: ProgressStamp, sequence: Int64, held: ByteRangeSet) {
    self.stamp = stamp
    self.sequence = sequence
    self.held = held
  }

  static let byteCount = 4096
  static let rangeCountMax = (wordCount - headCount - 1) / 2
  private static let wordCount = byteCount / 8
  private static let headCount = 4
  /// "KttlHeld".
  private static let mark: Int64 = 0x4B74_746C_4865_6C64

  /// Returns nil if the words are not a page, or one that was not completely written.
  init?(_ words: [Int64]) {
    guard words.count == Self.wordCount, words[0] == Self.mark, words.last == Self.sum(words),
      (0...Int64(Self.rangeCountMax)).contains(words[3])
    else { return nil }
    var held = ByteRangeSet()
    for index in 0..<Int(words[3]) {
      let lower = words[Self.headCount + 2 * index]
      guard let range = ByteRange(lower: lower, upper: words[Self.headCount + 2 * index + 1])
      else { return nil }
      held.insert(range)
    }
    self.init(stamp: ProgressStamp(rawValue: words[1]), sequence: words[2], held: held)
  }

  /// Each word affects all later bits of the checksum.
  private static func sum(_ words: some BidirectionalCollection<Int64>) -> Int64 {
    var sum: UInt64 = 0
    for word in words.dropLast() {
      sum = (sum ^ UInt64(bitPattern: word)) &* 0x9E37_79B9_7F4A_7C15
      sum ^= sum >> 32
    }
    return Int64(bitPattern: sum)
  }

  /// Returns whether all of it was written.
  func write(to descriptor: Int32, at place: Int64) -> Bool {
    // On the stack: a fast transfer writes one every few milliseconds.
    withUnsafeTemporaryAllocation(of: Int64.self, capacity: Self.wordCount) { words in
      fill(words)
      let bytes = UnsafeRawBufferPointer(words)
      let offset = off_t(place) * off_t(Self.byteCount)
      while true {
        let count = pwrite(descriptor, bytes.baseAddress, bytes.count, offset)
        if count < 0, errno == EINTR { continue }
        return count == bytes.count
      }
    }
  }

  /// - Parameter words: exactly one page; they need not be initialized.
  private func fill(_ words: UnsafeMutableBufferPointer<Int64>) {
    words.initialize(repeating: 0)
    words[0] = Self.mark
    words[1] = stamp.rawValue
    words[2] = sequence
    words[3] = Int64(held.ranges.count)
    for (index, range) in held.ranges.enumerated() {
      words[Self.headCount + 2 * index] = range.lower
      words[Self.headCount + 2 * index + 1] = range.upper
    }
    words[Self.wordCount - 1] = Self.sum(words)
    for index in words.indices { words[index] = words[index].littleEndian }
  }

  /// Returns nil past the last page.
  static func words(of descriptor: Int32, at place: Int64) -> [Int64]? {
    var words = [Int64](repeating: 0, count: wordCount)
    let offset = off_t(place) * off_t(byteCount)
    let count = words.withUnsafeMutableBytes { bytes in
      pread(descriptor, bytes.baseAddress, bytes.count, offset)
    }
    return count == byteCount ? words.map { Int64(littleEndian: $0) } : nil
  }
}
