import KettleControl
import KettleModel
import KettleRPC
import KettleSocket

/// Runs the process as `kettle-aria2c`, which accepts the command lines of aria2c, and returns its
/// exit status (aria2c(1), "EXIT STATUS").
package func runAria2c(arguments: [String], context: CommandContext) async -> Int32 {
  let program = Aria2cProgram(context: context)
  switch arguments.first {
  case "-v", "--version": return program.print(Aria2cProgram.version + "\n")
  case "-h", "--help": return program.print(Aria2cProgram.help)
  default: return await program.run(arguments)
  }
}

enum Aria2cExit {
  static let done: Int32 = 0
  static let unknown: Int32 = 1
  /// Unfinished downloads remain.
  static let unfinished: Int32 = 7
  static let badOption: Int32 = 28
}

struct Aria2cProgram {
  let context: CommandContext

  static let version = "kettle-aria2c \(ProductVersion.text), with the options of aria2c 1.36"

  static let help = """
    kettle-aria2c accepts the command lines of aria2c and downloads with Kettle.

    usage: kettle-aria2c [OPTIONS] URL...

    Programs that start aria2c can start it instead, for example
      yt-dlp --downloader kettle-aria2c URL
    aria2c(1) describes the options. What Kettle cannot do is refused with a sentence. The files go
    to the current directory, as with aria2c. An interrupted download is paused, and the same
    command continues it.

    """

  private static let client: ClientIdentity = "kettle-aria2c"

  func run(_ arguments: [String]) async -> Int32 {
    do {
      if let word = context.wordNotText { throw UsageError(.path(.notText(word))) }
      let request = try Aria2cRequest(arguments, in: context)
      for note in request.notes { complain(note) }
      guard let door = request.door else { return try await download(request, door: nil) }
      return try await download(request, behind: door)
    } catch let problem as Aria2CommandLine.Problem {
      complain(problem.sentence)
      return Aria2cExit.badOption
    } catch let error as RPCError {
      complain(error.message)
      return Aria2cExit.badOption
    } catch let problem as RPCListener.Problem {
      complain("Port \(problem.port) cannot be opened; choose another with --rpc-listen-port")
      return Aria2cExit.unknown
    } catch {
      let (sentences, code) = Sentences.report(of: error)
      sentences.forEach(complain)
      return code == .refused ? Aria2cExit.badOption : Aria2cExit.unknown
    }
  }

  private func complain(_ sentence: String) { context.console.printError(sentence) }

  fileprivate func print(_ text: String) -> Int32 {
    do throws(ConsoleError) {
      try context.console.write(text, to: .output)
      return Aria2cExit.done
    } catch {
      Sentences.report(of: error).sentences.forEach(complain)
      return Aria2cExit.unknown
    }
  }

  // MARK: With an RPC

  /// The port is open before anything else: who started this program may ask at once.
  private func download(
    _ request: Aria2cRequest, behind settings: Aria2cRequest.Door
  ) async throws -> Int32 {
    let door = Aria2cDoor(signals: context.interruptions)
    let listener = try await RPCListener.start(
      port: settings.port, door: RequestDoor(allowedOrigins: []))
    let responder = RPCResponder(methods: door, secret: settings.secret)
    let serving = Task {
      await withDiscardingTaskGroup { group in
        for await exchange in listener.exchanges {
          group.addTask { await responder.answer(exchange) }
        }
      }
    }
    let stop = request.limitMilliseconds.map { limit in
      Task { [clock = context.clock] in
        await clock.wait(milliseconds: limit)
        if !Task.isCancelled { door.shutDown() }
      }
    }
    defer { stop?.cancel() }
    do {
      let code = try await download(request, door: door)
      // aria2c with an RPC goes on until it is shut down.
      if !door.isShutDown {
        for await _ in door.interruptions() { break }
      }
      await listener.close()
      await serving.value
      return code
    } catch {
      await listener.close()
      throw error
    }
  }

  // MARK: Downloading

  private func download(_ request: Aria2cRequest, door: Aria2cDoor?) async throws -> Int32 {
    var context = context
    if let door { context.interruptions = door }
    let service = try await context.services.connect(
      to: context.address, client: Self.client, startIfNeeded: true)
    let adder = TransferAdder(
      service: service, reconnect: context.reconnection(for: Self.client))
    // What a previous run left unfinished goes on; a finished file is fetched again if asked for.
    let copies = ListedCopies(
      service: service, isWanted: true, followsCompleted: !request.overwrites)
    let outcome = try await copies.ids(for: request.specs) { new in
      try await adder.add(new)
    } report: { report in
      if case .refused(let sentence) = report { context.console.printError(sentence) }
    }
    let ids = outcome.ids
    let done = outcome.refusedCount == 0 ? Aria2cExit.done : Aria2cExit.unknown
    door?.begin(with: ids)
    if request.isDetached || ids.isEmpty {
      await service.close()
      return done
    }
    let code = try await follow(ids, of: request, tell: door, over: service, in: context)
    switch code {
    case .done: return done
    case .interrupted: return try await pause(ids)
    default: return try await exitStatus(of: ids)
    }
  }

  private func follow(
    _ ids: [TransferID], of request: Aria2cRequest, tell door: Aria2cDoor?,
    over service: any ServiceCalling, in context: CommandContext
  ) async throws -> ExitCode {
    var watch = GetWatch(
      ids: ids, context: context, form: request.isQuiet ? .quiet : .progress,
      leavesRunning: false)
    let follower = EventFollower(
      context: context, address: context.address, client: Self.client,
      includesProgress: door != nil || watch.progressSource == .events,
      pollMilliseconds: watch.progressSource == .none ? nil : 1000,
      limitMilliseconds: door == nil ? request.limitMilliseconds : nil)
    return try await follower.run(over: service) { update in
      // As if the user had interrupted it, who is not there any more.
      if case .limitReached = update { return .interrupted }
      if let door { try await note(update, of: ids, at: door) }
      return try await watch.handle(update)
    }
  }

  private func note(
    _ update: EventFollower.Update, of ids: [TransferID], at door: Aria2cDoor
  ) async throws {
    switch update {
    case .event(let event): door.note(event.snapshot)
    case .connected(let service), .eventsDropped(let service):
      for id in ids {
        if let details = try? await service.call(DescribeTransfer.self, .init(id: id)) {
          door.note(details.snapshot)
        }
      }
    case .pollDue, .completed, .interrupted, .limitReached: break
    }
  }

  /// aria2c ends with the number of the last problem.
  private func exitStatus(of ids: [TransferID]) async throws -> Int32 {
    try await context.withService(for: Self.client, startIfNeeded: false) { service in
      var status = Aria2cExit.done
      for id in ids {
        guard let details = try? await service.call(DescribeTransfer.self, .init(id: id)) else {
          status = Aria2cExit.unknown
          continue
        }
        let number = ErrorNumber(of: RPCDownload(gid: GID(id), row: details.snapshot))
        if number != .none { status = Int32(number.rawValue) }
      }
      return status == Aria2cExit.done ? Aria2cExit.unknown : status
    }
  }

  /// What the user interrupts must not go on; the same command continues it.
  private func pause(_ ids: [TransferID]) async throws -> Int32 {
    try await context.withService(for: Self.client, startIfNeeded: false) { service in
      let result = try await service.call(
        ControlTransfers.self, .init(control: .pause, selection: .ids(ids)))
      let unfinished = result.applied.count
      return unfinished == 0 ? Aria2cExit.done : Aria2cExit.unfinished
    }
  }
}
