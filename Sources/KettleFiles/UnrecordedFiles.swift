import Glibc
import KettleEngine
import KettleModel
import KettleSystem

/// A list, on disk, of partial files that were made but not recorded yet. The next start removes
/// the files of a run that was killed in between.
///
/// The list is not synced, because that would cost as much as the record. A kill leaves it intact.
/// After a power cut it is ignored, and a `.part` made in the last moments may be left.
final class UnrecordedFiles: Sendable {
  /// The list is rewritten, with the files still unrecorded, when it exceeds this size.
  private static let byteCountMax = 64 << 10

  private struct State: Sendable {
    /// By inode.
    var files: [UInt64: UnrecordedFile] = [:]
    var byteCount: Int
  }

  private let file: OpenFile?
  private let boot: String
  private let state: Mutex<State>
  /// The files that the last run left.
  let left: [UnrecordedFile]

  /// Records nothing without a path, or when the file cannot be opened.
  ///
  /// - Parameter boot: Identifies the current boot of the machine. After another boot the list is
  ///   ignored: it may be out of date, and a recorded file must never be removed.
  init(path: String?, boot: String = UnrecordedFiles.thisBoot) {
    file = boot.isEmpty ? nil : path.flatMap(Self.open)
    self.boot = boot
    let read = file.map { Self.read($0, boot) } ?? [:]
    left = read.sorted { $0.key < $1.key }.map(\.value)
    state = Mutex(State(byteCount: 0))
    // The files stay in the list until the start has dealt with them.
    state.withLock { state in
      state.files = read
      rewrite(&state)
    }
  }

  private static func open(_ path: String) -> OpenFile? {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    return descriptor >= 0 ? OpenFile(owning: descriptor) : nil
  }

  /// - Parameter id: nil while the transfer of the file is unknown.
  func note(_ identity: PartialIdentity, of id: TransferID?) {
    // A name that contains a newline would become two lines.
    guard file != nil, !identity.path.utf8.contains(10) else { return }
    let noted = UnrecordedFile(id: id, identity: identity)
    state.withLock { state in
      state.files[identity.inode] = noted
      append(Self.line(noted), &state)
    }
  }

  /// Removes from the list files that the store has recorded or that are gone.
  func forget(_ identities: [PartialIdentity]) {
    state.withLock { state in
      let known = identities.filter { state.files[$0.inode]?.identity.isSameInode(as: $0) == true }
      guard !known.isEmpty else { return }
      for identity in known { state.files[identity.inode] = nil }
      append(known.map { "- \($0.inode)\n" }.joined(), &state)
    }
  }

  private func append(_ line: String, _ state: inout State) {
    if state.byteCount > Self.byteCountMax { return rewrite(&state) }
    if put(line, at: state.byteCount) { state.byteCount += line.utf8.count }
  }

  /// Overwrites the old list before cutting it off. A kill in between leaves extra lines, and each
  /// entry is checked before it is used.
  private func rewrite(_ state: inout State) {
    let lines = state.files.sorted { $0.key < $1.key }.map { Self.line($0.value) }
    let text = "boot \(boot)\n" + lines.joined()
    guard let file, put(text, at: 0) else { return }
    state.byteCount = text.utf8.count
    try? file.truncate(to: Int64(state.byteCount))
  }

  private func put(_ text: String, at offset: Int) -> Bool {
    guard let file else { return false }
    let bytes = Array(text.utf8)
    return (try? bytes.withUnsafeBytes { try file.write($0, at: Int64(offset)) }) != nil
  }

  // MARK: Lines

  private static func line(_ noted: UnrecordedFile) -> String {
    let identity = noted.identity
    return "+ \(noted.id?.rawValue ?? 0) \(identity.device) \(identity.inode) \(identity.path)\n"
  }

  private static func read(_ file: OpenFile, _ boot: String) -> [UInt64: UnrecordedFile] {
    guard let size = try? file.status().identity.byteCount, size > 0, size < 1 << 20 else {
      return [:]
    }
    var bytes = [UInt8](repeating: 0, count: Int(size))
    let isWhole = bytes.withUnsafeMutableBytes { (try? file.read($0, at: 0)) == true }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard isWhole, lines.first == "boot \(boot)" else { return [:] }
    var found: [UInt64: UnrecordedFile] = [:]
    for line in lines.dropFirst() {
      let fields = line.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
      if fields.count == 2, fields[0] == "-", let inode = UInt64(fields[1]) { found[inode] = nil }
      guard fields[0] == "+", fields.count == 5, let id = Int64(fields[1]),
        let device = UInt64(fields[2]), let inode = UInt64(fields[3]), fields[4].hasPrefix("/"),
        fields[4].hasSuffix(FileName.partialSuffix)
      else { continue }
      found[inode] = UnrecordedFile(
        id: id == 0 ? nil : TransferID(rawValue: id),
        identity: PartialIdentity(path: String(fields[4]), device: device, inode: inode))
    }
    return found
  }

  /// Empty when the kernel does not say. Nothing is recorded then.
  static let thisBoot: String = {
    let path = "/proc/sys/kernel/random/boot_id"
    guard let file = OwnedDescriptor(opened: Glibc.open(path, O_RDONLY | O_CLOEXEC)) else {
      return ""
    }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = Glibc.read(file.number, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)).prefix { $0 != 10 }, as: UTF8.self)
  }()
}

extension PartialIdentity {
  /// The list has no samples.
  fileprivate func isSameInode(as other: PartialIdentity) -> Bool {
    path == other.path && device == other.device && inode == other.inode
  }
}
