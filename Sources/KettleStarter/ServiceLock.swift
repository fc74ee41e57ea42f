import Glibc
import KettleControl
import KettleSystem

/// The exclusive right to be the service of a state directory.
///
/// The lock is flock(2) on a file that is never deleted. The kernel releases it however the process
/// ends, so there is no stale lock, and no process id that another process could have by then.
///
/// The file contains a `ServiceRecord`. Commands that run without `XDG_RUNTIME_DIR`, from cron for
/// example, find the socket through it.
package final class ServiceLock: Sendable {
  package let path: String
  private let file: OwnedDescriptor

  private init(path: String, file: consuming OwnedDescriptor) {
    self.path = path
    self.file = file
  }

  /// Acquires the lock. Returns nil when another service holds it.
  package static func acquire(at path: String) throws(ControlSocketError) -> ServiceLock? {
    try PrivateDirectory.make(SystemCall.parent(of: path))
    while true {
      let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
      guard let file = OwnedDescriptor(opened: open(path, flags, 0o600)) else {
        throw failure("open", path)
      }
      let lock = ServiceLock(path: path, file: file)
      guard SystemCall.retrying({ flock(lock.file.number, LOCK_EX | LOCK_NB) }) == 0 else {
        if errno == EWOULDBLOCK { return nil }
        throw failure("flock", path)
      }
      // Between open and flock the file may have been deleted and recreated by another service,
      // which then holds the lock on the current file.
      if lock.isFile(at: path) { return lock }
    }
  }

  /// Replaces the record of the service that held the lock before.
  package func record(_ record: ServiceRecord) throws(ControlSocketError) {
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw Self.failure("fstat", path) }
    try write(record.text(in: FileNumber(status)))
  }

  /// Removes the record of the service that held the lock before: until this one listens, nobody
  /// does.
  package func eraseRecord() throws(ControlSocketError) { try write("") }

  private func write(_ text: String) throws(ControlSocketError) {
    let bytes = Array(text.utf8)
    guard ftruncate(file.number, 0) == 0,
      pwrite(file.number, bytes, bytes.count, 0) == bytes.count
    else { throw Self.failure("write", path) }
  }

  private func isFile(at path: String) -> Bool {
    var own = stat()
    guard fstat(file.number, &own) == 0, let named = SystemCall.status(ofName: path) else {
      return false
    }
    return FileNumber(own) == FileNumber(named)
  }

  private static func failure(_ call: String, _ path: String) -> ControlSocketError {
    .system(call: call, path: path, code: errno)
  }
}

/// A directory that only its owner can access. It keeps other users away from the socket, whatever
/// the permissions of the socket itself.
package enum PrivateDirectory {
  /// Creates the directory and its missing parents, and checks that it is owned by the user and
  /// closed to everyone else.
  package static func prepare(
    _ path: String, userID: Int64 = Int64(geteuid())
  ) throws(ControlSocketError) {
    try make(path)
    guard let status = SystemCall.status(ofName: path) else {
      throw unsafe(path, SystemError(errno).message)
    }
    guard status.isDirectory else { throw unsafe(path, "it is not a directory") }
    guard Int64(status.st_uid) == userID else {
      throw unsafe(path, "it belongs to user \(status.st_uid)")
    }
    guard !status.isOpenToOthers else {
      throw unsafe(path, "its mode is \(String(status.st_mode & 0o777, radix: 8)), not 700")
    }
  }

  /// Creates the directory and its missing parents, closed to others. An existing directory is left
  /// unchanged.
  package static func make(_ path: String) throws(ControlSocketError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    guard errno == ENOENT, path != "/", !path.isEmpty else {
      throw .cannotCreateDirectory(path: path, code: errno)
    }
    try make(SystemCall.parent(of: path))
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
      throw .cannotCreateDirectory(path: path, code: errno)
    }
  }

  private static func unsafe(_ path: String, _ detail: String) -> ControlSocketError {
    .unsafeDirectory(path: path, detail: detail)
  }
}

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
      // Some file systems assign a new number when a file is opened again. A copy is not locked.
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
