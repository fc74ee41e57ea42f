import Glibc
import KettleControl
import KettleModel
import KettleSocket
import KettleStarter

/// Measures how long the service takes for sequential requests while a dashboard is connected and
/// transfers run.
///
///     control-requests CONNECTIONS ROUNDS
///
/// Waits up to a minute until the running transfers have CONNECTIONS connections together, and
/// stops after another minute if the rounds take longer. The output is separated by tabs. The first
/// line has the number of connections at the beginning and at the end. Then follows a line for each
/// kind of request: the count and, in milliseconds, the median, the 99th percentile and the
/// maximum.
@main
struct ControlRequests {
  private struct Problem: Error {
    let sentence: String
  }

  private let service: ServiceConnection
  private var times: [String: [Double]] = [:]
  private var kinds: [String] = []

  static func main() async {
    let words = CommandLine.arguments
    guard words.count == 3, let connections = Int(words[1]), let rounds = Int(words[2]) else {
      complain("usage: control-requests CONNECTIONS ROUNDS")
      exit(2)
    }
    do {
      let paths = ServicePaths.ofThisProcess()
      let dashboard = try await ServiceConnection.connect(
        paths: paths, clientName: "control-requests")
      let service = try await ServiceConnection.connect(
        paths: paths, clientName: "control-requests")
      let reader = try await subscribe(dashboard, untilConnections: connections)
      var requests = ControlRequests(service: service)
      let before = try await requests.connectionCount()
      let deadline = ContinuousClock.now + .seconds(60)
      for round in 0..<rounds where ContinuousClock.now < deadline {
        try await requests.send(round)
      }
      let after = try await requests.connectionCount()
      reader.cancel()
      say("connections\t\(before)\t\(after)")
      requests.report()
    } catch let problem as Problem {
      complain(problem.sentence)
      exit(1)
    } catch {
      complain("\(error)")
      exit(1)
    }
  }

  private init(service: ServiceConnection) { self.service = service }

  /// Subscribes to the list as a dashboard does, and keeps the subscription.
  private static func subscribe(
    _ dashboard: ServiceConnection, untilConnections wanted: Int
  ) async throws -> Task<Void, Never> {
    _ = try await dashboard.call(SubscribeViewport.self, Viewport(count: 50))
    let deadline = ContinuousClock.now + .seconds(60)
    var notifications = dashboard.notifications.makeAsyncIterator()
    while ContinuousClock.now < deadline, let next = await notifications.next() {
      guard case .viewport(let window) = next else { continue }
      if window.rows.reduce(0, { $0 + $1.connections }) >= wanted { break }
    }
    return Task { for await _ in dashboard.notifications {} }
  }

  private func connectionCount() async throws -> Int {
    let running = Viewport(filter: RowFilter(states: [.running]), count: 1000)
    return try await service.call(ListTransfers.self, running).rows.reduce(0) {
      $0 + $1.connections
    }
  }

  // MARK: - Rounds -

  /// Sends requests of dashboards and commands: windows at several positions, one transfer,
  /// controls.
  private mutating func send(_ round: Int) async throws {
    let queued = RowFilter(states: [.queued])
    var one = Viewport(filter: queued, first: round * 7, count: 1)
    let window = try await measure("list queued", ListTransfers.self, params: one)
    guard let row = window.rows.first else {
      throw Problem(sentence: "nothing is queued")
    }
    one.first = window.matchingCount / 2
    one.count = 50
    _ = try await measure("list the middle", ListTransfers.self, params: one)
    _ = try await measure("list the top", ListTransfers.self, params: Viewport(count: 50))
    let byTitle = Viewport(sort: RowSort(key: .title, isDescending: true), count: 50)
    _ = try await measure("list by title", ListTransfers.self, params: byTitle)
    _ = try await measure("describe", DescribeTransfer.self, params: .init(id: row.id))
    try await control(row.id, .pause)
    try await control(row.id, .start)
    let url = try TransferURL.parse(row.url).get().url
    let added = try await measure(
      "add", AddTransfers.self, params: .init(transfers: [.init(url: url)]))
    for id in added.ids { try await control(id, .remove) }
  }

  private mutating func control(_ id: TransferID, _ verb: ControlVerb) async throws {
    let result = try await measure(
      verb.rawValue, ControlTransfers.self, params: .init(control: verb, selection: .ids([id])))
    guard result.applied == [id] else { throw Problem(sentence: "\(verb.rawValue) was refused") }
  }

  private mutating func measure<Method: ControlMethod>(
    _ kind: String, _ method: Method.Type, params: Method.Params
  ) async throws -> Method.Result {
    let start = ContinuousClock.now
    let result = try await service.call(method, params)
    let time = ContinuousClock.now - start
    if times[kind] == nil { kinds.append(kind) }
    times[kind, default: []].append(time / .milliseconds(1))
    return result
  }

  // MARK: - Output -

  private func report() {
    for kind in kinds {
      let sorted = (times[kind] ?? []).sorted()
      guard let longest = sorted.last else { continue }
      let most = sorted[(sorted.count * 99 + 99) / 100 - 1]
      Self.say("\(kind)\t\(sorted.count)\t\(sorted[sorted.count / 2])\t\(most)\t\(longest)")
    }
  }

  private static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDOUT_FILENO, bytes, bytes.count)
  }

  private static func complain(_ sentence: String) {
    let bytes = Array("control-requests: \(sentence)\n".utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
