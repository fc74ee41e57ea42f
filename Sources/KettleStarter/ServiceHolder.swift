import CKettleLinux
import Glibc
import KettleModel
import KettleSystem

/// The process that has the lock of a service, and is therefore the service, whatever it speaks and
/// however it was started.
package final class ServiceHolder: Sendable {
  package let processID: Int64
  private let process: OwnedDescriptor

  /// Finds the process that has the lock at this path. Returns nil if none has it, or the kernel
  /// does not say which.
  package init?(ofLock path: String) {
    guard let number = Self.holder(of: path),
      let process = OwnedDescriptor(opened: kettle_pidfd_open(number)),
      // Until the descriptor was open, the number may have become another process's.
      Self.holder(of: path) == number
    else { return nil }
    processID = Int64(number)
    self.process = process
  }

  /// Whether the process has ended: its descriptor is readable then (pidfd_open(2)).
  package var hasEnded: Bool {
    var waited = pollfd(fd: process.number, events: Int16(POLLIN), revents: 0)
    return SystemCall.retrying { poll(&waited, 1, 0) } == 1
  }

  /// Asks the process to end, as a service manager would. Returns whether it could be asked.
  package func terminate() -> Bool { kettle_pidfd_send_signal(process.number, SIGTERM) == 0 }

  /// Returns the number of the process that has locked a file (flock(2)), by the list of the kernel
  /// (proc_locks(5)). The list names an inode; that the process has this file open shows that it is
  /// not one of another disk.
  private static func holder(of path: String) -> pid_t? {
    guard let file = SystemCall.status(ofName: path),
      case .bytes(let bytes) = FileContents.read(path: "/proc/locks", byteCountMax: 4 << 20)
    else { return nil }
    let inode = ":\(file.st_ino)"
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      // 1: FLOCK ADVISORY WRITE 4711 08:01:131 0 EOF
      let words = line.split(separator: " ")
      guard words.count >= 6, words[1] == "FLOCK", words[5].hasSuffix(inode),
        let number = pid_t(words[4]), number > 0, number != getpid(), has(file, open: number)
      else { continue }
      return number
    }
    return nil
  }

  private static func has(_ file: stat, open number: pid_t) -> Bool {
    let directory = "/proc/\(number)/fd"
    guard let listing = opendir(directory) else { return false }
    defer { closedir(listing) }
    while let entry = readdir(listing) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      var status = stat()
      if stat(directory + "/" + name, &status) == 0, status.st_dev == file.st_dev,
        status.st_ino == file.st_ino
      {
        return true
      }
    }
    return false
  }
}
