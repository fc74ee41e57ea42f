import Glibc
import KettleControl
import KettleSystem

/// What a service writes into its lock file: where it listens, and how clients recognize it.
///
/// Several homes may have one runtime directory, and a home may be a copy of another one. So a
/// socket at the usual path can belong to the service of another home. A client uses only the
/// service that the record of its own home names.
package struct ServiceRecord: Hashable, Sendable {
  package var socketPath: String
  /// `Hello.Result.instance`; nil in the record of an earlier version.
  package var instance: String?

  package init(socketPath: String, instance: String? = nil) {
    self.socketPath = socketPath
    self.instance = instance
  }

  /// Whether the service that greeted with `instance` wrote this record.
  package func isOf(instance greeted: String?) -> Bool {
    guard let instance, let greeted else { return true }
    return instance == greeted
  }

  /// The longest record.
  private static let byteCountMax = 1024

  /// Reads the record of the service that holds or held the lock at `lockPath`.
  ///
  /// Returns nil if there is none, or if the file is a copy of the one that the service wrote.
  package static func read(at lockPath: String) -> ServiceRecord? {
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    guard let file = OwnedDescriptor(opened: open(lockPath, flags)) else { return nil }
    var status = stat()
    guard fstat(file.number, &status) == 0, status.isRegularFile, status.st_uid == geteuid() else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: byteCountMax)
    let count = pread(file.number, &bytes, bytes.count, 0)
    guard count > 0, count < bytes.count,
      let text = String(validating: bytes.prefix(count), as: UTF8.self),
      let (record, writer) = parse(text)
    else { return nil }
    if let writer, writer != FileNumber(status) {
      // Some file systems number a file anew when it is opened again. A copy is not locked.
      guard flock(file.number, LOCK_SH | LOCK_NB) == -1, errno == EWOULDBLOCK else { return nil }
    }
    return record
  }

  /// The lines of the file that has the number `file`.
  func text(in file: FileNumber) -> String {
    [socketPath, instance ?? "", file.text].joined(separator: "\n")
  }

  private static func parse(_ text: String) -> (ServiceRecord, FileNumber?)? {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let path = lines.first, path.hasPrefix("/"),
      path.utf8.count <= SocketAddressUnix.pathByteCountMax
    else { return nil }
    guard lines.count == 3 else { return (ServiceRecord(socketPath: path), nil) }
    return (
      ServiceRecord(socketPath: path, instance: lines[1].isEmpty ? nil : lines[1]),
      FileNumber(text: lines[2])
    )
  }

  /// Where a client looks for the service: at the usual path, and at the one recorded.
  package static func socketPaths(of paths: ServicePaths) -> [String] {
    let recorded = read(at: paths.lockPath)?.socketPath
    return [paths.socketPath] + [recorded].compactMap(\.self).filter { $0 != paths.socketPath }
  }
}

/// A file by its device and inode.
struct FileNumber: Hashable {
  private let device: UInt64
  private let inode: UInt64

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
  }

  init?(text: String) {
    let parts = text.split(separator: " ").map { UInt64($0) }
    guard parts.count == 2, let device = parts[0], let inode = parts[1] else { return nil }
    self.device = device
    self.inode = inode
  }

  var text: String { "\(device) \(inode)" }
}
