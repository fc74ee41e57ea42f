import ArgumentParser
import KettleControl
import KettleSocket

/// `kettle bin`
struct BinCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bin",
    abstract: "Show what can be undone, or delete it.",
    discussion: """
      What stop, remove and reset discard is kept for ten minutes, or until the disk is full. \
      "kettle undo" brings it back. The list also has the changes by start, pause, limit and the \
      order keys in the last ten minutes, until the service ends.

      Examples:
        kettle bin
        kettle bin --json
        kettle bin empty
      """,
    subcommands: [BinListCommand.self, BinEmptyCommand.self],
    defaultSubcommand: BinListCommand.self)
}

/// `kettle bin list`, which is `kettle bin`
struct BinListCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List what can be undone, the latest first.",
    discussion: """
      Programs should use --json: an array of objects with number, kind (stop, remove, \
      removeWithFile, reset, clear, start, pause, limit, limitAll, prioritize or move), at, expiresAt, transferCount, byteCount and title (of the \
      first transfer, or null).
      """)

  @Flag(help: "Print JSON.")
  var json = false

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle bin") { service in
      let actions = try await service.call(ListBin.self, .init()).actions
      if json {
        var printer = try JSONArrayPrinter(on: context.console)
        try printer.print(actions.map(\.json))
        try printer.end()
      } else if actions.isEmpty {
        context.console.printNote(Sentences.binEmpty)
      } else {
        for action in actions {
          try context.console.printLine(Sentences.of(action, context.clock))
        }
      }
      return .done
    }
  }
}

/// `kettle bin empty`
struct BinEmptyCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "empty",
    abstract: "Delete everything in the bin now.",
    discussion: """
      Nothing of it can be undone afterwards, so it asks first. Without a terminal it requires \
      --yes.

      Examples:
        kettle bin empty
        kettle bin empty --yes
      """)

  @Flag(name: [.short, .long], help: "Do not ask.")
  var yes = false

  func run(in context: CommandContext) async throws -> ExitCode {
    if !yes, !context.console.isInputTerminal {
      throw UsageError(.command(.confirmationNeedsTerminal(command: "bin empty")))
    }
    return try await context.withService(for: "kettle bin empty") { service in
      let before = try await service.call(ListBin.self, .init()).actions
      guard !before.isEmpty else {
        context.console.printNote(Sentences.binEmpty)
        return .done
      }
      guard try yes || context.console.confirms(Sentences.emptyBinQuestion(before)) else {
        context.console.printNote(Sentences.nothingChanged)
        return .interrupted
      }
      let deleted = try await service.call(EmptyBin.self, .init()).actions
      try context.console.printLine(Sentences.binEmptied(deleted))
      return .done
    }
  }
}

/// `kettle undo`
struct UndoCommand: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo the last action, with every byte.",
    discussion: """
      For ten minutes, what stop, remove, reset and clear discard is in the bin. Start, pause, \
      limit, priority and order are undone too, until the service ends. Each "kettle undo" undoes \
      the latest action; "kettle bin" lists them with their numbers. Transfers that were started or \
      changed since are left alone, and their bytes stay in the bin. Undoing a start pauses the \
      transfer and keeps the received bytes. Exits with 2 if there is nothing to undo, and with 1 \
      if nothing could be restored.

      Examples:
        kettle undo
        kettle undo 1795630211034
      """)

  @Argument(help: ArgumentHelp("The number of an action as \"kettle bin\" lists it."))
  var number: Int64?

  func run(in context: CommandContext) async throws -> ExitCode {
    try await context.withService(for: "kettle undo") { service in
      let undone = try await service.call(UndoAction.self, .init(number: number))
      guard let kind = undone.kind else {
        context.console.printError(Sentences.nothingToUndo(number))
        return .refused
      }
      for id in undone.busy { context.console.printError(Sentences.cannotUndo(id)) }
      let changedCount = undone.changedCount ?? 0
      if undone.restored.count == 0 {
        if !undone.busy.isEmpty { return .transferFailed }
        if changedCount > 0 {
          context.console.printError(Sentences.nothingUndone(kind, changedCount: changedCount))
          return .transferFailed
        }
      }
      try context.console.printLine(
        Sentences.undone(
          kind, at: undone.at, count: undone.restored.count + undone.uncoveredCount,
          changedCount: changedCount, context.clock))
      return undone.busy.isEmpty ? .done : .transferFailed
    }
  }
}
