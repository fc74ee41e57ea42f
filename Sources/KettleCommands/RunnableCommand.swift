import ArgumentParser

/// One of our commands, after parsing.
protocol RunnableCommand: ParsableCommand {
  /// Whether the command makes no sense with `--host`.
  static var isForThisMachineOnly: Bool { get }
  /// Whether the command can mean the queue of the fleet, with `--fleet`.
  static var worksOnFleet: Bool { get }
  /// Whether the command can mean several machines, with more than one `--host`.
  static var worksOnMachines: Bool { get }
  /// The type of its repeated argument, which is a `ValueRun` because there may be a hundred
  /// thousand values; nil if it has none.
  static var repeatedType: (any ExpressibleByArgument.Type)? { get }
  func run(in context: CommandContext) async throws -> ExitCode
}

extension RunnableCommand {
  static var isForThisMachineOnly: Bool { false }
  static var worksOnFleet: Bool { false }
  static var worksOnMachines: Bool { false }
  static var repeatedType: (any ExpressibleByArgument.Type)? { nil }
}

/// The exit status of a command; `kettle --help` lists the numbers.
///
/// A struct, because `daemon run` passes on the service's exit status.
package struct ExitCode: RawRepresentable, Hashable, Sendable {
  package let rawValue: Int32

  package init(rawValue: Int32) { self.rawValue = rawValue }

  package static let done = ExitCode(rawValue: 0)
  /// At least one transfer failed, was removed while the command waited for it, or needs the user.
  /// Also used when the output cannot be written, and for an internal error.
  package static let transferFailed = ExitCode(rawValue: 1)
  /// The command line, or something that it names, is unusable; nothing was queued or changed.
  package static let refused = ExitCode(rawValue: 2)
  package static let serviceUnreachable = ExitCode(rawValue: 3)
  package static let timedOut = ExitCode(rawValue: 4)
  /// 128 plus the number of SIGINT, as in shells. Also used when a question is answered with no.
  package static let interrupted = ExitCode(rawValue: 130)
}
