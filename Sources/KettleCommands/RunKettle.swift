import ArgumentParser
import KettleControl
import KettleModel

/// Parses the command line (without the program's name), runs the command, and returns the
/// process's exit status.
package func runKettle(arguments: [String], context: CommandContext) async -> Int32 {
  if let request = CompletionRequest(arguments) {
    return await request.answer(in: context).rawValue
  }
  let command: any RunnableCommand
  var context = context
  do {
    let words = try CommandWords(arguments)
    command = try parsedCommand(words.arguments)
    context.host = words.host
    if words.machines.count > 1 { context.machines = words.machines }
    context.isASCII = words.isASCII
    context.isFleet = words.isFleet
    if let word = context.wordNotText { throw UsageError(.path(.notText(word))) }
    if words.host != nil, type(of: command).isForThisMachineOnly {
      throw UsageError(.command(.notOverHost(command: words.commandName)))
    }
    if !context.machines.isEmpty, !type(of: command).worksOnMachines || words.isFleet {
      throw UsageError(.command(.severalHosts(command: words.commandName)))
    }
    if words.isFleet, !type(of: command).worksOnFleet {
      throw UsageError(.fleet(.notOffered(command: words.commandName)))
    }
  } catch {
    return report(parseError: displayable(error, arguments), of: arguments, to: context.console)
      .rawValue
  }
  do {
    return try await command.run(in: context).rawValue
  } catch {
    return report(error, to: context.console).rawValue
  }
}

/// Returns the command that the words name.
///
/// - Throws: `UsageError` or an error of the parser if they name none, or have a wrong option.
func parsedCommand(_ arguments: [String]) throws -> any RunnableCommand {
  if let word = arguments.first, let problem = CommandNames.problem(of: word) {
    throw UsageError(.command(problem))
  }
  let command = try KettleCommand.parseAsRoot(
    RunOfWords.packed(arguments, of: KettleCommand.self))
  // Any other command is the parser's own `help`, which throws its text when run.
  guard let ours = command as? any RunnableCommand else {
    var theirs = command
    try theirs.run()
    throw CleanExit.helpRequest()
  }
  return ours
}

/// Parses the arguments again without terminal control characters and returns that error. The
/// parser's message repeats words, which may have been pasted from anywhere, and has line breaks of
/// its own.
private func displayable(_ error: any Error, _ arguments: [String]) -> any Error {
  let shown = arguments.map { $0.sanitizedForDisplay(limit: .max) }
  guard shown != arguments else { return error }
  do {
    _ = try parsedCommand(CommandWords(shown).arguments)
    return error
  } catch {
    return error
  }
}

private func report(
  parseError error: any Error, of arguments: [String], to console: any Console
) -> ExitCode {
  if error is UsageError { return report(error, to: console) }
  let isRequestedText = KettleCommand.exitCode(for: error).isSuccess
  let stream: ConsoleStream = isRequestedText ? .output : .error
  let columns = min(console.columnCount(of: stream) ?? 80, 100)
  let text = KettleCommand.fullMessage(for: error, columns: columns)
  if isRequestedText {
    do throws(ConsoleError) {
      try console.write(text.hasSuffix("\n") ? text : text + "\n", to: .output)
      return .done
    } catch {
      return report(error, to: console)
    }
  }
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    .map { String($0).sanitizedForDisplay() }
  let message = lines.joined(separator: "\n")
  let prefix = "Error: "
  console.printError(
    message.hasPrefix(prefix) ? String(message.dropFirst(prefix.count)) : message)
  if arguments.starts(with: ["config", "set"]), message.contains("Unknown option") {
    console.printNote(Sentences.valueWithHyphen)
  }
  return .refused
}

private func report(_ error: any Error, to console: any Console) -> ExitCode {
  let (sentences, code) = Sentences.report(of: error)
  for sentence in sentences { console.printError(sentence) }
  return code
}
