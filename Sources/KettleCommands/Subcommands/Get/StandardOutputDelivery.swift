import Glibc
import KettleModel
import KettleSystem

/// `get -o -`: the file goes to standard output. It is stored in a temporary directory first,
/// because the service resumes and verifies files.
final class StandardOutputDelivery {
  private static let name = "file"

  private let directory: String
  private let console: any Console
  /// Whether bytes are passed on before the file is complete and verified.
  let streams: Bool
  private var file: OwnedDescriptor?
  private var deliveredByteCount: Int64 = 0

  private init(directory: String, console: any Console, streams: Bool) {
    self.directory = directory
    self.console = console
    self.streams = streams
  }

  /// Makes the temporary directory, in `TMPDIR` or in `/var/tmp`, which has room for large files.
  static func begin(
    streams: Bool, in context: CommandContext
  ) throws(UsageError) -> StandardOutputDelivery {
    let parent =
      context.environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/var/tmp"
    var template = Array((parent + "/kettle-get-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw UsageError(.path(.temporaryDirectory(parent, detail: errnoText())))
    }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return StandardOutputDelivery(directory: path, console: context.console, streams: streams)
  }

  /// Directs a transfer into the temporary directory. One connection delivers the bytes in order.
  func place(_ spec: inout TransferSpec) {
    spec.directory = directory
    spec.name = try? FileName(typed: Self.name)
    spec.onConflict = .replace
    guard streams else { return }
    spec.connections = 1
    // What is passed on as it arrives cannot be unpacked later.
    spec.options.chosen.insert(.unpacking)
  }

  /// Passes on what has arrived.
  func advance(_ row: TransferSnapshot) throws {
    guard streams, row.state == .running || row.state == .verifying else { return }
    if row.bytesReceived < deliveredByteCount { throw DeliveryProblem.changed }
    if file == nil { file = open(Self.name + ".part") }
    // A small file is created when all of it has arrived.
    guard let descriptor = file?.number else { return }
    try deliver(from: descriptor, upTo: row.bytesReceived)
  }

  /// Passes on the rest of the complete file.
  func finish() throws {
    guard let complete = open(Self.name) else {
      throw DeliveryProblem.unreadable(path: directory + "/" + Self.name, detail: errnoText())
    }
    let numbers = InodeNumbers(of: complete.number)
    if let streamed = file?.number, !Self.isSameFile(streamed, complete.number, where: numbers) {
      throw DeliveryProblem.changed
    }
    try deliver(from: complete.number, upTo: .max)
  }

  private func open(_ name: String) -> OwnedDescriptor? {
    OwnedDescriptor(opened: Glibc.open(directory + "/" + name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW))
  }

  /// Whether both descriptors are of one file. Where the inode number may change, as with a rename,
  /// the size and the beginning decide.
  static func isSameFile(_ one: Int32, _ other: Int32, where numbers: InodeNumbers) -> Bool {
    var (first, second) = (stat(), stat())
    guard fstat(one, &first) == 0, fstat(other, &second) == 0 else { return false }
    if first.st_ino == second.st_ino { return true }
    return switch numbers {
    case .lasting: false
    case .passing: first.st_size == second.st_size && beginning(of: one) == beginning(of: other)
    }
  }

  private static func beginning(of descriptor: Int32) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return count < 0 ? nil : Array(bytes.prefix(count))
  }

  private func deliver(from descriptor: Int32, upTo end: Int64) throws {
    var piece = [UInt8](repeating: 0, count: 1 << 18)
    while deliveredByteCount < end {
      let wanted = Int(min(Int64(piece.count), end - deliveredByteCount))
      let count = pread(descriptor, &piece, wanted, off_t(deliveredByteCount))
      if count < 0 {
        if errno == EINTR { continue }
        throw DeliveryProblem.unreadable(path: directory + "/" + Self.name, detail: errnoText())
      }
      if count == 0 { return }
      try console.writeOutput(Array(piece.prefix(count)))
      deliveredByteCount += Int64(count)
    }
  }

  /// Removes the temporary directory and what is left in it.
  func removeDirectory() {
    for name in [Self.name, Self.name + ".part"] { unlink(directory + "/" + name) }
    rmdir(directory)
  }
}

/// Why a file could not be passed on.
enum DeliveryProblem: Error, Hashable {
  /// Another version arrived after a part of the first was passed on.
  case changed
  case unreadable(path: String, detail: String)
}
