import Foundation
import KettleEngine
import KettleModel
import KettleStore
import SeededNumbers
import Testing
import TestSupport

/// The files of a store after a kill, with edits: the service starts or reports why it does not,
/// reports what it lost, and starts with sound data.
struct StoreFuzz: FuzzPart {
  let name = "store"
  let sharePercent = 15
  let samples: [[StoreEdit]] = [[]]
  private let files: [StoreEdit.File: [UInt8]]

  /// The transfers in the store file itself; two commits in the log add as many each.
  private static let storedCount = 60
  private static let loggedCount = 20
  private static let now = WallTime(millisecondsSince1970: 1_798_135_200_123)

  init() throws { files = try Self.killedStore() }

  func mutated(
    _ input: [StoreEdit], times count: Int, _ random: inout SeededGenerator
  ) -> [StoreEdit] {
    var edits = input
    for _ in 0..<count { Self.addEdit(to: &edits, &random) }
    return edits
  }

  private static func addEdit(to edits: inout [StoreEdit], _ random: inout SeededGenerator) {
    // Usually the same file: damage to several at once hides the effect of each.
    var edit = StoreEdit(random: &random)
    if let first = edits.first, Int.random(in: 0..<4, using: &random) > 0 { edit.file = first.file }
    edits.append(edit)
  }

  func simplifications(of input: [StoreEdit]) -> [[StoreEdit]] {
    input.indices.map { index in
      var fewer = input
      fewer.remove(at: index)
      return fewer
    }
  }

  func text(of input: [StoreEdit]) -> [UInt8] { ReadableJSON.text(of: input) }
  func input(from text: [UInt8]) -> [StoreEdit]? { ReadableJSON.value(from: text) }

  func finding(for edits: [StoreEdit]) -> String? {
    do {
      let scratch = try Scratch()
      var edited = files
      for edit in edits { edited[edit.file] = edited[edit.file].flatMap(edit.applied) }
      for (file, bytes) in edited { try scratch.put(bytes, as: file) }
      return try check(scratch, edits)
    } catch {
      return "\(error)"
    }
  }

  private func check(_ scratch: Scratch, _ edits: [StoreEdit]) throws -> String? {
    let opening: StoreOpening
    do throws(StoreError) {
      opening = try StoreOpening.open(scratch.path, at: Self.now)
    } catch {
      // An edited name of a migration looks like a later version; nothing else prevents a start.
      return error.code == .newer ? nil : "the service does not start: \(error.sentence)"
    }
    let kept = try opening.journal.whole().records
    if opening.notice == nil, let finding = silentLoss(kept, edits) { return finding }
    try opening.journal.commit([.put(Self.record(1000))])
    try opening.journal.close()
    let again = try StoreOpening.open(scratch.path, at: Self.now)
    defer { try? again.journal.close() }
    if again.notice != nil { return "the second start finds damage" }
    let count = try again.journal.whole().records.count
    return count == kept.count + 1
      ? nil : "the second start has \(count) transfers, the first had \(kept.count)"
  }

  /// Commits survive completely and in order. Without an edit of the log all of them survive, and
  /// with one a loss is reported unless the record of the commits was edited as well.
  private func silentLoss(_ kept: [TransferRecord], _ edits: [StoreEdit]) -> String? {
    let editedFiles = Set(edits.map(\.file))
    let whole = Self.storedCount + 2 * Self.loggedCount
    if !editedFiles.contains(.log) {
      return kept.count == whole ? nil : "\(kept.count) of \(whole) transfers, and no notice"
    }
    guard !editedFiles.contains(.store) else { return nil }
    guard editedFiles.contains(.commits) else {
      return kept.count == whole
        ? nil : "\(kept.count) of \(whole) transfers, though the commits are on record"
    }
    let ids = kept.map(\.id.rawValue)
    let steps = [Self.storedCount, Self.storedCount + Self.loggedCount, whole]
    return steps.contains(ids.count) && ids == Array(1...Int64(ids.count))
      ? nil : "not a prefix of the commits: \(ids.count) transfers, and no notice"
  }

  // MARK: The store before the edits

  private static func killedStore() throws -> [StoreEdit.File: [UInt8]] {
    let scratch = try Scratch()
    let first = try StoreOpening.open(scratch.path, at: now).journal
    try first.commit((1...storedCount).map { .put(record(Int64($0))) })
    try first.close()
    let journal = try StoreOpening.open(scratch.path, at: now).journal
    for step in 0..<2 {
      let ids = (1...loggedCount).map { storedCount + step * loggedCount + $0 }
      try journal.commit(ids.map { .put(record(Int64($0))) })
    }
    for id in stride(from: Int64(1), through: 20, by: 3) {
      try journal.commit([.progress(TransferID(rawValue: id), ByteRangeSet(prefix: 1000 * id))])
    }
    defer { try? journal.close() }
    return StoreEdit.File.allCases.reduce(into: [:]) { $0[$1] = scratch.bytes(of: $1) }
  }

  private static func record(_ id: Int64) -> TransferRecord {
    var spec = TransferSpec(url: FuzzURL.at("/files/\(id).iso"))
    spec.directory = "/home/somebody/Downloads"
    var record = TransferRecord(
      id: TransferID(rawValue: id), taskIdentifier: id, spec: spec,
      createdAt: WallTime(millisecondsSince1970: 1_700_000_000_000 + id), queuePosition: id,
      state: .queued)
    if id % 3 == 1 {
      record.resumeData = ResumeData(
        partialPath: "/home/somebody/Downloads/\(id).iso.part", device: 1, inode: UInt64(id),
        durable: ByteRangeSet(prefix: 100), totalByteCount: 1 << 30, validator: nil,
        finalName: "\(id).iso")
    }
    return record
  }
}

/// A state directory that is deleted with its last reference; in memory if possible.
private final class Scratch: Sendable {
  let root: String
  var path: String { root + "/store.sqlite" }

  init() throws {
    root = try TemporaryFolder.make("kettle-fuzz-store")
    try #require(chmod(root, 0o700) == 0)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  func put(_ bytes: [UInt8], as file: StoreEdit.File) throws {
    let target = path + file.rawValue
    try #require(
      FileManager.default.createFile(
        atPath: target, contents: Data(bytes), attributes: [.posixPermissions: 0o600]))
  }

  func bytes(of file: StoreEdit.File) -> [UInt8]? {
    FileManager.default.contents(atPath: path + file.rawValue).map { [UInt8]($0) }
  }
}
