import Glibc

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
