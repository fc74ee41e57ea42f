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
    let path = "/proc/\(processID)/stat"
    guard processID > 0, case .bytes(let bytes) = FileContents.read(path: path, byteCountMax: 4096),
      // The name before the state is in parentheses, and may contain some.
      let end = bytes.lastIndex(of: UInt8(ascii: ")")), bytes.indices.contains(end + 2)
    else { return false }
    return [UInt8(ascii: "T"), UInt8(ascii: "t")].contains(bytes[end + 2])
  }
}
