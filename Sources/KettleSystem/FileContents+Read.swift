import Glibc
import KettleModel

extension FileContents {
  /// Reads a regular file of at most `byteCountMax` bytes, a whole number of MiB. A pipe or a
  /// device in its place does not block the caller.
  package static func read(path: String, byteCountMax: Int) -> FileContents {
    read(path, byteCountMax) { status in
      status.st_mode & S_IFMT == S_IFREG ? nil : "it is not a regular file"
    }
  }

  /// Reads such a file if it belongs to the user of this process and others cannot read it. What is
  /// checked is the opened file, whatever its name stands for by now.
  package static func readPrivate(path: String, byteCountMax: Int) -> FileContents {
    read(path, byteCountMax) { status in
      guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
        return "it is not a file of this user"
      }
      return status.st_mode & 0o077 == 0 ? nil : "others can read it; chmod 600 changes that"
    }
  }

  private static func read(
    _ path: String, _ byteCountMax: Int, problem: (stat) -> String?
  ) -> FileContents {
    let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    guard let file = OwnedDescriptor(opened: open(path, flags)) else {
      return errno == ENOENT || errno == ENOTDIR
        ? .missing : .unreadable(SystemError(errno).message)
    }
    var status = stat()
    guard fstat(file.number, &status) == 0 else {
      return .unreadable(SystemError(errno).message)
    }
    if let detail = problem(status) { return .unreadable(detail) }
    guard status.st_size <= byteCountMax else {
      return .unreadable("it is larger than \(byteCountMax >> 20) MiB")
    }
    var bytes = [UInt8](repeating: 0, count: byteCountMax)
    var count = 0
    while count < bytes.count {
      let start = count
      let readCount = bytes.withUnsafeMutableBytes {
        Glibc.read(file.number, $0.baseAddress?.advanced(by: start), $0.count - start)
      }
      if readCount < 0, errno == EINTR { continue }
      guard readCount >= 0 else { return .unreadable(SystemError(errno).message) }
      if readCount == 0 { break }
      count += readCount
    }
    return .bytes(Array(bytes.prefix(count)))
  }
}

extension FileIdentity {
  /// Takes the identity from the result of `stat(2)`.
  package init(_ status: stat) {
    let (seconds, overflow) = Int64(status.st_mtim.tv_sec)
      .multipliedReportingOverflow(by: 1_000_000_000)
    // A date after the year 2262 overflows. Its seconds are stored instead, which differ as well.
    let nanoseconds =
      overflow
      ? Int64(status.st_mtim.tv_sec)
      : seconds.addingReportingOverflow(Int64(status.st_mtim.tv_nsec)).partialValue
    self.init(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
      byteCount: Int64(status.st_size), modifiedNanoseconds: nanoseconds)
  }
}
