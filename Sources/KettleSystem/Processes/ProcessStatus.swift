import Glibc
import KettleModel

/// How a process ended: the status of waitpid(2).
package struct ProcessStatus: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  /// Waits for a child and reaps it. Returns nil when the process is not a child, or when it is
  /// still running and `options` has WNOHANG.
  package static func ofEnded(_ processID: pid_t, options: Int32 = 0) -> ProcessStatus? {
    var status: Int32 = 0
    while true {
      let result = waitpid(processID, &status, options)
      if result == -1, errno == EINTR { continue }
      guard result == processID else { return nil }
      OwnChildren.wasReaped(processID)
      return ProcessStatus(rawValue: status)
    }
  }

  /// The number of the signal that ended it; nil if it exited.
  package var signal: Int? {
    let signal = rawValue & 0x7F
    return signal == 0 ? nil : Int(signal)
  }

  package var exitCode: Int { Int(rawValue >> 8 & 0xFF) }

  /// `exit 1` or `signal 11`
  package var text: String {
    signal.map { "signal \($0)" } ?? "exit \(exitCode)"
  }
}

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

/// The children that this process has started and not yet reaped.
package enum OwnChildren {
  private static let running = Mutex<Set<pid_t>>([])

  /// Calls `start`, which returns the number of the child that it has started.
  static func starting(
    _ start: () -> Result<pid_t, ProcessSpawn.Failed>
  ) -> Result<pid_t, ProcessSpawn.Failed> {
    running.withLock { running in
      let result = start()
      if case .success(let processID) = result { running.insert(processID) }
      return result
    }
  }

  static func wasReaped(_ processID: pid_t) {
    _ = running.withLock { $0.remove(processID) }
  }

  /// Reaps an ended child that this process did not start. Returns false for one that it did: the
  /// thread that waits for it reaps it.
  package static func reapUnlessOwn(_ processID: pid_t) -> Bool {
    running.withLock { running in
      guard !running.contains(processID) else { return false }
      var status: Int32 = 0
      waitpid(processID, &status, WNOHANG)
      return true
    }
  }
}
