/// What the shell is told when a command ends; `kettle --help` lists the numbers.
///
/// A struct, because `daemon run` hands on the number that the service ends with.
package struct ExitCode: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let done = ExitCode(rawValue: 0)
  /// At least one transfer failed, was removed while it was waited for, or needs the user.
  package static let transferFailed = ExitCode(rawValue: 1)
  /// The command line, or what it names, is not usable; nothing was queued or changed.
  package static let refused = ExitCode(rawValue: 2)
  package static let serviceUnreachable = ExitCode(rawValue: 3)
  package static let timedOut = ExitCode(rawValue: 4)
  /// 128 and the number of SIGINT, as shells count it; also when a question is answered with no.
  package static let interrupted = ExitCode(rawValue: 130)
}
