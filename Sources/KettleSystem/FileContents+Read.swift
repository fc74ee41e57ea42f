import Glibc
import KettleModel

extension FileContents {
  /// Reads a regular file of at most `byteCountMax` bytes, a whole number of MiB. A pipe or a
  /// device in its place does not block the caller.
  package static func read(path: String, byteCountMax: Int) -> FileContents {
    read(path, byteCountMax, problem: Self.problemOfKind)
  }

  /// Why a file cannot be read.
  package enum Obstacle: Error, Hashable, Sendable {
    case missing
    /// The reason, in a few words.
    case unusable(String)

    fileprivate var contents: FileContents {
      switch self {
      case .missing: .missing
      case .unusable(let detail): .unreadable(detail)
      }
    }
  }

  /// Checks a file before its path is passed to a library, which would wait for the writer of a
  /// pipe and read a device without end.
  ///
  /// - Returns: nil for a readable regular file of at most `byteCountMax` bytes, a whole number of
  ///   MiB.
  package static func obstacle(path: String, byteCountMax: Int) -> Obstacle? {
    do throws(Obstacle) {
      _ = try open(path, byteCountMax, problem: Self.problemOfKind)
      return nil
    } catch {
      return error
    }
  }

  private static func problemOfKind(_ status: stat) -> String? {
    status.st_mode & S_IFMT == S_IFREG ? nil : "it is not a regular file"
  }

  private static func open(
    _ path: String, _ byteCountMax: Int, problem: (stat) -> String?
  ) throws(Obstacle) -> OwnedDescriptor {
    let flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK
    guard let file = OwnedDescriptor(opened: Glibc.open(path, flags)) else {
      throw errno == ENOENT || errno == ENOTDIR
        ? .missing : .unusable(SystemError(errno).message)
    }
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw .unusable(SystemError(errno).message) }
    if let detail = problem(status) { throw .unusable(detail) }
    guard status.st_size <= byteCountMax else {
      throw .unusable("it is larger than \(byteCountMax >> 20) MiB")
    }
    return file
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
    do throws(Obstacle) {
      let file = try open(path, byteCountMax, problem: problem)
      return .bytes(try bytes(of: file, byteCountMax))
    } catch {
      return error.contents
    }
  }

  private static func bytes(
    of file: borrowing OwnedDescriptor, _ byteCountMax: Int
  ) throws(Obstacle) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCountMax)
    var count = 0
    while count < bytes.count {
      let start = count
      let readCount = bytes.withUnsafeMutableBytes {
        Glibc.read(file.number, $0.baseAddress?.advanced(by: start), $0.count - start)
      }
      if readCount < 0, errno == EINTR { continue }
      guard readCount >= 0 else { throw .unusable(SystemError(errno).message) }
      if readCount == 0 { break }
      count += readCount
    }
    return Array(bytes.prefix(count))
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
