import Glibc
import KettleModel

/// What the system says about a running process.
package enum ProcessState {
  /// Returns whether a process with this number exists (kill(2)).
  package static func exists(_ processID: Int64) -> Bool {
    guard let number = pid_t(exactly: processID), number > 0 else { return false }
    return kill(number, 0) == 0 || errno == EPERM
  }

  /// Returns whether a process is stopped, for example by Ctrl-Z: the state in `/proc/PID/stat`
  /// (proc_pid_stat(5)). Returns false if that cannot be read.
  package static func isStopped(_ processID: Int64) -> Bool {
    ["T", "t"].contains(fields(of: processID).first)
  }

  /// Returns how long the process has used a processor, in the kernel's units (proc_pid_stat(5)).
  /// Returns nil if that cannot be read.
  package static func processorTicks(_ processID: Int64) -> UInt64? {
    // utime and stime are fields 14 and 15; those of this list begin with the third one.
    let fields = fields(of: processID)
    guard fields.indices.contains(12), let user = UInt64(fields[11]),
      let kernel = UInt64(fields[12])
    else { return nil }
    return user &+ kernel
  }

  /// The fields of `/proc/PID/stat` from the state on.
  private static func fields(of processID: Int64) -> [Substring] {
    let path = "/proc/\(processID)/stat"
    guard processID > 0, case .bytes(let bytes) = FileContents.read(path: path, byteCountMax: 4096),
      // The name before the state is in parentheses, and may contain some.
      let end = bytes.lastIndex(of: UInt8(ascii: ")"))
    else { return [] }
    return String(decoding: bytes[(end + 1)...], as: UTF8.self).split(separator: " ")
  }
}
