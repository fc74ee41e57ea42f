import KettleConfiguration
import KettleControl
import KettleDashboard
import KettleModel
import KettleSocket
import KettleSystem

/// What the dashboard asks for: requests to the service, and files to open.
extension DashboardSession {
  func execute(_ effect: ServiceEffect) async {
    do {
      if let message = try await message(for: effect) { output.yield(message) }
    } catch {
      report(error, of: effect)
    }
  }

  private func report(_ error: any Error, of effect: ServiceEffect) {
    switch effect {
    case .loadDetails(let id):
      output.yield(.commandFinished(.detailsFailed(id, sentence: Self.sentence(error))))
    case .add: output.yield(.commandFinished(.addFailed(sentence: Self.sentence(error))))
    // The dashboard requests its rows again after reconnecting. Adding works without knowing
    // duplicates, and an older service knows no sum.
    // Only the list of a fleet refuses a filter.
    case .subscribe where error is ControlError: fail(error)
    case .subscribe, .findDuplicates, .loadHosts, .sumFinished: break
    case .find(let search):
      output.yield(.found(search, nil))
      fail(error)
    case .control, .remove, .relink, .limit, .move, .prioritize, .assign, .configure,
      .clearFinished, .reset, .bin, .startService, .openFile, .openPage, .remember,
      .loadMembers, .chooseMembers:
      fail(error)
    }
  }

  private static func sentence(_ error: any Error) -> String {
    Sentences.report(of: error).sentences.joined(separator: "; ")
  }

  private func call<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params
  ) async throws -> Method.Result {
    try await currentService().call(method, params)
  }

  private func members(of id: TransferID, from first: Int64) async throws -> DashboardMessage {
    .membersArrived(id, try await call(ListMembers.self, .init(id: id, from: first)).members)
  }

  private func hosts() async throws -> DashboardMessage {
    let result = try await call(ListHosts.self, .init())
    return result.machines.map { .machinesArrived($0) } ?? .hostsArrived(result.hosts)
  }

  private func choose(
    _ id: TransferID, leavingOut runs: [MemberRun]
  ) async throws -> DashboardMessage? {
    _ = try await call(ChooseMembers.self, .init(id: id, leftOut: runs))
    return nil
  }

  private func formAdder() throws -> FormAdder {
    FormAdder(service: try currentService(), filesAreHere: filesAreHere)
  }

  private func message(for effect: ServiceEffect) async throws -> DashboardMessage? {
    switch effect {
    case .subscribe(let viewport):
      guard wantedViewport.withLock({ $0 }) == viewport else { return nil }
      _ = try await call(SubscribeViewport.self, viewport)
      return nil
    case .control(let verb, let selection):
      return .commandFinished(try await control(verb, selection))
    case .add(let specs):
      let surroundings = CollectionSurroundings(reconnection.context)
      let (count, first) = try await formAdder().add(specs.map(surroundings.completed))
      return .commandFinished(.added(count: count, first: first))
    case .findDuplicates(let urls): return .duplicatesFound(try await formAdder().find(urls))
    case .remove(let selection, let withFile):
      return .commandFinished(try await remove(selection, withFile: withFile))
    case .relink(let id, let link):
      let result = try await call(RelinkTransfer.self, .init(id: id, link: link))
      return .commandFinished(.relinked(id, hasLogin: link.login != nil, refused: result.refused))
    case .limit(let selection, let bytesPerSecond):
      let result = try await call(
        LimitSpeed.self, .init(selection: selection, bytesPerSecond: bytesPerSecond))
      return .commandFinished(
        .limited(selection, bytesPerSecond: bytesPerSecond, refused: result.refused))
    case .move(let selection, let move):
      let result = try await call(MoveTransfers.self, .init(selection: selection, way: move))
      return .commandFinished(.moved(appliedCount: result.applied.count))
    case .prioritize(let selection, let priority):
      let result = try await call(
        PrioritizeTransfers.self, .init(selection: selection, priority: priority))
      return .commandFinished(.prioritized(priority, appliedCount: result.applied.count))
    case .assign(let selection, let queue):
      let result = try await call(AssignTransfers.self, .init(selection: selection, queue: queue))
      return .commandFinished(
        .assigned(queue, appliedCount: result.applied.count, refused: result.refused))
    case .configure(let setting):
      return .commandFinished(try await configure(setting))
    case .clearFinished:
      let result = try await call(ClearFinished.self, .init())
      return .commandFinished(.cleared(count: result.clearedCount))
    case .find(let search):
      return .found(search, try await call(FindTransfer.self, search).found)
    case .reset:
      let result = try await call(ResetTransfers.self, .init())
      return .commandFinished(
        .reset(deletedCount: result.deletedPaths.count, keptPaths: result.keptPaths))
    case .bin(let request): return .commandFinished(try await perform(request))
    case .loadHosts: return try await hosts()
    case .sumFinished(let since):
      let sum = try await call(SumFinished.self, .init(since: since))
      return .finishedSummed(since: since, byteCount: sum.completedByteCount)
    case .loadDetails(let id):
      return .detailsArrived(try await call(DescribeTransfer.self, .init(id: id)))
    case .loadMembers(let id, let first): return try await members(of: id, from: first)
    case .chooseMembers(let id, let runs): return try await choose(id, leavingOut: runs)
    case .startService:
      try await startService()
      return nil
    case .openFile(let path):
      try open(path)
      return nil
    case .openPage(let page): return .commandFinished(open(page))
    case .remember: return nil  // Stored by `perform`, which waits for nothing.
    }
  }

  private func control(
    _ verb: ControlVerb, _ selection: TransferSelection
  ) async throws -> CommandOutcome {
    let result = try await call(ControlTransfers.self, .init(control: verb, selection: selection))
    return .controlled(
      verb, appliedCount: result.applied.count, refused: result.refused, bin: result.bin)
  }

  private func remove(
    _ selection: TransferSelection, withFile: Bool
  ) async throws -> CommandOutcome {
    let result = try await call(
      ControlTransfers.self,
      .init(control: withFile ? .removeWithFile : .remove, selection: selection))
    return .removed(count: result.applied.count, keptPaths: (result.keptFiles ?? []).map(\.path))
  }

  /// Changes a key of the configuration file. Throws if the file is on another machine.
  private func configure(_ setting: ConfiguredKey) async throws -> CommandOutcome {
    guard filesAreHere else {
      throw UsageError(.command(.notOverHost(command: "kettle config set")))
    }
    let context = reconnection.context
    var configuration = try UserConfiguration.toChange(in: context)
    do {
      try configuration.set(setting.key, to: setting.words)
    } catch let error as ConfigurationError {
      // The screen has one line, and the file does not have the value.
      guard case .refused(let problem) = error.what,
        case .wrongValue(let key, mustBe: let values) = problem.what
      else { throw error }
      return .failed(sentence: "\(key) must be \(values)")
    }
    try configuration.write()
    let result = try await ConfigReloadCommand.result(ofChanging: setting.key, in: context)
    return .configured(
      setting, notices: result.map { $0.notices + $0.pending.map(Sentences.appliesLater) } ?? [])
  }

  private func perform(_ request: BinRequest) async throws -> CommandOutcome {
    switch request {
    case .list: return .binListed(try await call(ListBin.self, .init()).actions)
    case .undo(let number):
      let undone = try await call(UndoAction.self, .init(number: number))
      return .undone(
        UndoOutcome(
          undone.kind, restoredCount: undone.restored.count + undone.uncoveredCount,
          busyCount: undone.busy.count, busyByteCount: undone.busyByteCount ?? 0,
          changedCount: undone.changedCount ?? 0))
    case .empty:
      _ = try await call(EmptyBin.self, .init())
      return .binEmptied
    }
  }

  /// Starts the service. The task that maintains the connection then finds it running.
  private func startService() async throws {
    let service = try await reconnection.connect(startIfNeeded: true, mayAsk: false)
    await service.close()
  }
}

// MARK: - Opening files and pages

extension DashboardSession {
  private var opener: FileOpener {
    FileOpener(environment: reconnection.context.environment, filesAreHere: filesAreHere)
  }

  /// Opens a page on this machine, wherever the service is.
  private func open(_ page: TransferURL) -> CommandOutcome {
    do throws(FileOpener.Problem) {
      try opener.open(page) { [output] problem in
        let sentence = Sentences.ofPage(problem)
        output.yield(.commandFinished(.openedPage(page, problem: sentence)))
      }
      return .openedPage(page)
    } catch {
      return .openedPage(page, problem: Sentences.ofPage(error))
    }
  }

  private func open(_ path: String) throws {
    try opener.open(path) { [output] problem in
      output.yield(.commandFinished(.failed(sentence: Sentences.of(problem))))
    }
  }
}

/// Sends the requests of the add form to the service.
struct FormAdder {
  let service: any ServiceCalling
  let filesAreHere: Bool

  /// Returns how many were added, and the first of them. Throws `PartialAddError` with that count
  /// if it fails midway.
  func add(_ specs: [TransferSpec]) async throws -> (count: Int, first: TransferID?) {
    let specs = try resolved(specs)
    var count = 0
    var first: TransferID?
    do {
      for batch in TransferAdder.batches(specs) {
        let ids = try await TransferAdder(service: service).add(batch)
        first = first ?? ids.first
        count += ids.count
      }
    } catch {
      throw count == 0 ? error : PartialAddError(count: count, error: error)
    }
    return (count, first)
  }

  /// Returns the specs with the directories as the service needs them, after checking that each
  /// exists: a missing directory is better reported while the form is open than by a failed
  /// transfer.
  private func resolved(_ specs: [TransferSpec]) throws -> [TransferSpec] {
    guard filesAreHere else { return specs }
    var paths: [String: String] = [:]
    for directory in Set(specs.compactMap(\.directory)) where ObjectPrefix(directory) == nil {
      paths[directory] = try ArgumentPath.writableDirectory(directory, from: "/").get()
    }
    return specs.map { spec in
      var spec = spec
      spec.directory = spec.directory.map { paths[$0] ?? $0 }
      return spec
    }
  }

  /// Returns, for each URL on the list, the first transfer with it.
  func find(_ urls: [String]) async throws -> [String: DuplicateSearch.Found] {
    try await ListedURLs(service: service).find(urls).mapValues {
      .init(id: $0.id, state: $0.state)
    }
  }
}

/// An error that occurred after some transfers had been added.
struct PartialAddError: Error {
  var count: Int
  var error: any Error
}
