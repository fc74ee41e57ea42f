import KettleClient
import KettleControl
import KettleModel

/// Sends a control and prints the result.
struct ControlRunner {
  let verb: TransferControlVerb
  let selection: TransferSelection
  let context: CommandContext

  func run() async throws -> ExitCode {
    try await run(ControlTransfers.self, .init(control: verb, selection: selection))
  }

  /// Starts one transfer with a new link.
  func run(relinking id: TransferID, to link: TransferURL.Parsed) async throws -> ExitCode {
    try await run(RelinkTransfer.self, .init(id: id, link: link))
  }

  private func run<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params
  ) async throws -> ExitCode where Method.Result == ControlTransfers.Result {
    try await context.withService(for: "kettle \(commandName)") { service in
      let result = try await service.call(method, params)
      try await report(result, over: service)
      return Self.exitCode(of: result)
    }
  }

  private var commandName: String {
    switch verb {
    case .start, .pause, .stop, .remove: verb.rawValue
    case .removeWithFile: "remove"
    }
  }

  private func report(
    _ result: ControlTransfers.Result, over service: any ServiceCalling
  ) async throws {
    switch selection {
    case .all, .matching:
      try context.console.printLine(Sentences.did(verb, count: result.applied.count))
    case .ids:
      for id in result.applied { try context.console.printLine(try await words(for: id, service)) }
    }
    for refusal in result.refused { context.console.printError(Sentences.of(refusal)) }
  }

  /// Returns the sentence for the result. After a start it says whether the transfer resumes or
  /// starts over, which only the transfer knows.
  private func words(for id: TransferID, _ service: any ServiceCalling) async throws -> String {
    guard verb == .start else { return Sentences.did(verb, id) }
    do {
      let row = try await service.call(DescribeTransfer.self, .init(id: id)).snapshot
      return Sentences.started(row)
    } catch let error as ControlError where error.code == .unknownTransfer {
      return Sentences.did(verb, id)
    }
  }

  /// Returns 2 when nothing was done because every id is unknown. Returns 1 when only some
  /// transfers were changed, or their state forbids the control.
  static func exitCode(of result: ControlTransfers.Result) -> ExitCode {
    if result.refused.isEmpty { return .done }
    let areUnknown = result.refused.allSatisfy { $0.why == .unknown }
    return result.applied.isEmpty && areUnknown ? .refused : .transferFailed
  }
}
