#if Fleet
import Glibc
import KettleControl
import KettleFleet
import KettleModel

/// Handles client requests with the fleet's queue.
struct FleetRequests: FleetDoor {
  private let queue: FleetQueue
  private let look: FleetLook
  private let information: ServiceInformation
  private let added = AddedRequests()
  private let coder = ReplyCoder()

  /// - Parameter interval: between two questions whether something has changed; nil if only `tick`
  ///   asks.
  init(
    _ service: any FleetService, _ information: ServiceInformation,
    now: @escaping @Sendable () -> WallTime, interval: Duration? = .seconds(1)
  ) {
    queue = FleetQueue(service: service)
    look = FleetLook(queue, now: now, interval: interval)
    self.information = information
  }

  func leave(_ id: ClientID) { look.leave(id) }

  /// Asks the database whether something has changed, as it otherwise does each second.
  func tick() async { _ = await look.tick() }

  func answer(
    _ request: ControlRequest, id: RequestID, for client: ConnectedClient
  ) async throws(ControlError) -> [UInt8] {
    switch request {
    case .hello:
      guard queue.standing != nil else { throw ControlError(.noFleet, "") }
      return coder.encode(result: Hello.Result(instance: information.instance), to: id)
    case .add(let params):
      let ids = try await add(
        requestID: params.requestID, params.transfers, on: params.on, at: params.paths)
      return coder.encode(result: AddTransfers.Result(ids: ids), to: id)
    case .addURLs(let params):
      let ids = try await add(requestID: params.requestID, params.transfers, on: params.on)
      return coder.encode(result: AddURLs.Result(runs: IDRuns(ids)), to: id)
    case .list(let viewport):
      return coder.encode(result: try await look.list(viewport, for: client), to: id)
    case .listIDs(let params):
      let filter = try FleetFilter(params.filter)
      let ids = try await queue.ask { board throws(FleetError) in try board.ids(matching: filter) }
      return coder.encode(result: ListIDs.Result(runs: IDRuns(ids.map(TransferID.init))), to: id)
    case .describe(let params): return coder.encode(result: try await describe(params.id), to: id)
    case .verify(let params):
      return coder.encode(result: try await FleetFiles(queue: queue).verify(params), to: id)
    case .control(let params): return coder.encode(result: try await control(params), to: id)
    case .findURLs: return coder.encode(result: FindURLs.Result(found: []), to: id)
    case .listQueues: return coder.encode(result: ListQueues.Result(queues: []), to: id)
    case .news: return coder.encode(result: ReportNews.Result(), to: id)
    case .listHosts:
      let machines = try await queue.ask { board throws(FleetError) in try board.hosts() }
      return coder.encode(result: ListHosts.Result(hosts: [], machines: machines), to: id)
    case .subscribe(let viewport):
      try await look.subscribe(client, to: viewport)
      return coder.encode(result: Nothing(), to: id)
    case .watch(let params):
      try await look.watch(params, by: client)
      return coder.encode(result: Nothing(), to: id)
    case .status:
      return coder.encode(result: information.status(totals: await look.totals()), to: id)
    case .fleet(let request): return coder.encode(result: try await manage(request), to: id)
    case .find, .relink, .begin, .limit, .move, .prioritize, .assign, .clear, .sum, .follow,
      .syncCollection, .compareCollection, .listMembers, .chooseMembers, .reset, .resetHost,
      .forgetHost, .listBin, .undo, .emptyBin, .stop, .reload, .describeRPC, .attachSession,
      .listSessions, .finishEvents, .adoptSession, .dropSession, .cancelTasks, .acknowledgeTasks,
      .updateTask, .answerChallenge:
      throw ControlError(.notOffered, request.method)
    }
  }

  // MARK: The list

  private func describe(_ id: TransferID) async throws(ControlError) -> TransferDetails {
    let wanted = [FleetTransferID(id)]
    let rows = try await queue.ask { board throws(FleetError) in try board.rows(wanted) }
    guard let row = rows.first else { throw ControlError(.unknownTransfer, id.description) }
    var details = TransferDetails(snapshot: TransferSnapshot(row))
    details.directory = row.directory
    return details
  }

  private func control(
    _ params: ControlTransfers.Params
  ) async throws(ControlError) -> ControlTransfers.Result {
    if let consequence = FileErrandRequest.Consequence(params.control) {
      return try await FleetFiles(queue: queue).compare(params.selection, consequence)
    }
    let control = try FleetControl(params)
    let reply = try await queue.ask { board throws(FleetError) in try board.control(control) }
    // Why a control was refused is in the rows.
    let refused = Array(reply.refused.prefix(Self.describedCountMax))
    let rows =
      refused.isEmpty
      ? [] : try await queue.ask { board throws(FleetError) in try board.rows(refused) }
    let states = Dictionary(rows.map { ($0.id, $0.state) }) { first, _ in first }
    return ControlTransfers.Result(
      applied: reply.applied.map(TransferID.init),
      refused: reply.refused.map {
        ControlRefusal(id: TransferID($0), why: states[$0]?.whyNot(control.verb) ?? .busy)
      } + reply.unknown.map { ControlRefusal(id: TransferID($0), why: .unknown) })
  }

  private static let describedCountMax = 1000

  // MARK: Adding

  /// The most orders that are added in one transaction; a longer request is not added all or none.
  private static let batchCountMax = 5000
  /// Each of these is one for every machine.
  private static let copiedCountMax = 100

  private func add(
    requestID: String?, _ specs: [TransferSpec], on place: String?, at paths: [MemberPath]? = nil
  ) async throws(ControlError) -> [TransferID] {
    let outcome = await added.outcome(of: requestID) { [queue, information] in
      do throws(ControlError) {
        var ids: [TransferID] = []
        let orders = specs.map(information.withoutOwnProxies)
        for addition in try Self.additions(orders, on: place, at: paths) {
          ids += try await queue.ask { board throws(FleetError) in
            try board.add(addition).map(TransferID.init)
          }
        }
        return .success(ids)
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }

  /// The priority and the beginning are those of an addition, so that a list with one of each is
  /// one.
  private static func additions(
    _ specs: [TransferSpec], on place: String?, at paths: [MemberPath]?
  ) throws(ControlError) -> [FleetAddition] {
    var additions: [FleetAddition] = []
    let countMax = place == FleetRequest.allMachines ? copiedCountMax : batchCountMax
    for (index, spec) in specs.enumerated() {
      guard spec.session == .kettle else {
        throw ControlError(.notOffered, "transfers[\(index)].session")
      }
      let order: FleetOrder
      do throws(FleetOrderProblem) {
        order = try FleetOrder(spec, at: paths.flatMap { index < $0.count ? $0[index] : nil })
      } catch {
        throw ControlError(.notOffered, "transfers[\(index)].\(error.part)")
      }
      let next = FleetAddition(
        orders: [order], on: place, priority: spec.priority.value,
        isPaused: spec.beginning != .queued)
      if let last = additions.last, last.priority == next.priority,
        last.isPaused == next.isPaused, last.orders.count < countMax
      {
        additions[additions.count - 1].orders.append(order)
      } else {
        additions.append(next)
      }
    }
    return additions
  }
}

// MARK: - The fleet itself

extension FleetRequests {
  func manage(_ request: FleetRequest) async throws(ControlError) -> ManageFleet.Result {
    switch request {
    case .initialize(let database):
      try await queue.change { service throws(FleetError) in
        try await service.initialize(database: database)
      }
    case .join(let database, let name, let labels, let take, let roots, let share):
      var settings = settings(database, name)
      settings.labels = labels
      settings.take = take ?? FleetRequest.takeUsual
      if !roots.isEmpty { settings.roots = roots }
      settings.shareAddress = share
      try await queue.change { service throws(FleetError) in try await service.join(settings) }
      return ManageFleet.Result(standing: queue.standing)
    case .leave(let isDraining):
      guard queue.standing != nil else { throw ControlError(.noFleet, "") }
      try await queue.change { service throws(FleetError) in
        try await service.leave(isDraining: isDraining)
      }
    case .status: return ManageFleet.Result(standing: queue.standing)
    case .hosts:
      return ManageFleet.Result(
        hosts: try await queue.ask { board throws(FleetError) in try board.hosts() })
    case .origins:
      return ManageFleet.Result(
        origins: try await queue.ask { board throws(FleetError) in try board.origins() })
    case .setOrigin(let origin, let shares, let connections):
      try await queue.ask { board throws(FleetError) in
        try board.setOrigin(origin, shares: shares, connections: connections)
      }
    case .limit(let bytesPerSecond):
      try await queue.ask { board throws(FleetError) in
        try board.setLimit(bytesPerSecond: bytesPerSecond)
      }
    case .drain(let host, let isDraining):
      try await queue.ask { board throws(FleetError) in try board.drain(host: host, isDraining) }
    case .doctor:
      var health = try await queue.ask { board throws(FleetError) in try board.doctor() }
      health.destinations = await queue.service.destinations()
      return ManageFleet.Result(standing: queue.standing, health: health)
    }
    return ManageFleet.Result()
  }

  /// What this machine keeps when it joins again: its name and secret, and its roots.
  private func settings(_ database: String, _ name: String?) -> FleetSettings {
    let current = queue.secretStanding?.settings
    let named = name ?? current?.name ?? Self.hostName
    let isSame = current?.name == named && current?.database == database
    let random = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 16) }
    return FleetSettings(
      database: database, name: named, secret: isSame ? current?.secret ?? "" : random.joined(),
      labels: [], take: 0,
      roots: current?.roots ?? [information.places?.downloadsDirectory].compactMap(\.self))
  }

  private static let unnamedHost = "host"

  /// The name of this machine (gethostname(2)), up to the first dot.
  private static var hostName: String {
    var bytes = [CChar](repeating: 0, count: 65)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return unnamedHost }
    let name = bytes.prefix { $0 != 0 && $0 != CChar(UInt8(ascii: ".")) }.map(
      UInt8.init(bitPattern:))
    let text = String(decoding: name, as: UTF8.self)
    return FleetRequest.isName(text) ? text : unnamedHost
  }
}

/// Asks the fleet's queue for clients, and says in their terms why it does not answer.
struct FleetQueue: Sendable {
  let service: any FleetService

  /// nil if this machine is in no fleet.
  var secretStanding: FleetStanding? { service.standing }

  /// Without the secret, which no client needs.
  var standing: FleetStanding? {
    var standing = secretStanding
    standing?.settings.secret = ""
    return standing
  }

  func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (any FleetBoard) throws(FleetError) -> Answer
  ) async throws(ControlError) -> Answer {
    guard service.standing != nil else { throw ControlError(.noFleet, "") }
    do throws(FleetError) {
      return try await service.ask(body)
    } catch {
      throw problem(error)
    }
  }

  func change(
    _ body: (any FleetService) async throws(FleetError) -> Void
  ) async throws(ControlError) {
    do throws(FleetError) {
      try await body(service)
    } catch {
      throw problem(error)
    }
  }

  private func problem(_ error: FleetError) -> ControlError {
    let since = standing?.silentSince.map { "; it has not answered since \($0.iso8601)" } ?? ""
    return ControlError(.fleet, error.words + since)
  }

  /// - Parameter problem: why the queue does not answer at the moment.
  func glance(_ problem: String? = nil, at now: WallTime) -> FleetGlance? {
    standing.map { standing in
      FleetGlance(
        name: FleetDatabase(standing.settings.database).name, problem: problem,
        silentSince: problem == nil ? nil : standing.silentSince ?? now)
    }
  }
}
#endif
