import ArgumentParser

/// One of our commands, after parsing.
protocol RunnableCommand: ParsableCommand {
  /// Whether the command makes no sense with `--host`.
  static var isForThisMachineOnly: Bool { get }
  /// The type of its repeated argument, which is a `ValueRun` because there may be a hundred
  /// thousand values; nil if it has none.
  static var repeatedType: (any ExpressibleByArgument.Type)? { get }
  func run(in context: CommandContext) async throws -> ExitCode
}

extension RunnableCommand {
  static var isForThisMachineOnly: Bool { false }
  static var repeatedType: (any ExpressibleByArgument.Type)? { nil }
}
