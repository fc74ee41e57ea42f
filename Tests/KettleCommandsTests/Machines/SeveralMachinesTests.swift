import KettleControl
import KettleDashboard
import KettleModel
import KettleSocket
import KettleStarter
import KettleSystem
import Testing

@testable import KettleCommands

/// The services of several machines as one, over services in memory.
@Suite(.timeLimit(.minutes(5)))
struct SeveralMachinesTests {
  private let connector = MachinesConnector(["nas", "box"])

  private var context: CommandContext {
    var context = FakeContext().context
    context.services = connector
    return context
  }

  private func open(startIfNeeded: Bool = true) async throws -> SeveralMachines {
    var address = context.address
    address.machines = try ["nas", "box"].map { .remote(try #require(RemoteHost($0))) }
    address.host = address.machines.first?.host
    let reconnection = Reconnection(context: context, address: address, client: "test")
    let service = try await reconnection.connect(startIfNeeded: startIfNeeded)
    return try #require(service as? SeveralMachines)
  }

  private func id(_ own: Int64, _ index: Int) -> TransferID {
    TransferID(rawValue: own * 64 + Int64(index))
  }

  /// Waits for the first window that has this property.
  private func window(
    of machines: SeveralMachines, where holds: (RowWindow) -> Bool
  ) async -> RowWindow? {
    for await notification in machines.notifications {
      if case .viewport(let window) = notification, holds(window) { return window }
    }
    return nil
  }

  private func shown(_ window: RowWindow?) -> [String] {
    window?.rows.map { "\($0.machine ?? "")\(MachineIDs.own($0.id))" } ?? []
  }

  @Test func `the rows of all machines are one list, which follows their changes`() async throws {
    connector.services["nas"]?.have([snapshot(1, .paused, title: "b"), snapshot(2, .paused)])
    connector.services["box"]?.have([snapshot(1, .paused, title: "a")])
    let machines = try await open()
    let viewport = Viewport(sort: RowSort(key: .title), count: 10, tag: 44)
    _ = try await machines.call(SubscribeViewport.self, viewport)
    let first = await window(of: machines) { $0.rows.count == 3 }
    #expect(shown(first) == ["box1", "nas1", "nas2"])
    #expect(first?.tag == 44)
    #expect(first?.totals.machines == MachinesGlance(names: ["nas", "box"]))
    connector.services["box"]?.have([])
    let second = await window(of: machines) { $0.rows.count < 3 }
    #expect(shown(second) == ["nas1", "nas2"])
    await machines.close()
  }

  @Test func `controls reach the machine of each transfer`() async throws {
    let machines = try await open()
    let result = try await machines.call(
      ControlTransfers.self,
      .init(control: .pause, selection: .ids([id(5, 1), id(2, 0), id(4, 1)])))
    #expect(result.applied == [id(2, 0), id(5, 1), id(4, 1)])
    _ = try await machines.call(ControlTransfers.self, .init(control: .start, selection: .all))
    let filter = RowFilter(machine: "box")
    _ = try await machines.call(
      LimitSpeed.self, .init(selection: .matching(filter, except: []), bytesPerSecond: 9))
    #expect(
      connector.services["nas"]?.asked == [
        .control(.pause, .ids([TransferID(rawValue: 2)])), .control(.start, .all),
      ])
    #expect(
      connector.services["box"]?.asked == [
        .control(.pause, .ids([TransferID(rawValue: 5), TransferID(rawValue: 4)])),
        .control(.start, .all), .limit(.matching(RowFilter(), except: []), 9),
      ])
    await machines.close()
  }

  @Test func `a machine that is lost has no rows, and has them again when it is back`()
    async throws
  {
    connector.services["nas"]?.have([snapshot(1, .paused)])
    connector.services["box"]?.have([snapshot(7, .paused)])
    let machines = try await open()
    _ = try await machines.call(SubscribeViewport.self, Viewport(count: 10))
    #expect(shown(await window(of: machines) { $0.rows.count == 2 }) == ["nas1", "box7"])
    connector.refuses("box", true)
    connector.services["box"]?.breakConnection()
    let lost = await window(of: machines) { $0.rows.count == 1 }
    #expect(shown(lost) == ["nas1"])
    #expect(lost?.totals.machines?.missing.map(\.name) == ["box"])
    let hosts = try await machines.call(ListHosts.self, Nothing())
    #expect(hosts.machines?.map(\.isLost) == [false, true])
    await #expect(throws: MachineMissing(name: "box")) {
      _ = try await machines.call(
        ControlTransfers.self, .init(control: .pause, selection: .ids([id(7, 1)])))
    }
    // What means all machines means those that are there.
    _ = try await machines.call(ControlTransfers.self, .init(control: .pause, selection: .all))
    connector.refuses("box", false)
    let back = await window(of: machines) { $0.rows.count == 2 }
    #expect(shown(back) == ["nas1", "box7"])
    #expect(back?.totals.machines?.missing == [])
    await machines.close()
  }

  @Test func `a machine that cannot be reached at the start is missing, with its reason`()
    async throws
  {
    connector.services["nas"]?.have([snapshot(1, .paused)])
    connector.refuses("box", true)
    let machines = try await open()
    let status = try await machines.call(ServiceStatus.self, Nothing())
    #expect(status.notices == [ClientError.connectionLost.sentence])
    _ = try await machines.call(SubscribeViewport.self, Viewport(count: 10))
    let window = await window(of: machines) { !$0.rows.isEmpty }
    #expect(window?.totals.machines?.missing.map(\.name) == ["box"])
    await machines.close()
    connector.refuses("nas", true)
    await #expect(throws: ClientError.connectionLost) { _ = try await open() }
  }

  @Test func `an anchor far down is found`() async throws {
    connector.services["nas"]?.have((1...30).map { snapshot($0, .paused, title: "a\($0 + 10)") })
    connector.services["box"]?.have((1...30).map { snapshot($0, .paused, title: "b\($0 + 10)") })
    let machines = try await open()
    let viewport = Viewport(
      sort: RowSort(key: .title), count: 10, anchor: id(20, 1), tag: 3)
    _ = try await machines.call(SubscribeViewport.self, viewport)
    let found = await window(of: machines) { $0.anchorIndex != nil }
    #expect(found?.anchorIndex == 49)
    #expect(found?.rows.count == 10)
    let search = RowSearch(
      filter: RowFilter(), sort: RowSort(key: .title), text: "b15", start: nil, startIndex: 0)
    #expect(
      try await machines.call(FindTransfer.self, search).found
        == FoundRow(id: id(5, 1), index: 34, hasWrapped: false))
    await machines.close()
  }

  @Test func `undo takes back the latest action of all machines`() async throws {
    for (name, time) in [("nas", Int64(50)), ("box", 60)] {
      let action = BinAction(number: 4, kind: .stop, at: WallTime(millisecondsSince1970: time))
      connector.services[name]?.inner.have([BinSnapshot(action)])
    }
    let machines = try await open()
    _ = try await machines.call(UndoAction.self, .init())
    #expect(connector.services["nas"]?.asked == [])
    #expect(connector.services["box"]?.asked == [.undo(4)])
    await machines.close()
  }

  @Test func `what cannot be asked of several machines is refused`() async throws {
    let machines = try await open()
    await #expect(throws: ControlError(.notOffered, StopService.name)) {
      _ = try await machines.call(StopService.self, Nothing())
    }
    await machines.close()
  }

  @Test func `new transfers go to the first machine`() async throws {
    let machines = try await open()
    guard case .success(let parsed) = TransferURL.parse("https://a.org/1") else { return }
    let added = try await machines.call(
      AddTransfers.self, .init(transfers: [TransferSpec(url: parsed.url)]))
    #expect(added.ids.map { MachineIDs.index(of: $0) } == [0])
    #expect(connector.services["box"]?.asked == [])
    await machines.close()
  }

  @Test func `the list command names the machine and its own ids`() async throws {
    connector.services["nas"]?.have([snapshot(3, .paused, title: "a")])
    connector.services["box"]?.have([snapshot(3, .paused, title: "b")])
    var fake = FakeContext()
    fake.services = connector
    let all = await fake.run("list", "--host", "nas", "--host", "box")
    #expect(all.code == 0)
    let lines = all.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(lines.dropFirst().prefix(2).map { $0.first } == ["3", "3"])
    #expect(lines[0].contains("MACHINE"), "\(all.output)")
    connector.refuses("nas", true)
    fake = FakeContext()
    fake.services = connector
    let rest = await fake.run("list", "--json", "--host", "nas", "--host", "box")
    #expect(rest.code == 3)
    #expect(rest.output.contains("\"machine\": \"box\""), "\(rest.output)")
    #expect(!rest.output.contains("\"nas\""))
  }
}

/// Connects to a service in memory for each machine.
final class MachinesConnector: ServiceConnector {
  let services: [String: ListedService]
  private let refusing = Mutex<Set<String>>([])

  init(_ names: [String]) {
    services = Dictionary(uniqueKeysWithValues: names.map { ($0, ListedService()) })
  }

  func refuses(_ name: String, _ isRefusing: Bool) {
    refusing.withLock { names in
      if isRefusing { names.insert(name) } else { names.remove(name) }
    }
  }

  func connect(
    to address: ServiceAddress, client: ClientIdentity, startIfNeeded: Bool
  ) async throws -> any ServiceCalling {
    // The clock does not wait, so whoever tries again would never let others run.
    await Task.yield()
    let name = address.host?.text ?? "local"
    guard let service = services[name], !refusing.withLock({ $0.contains(name) }) else {
      throw ClientError.connectionLost
    }
    return service
  }

  func pipe(to address: ServiceAddress, startIfNeeded: Bool) async throws {}
  func socketPath(of address: ServiceAddress) -> String { "" }
  func socketExists(of address: ServiceAddress) -> Bool { false }
  func process(of address: ServiceAddress) -> (any RunningService)? { nil }
}

/// A service in memory that sends the rows of its viewport.
final class ListedService: ServiceCalling {
  let inner = FakeService()
  private let viewport = Mutex<Viewport?>(nil)
  private let rows = Mutex<[TransferSnapshot]>([])

  var notifications: AsyncStream<ControlNotification> { inner.notifications }
  var instance: String? { nil }
  var asked: [FakeService.Asked] {
    inner.asked.filter { asked in
      switch asked {
      case .subscribe, .news, .status: false
      default: true
      }
    }
  }

  func have(_ next: [TransferSnapshot]) {
    rows.withLock { $0 = next }
    inner.changeRows { $0 = next }
    send()
  }

  func breakConnection() {
    viewport.withLock { $0 = nil }
    inner.breakConnection()
  }

  func close() async {}

  private func window(_ viewport: Viewport) -> RowWindow {
    let test = RowTest(viewport.filter)
    let all = rows.withLock { $0 }.filter { test.passes($0) }.sorted {
      viewport.sort.key(of: $0) < viewport.sort.key(of: $1)
    }
    return RowWindow(
      first: viewport.first, matchingCount: all.count,
      rows: Array(all.dropFirst(viewport.first).prefix(viewport.count)), totals: Totals(),
      anchorIndex: all.firstIndex { $0.id == viewport.anchor }, tag: viewport.tag)
  }

  private func send() {
    guard let viewport = viewport.withLock({ $0 }) else { return }
    inner.send(.viewport(window(viewport)))
  }

  func call<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params
  ) async throws -> Method.Result {
    if let wanted = params as? Viewport {
      if let list = window(wanted) as? Method.Result { return list }
      viewport.withLock { $0 = wanted }
      send()
    }
    return try await inner.call(method, params)
  }
}
