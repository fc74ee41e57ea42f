import Dispatch
import KettleModel

/// Reports whether this machine has a route to other machines: once at the start, then whenever
/// that changes, and also when the route or an address of this machine changes. An address that is
/// removed and added again within moments counts too: its connections may be gone. The
/// kernel's events prompt each check, so nothing wakes up while nothing happens.
package final class NetworkWatch: Sendable {
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let source: any DispatchSourceRead

  /// Watches the network namespace of the calling thread.
  ///
  /// - Parameters:
  ///   - settling: How long changes are gathered: switching networks causes many.
  ///   - observer: Called on its own queue.
  package init(
    settling: Duration = .milliseconds(300),
    observer: @escaping @Sendable (NetworkState) -> Void
  ) throws(NetworkWatchError) {
    let events = try NetlinkSocket()
    try events.subscribe()
    let queue = DispatchQueue(label: "kettle.network")
    let probe = NetworkProbe(
      requests: try NetlinkSocket(), queue: queue, settling: settling, observer: observer)
    source = DispatchSource.makeReadSource(fileDescriptor: events.descriptor, queue: queue)
    source.setEventHandler {
      draining: while true {
        switch events.receive() {
        case .message(let bytes): probe.note(RouteMessage.parse(bytes))
        case .overflow: continue
        case .nothing: break draining
        }
      }
      probe.readSoon()
    }
    // The descriptor must live until the source is done with it.
    source.setCancelHandler { withExtendedLifetime(events) {} }
    source.activate()
    queue.async { probe.read() }
  }

  /// Stops watching; the observer may be called once more.
  package func stop() { source.cancel() }

  deinit { source.cancel() }
}

/// Reads the state of the network and reports changes. It is Sendable because all its mutable state
/// is used on `queue` alone.
private final class NetworkProbe: @unchecked Sendable {
  private enum Plan {
    case none
    case scheduled
  }

  /// Whether an address was removed since the last report.
  private enum Removal {
    case none
    case seen
  }

  private let requests: NetlinkSocket
  private let queue: DispatchQueue
  private let settling: Duration
  private let observer: @Sendable (NetworkState) -> Void
  // Used on `queue` only, like the rest.
  private var plan = Plan.none
  private var removal = Removal.none
  private var reported: NetworkSnapshot?
  private var sequence: UInt32 = 0

  init(
    requests: NetlinkSocket, queue: DispatchQueue, settling: Duration,
    observer: @escaping @Sendable (NetworkState) -> Void
  ) {
    self.requests = requests
    self.queue = queue
    self.settling = settling
    self.observer = observer
  }

  /// Notes what a report must not miss, even if it was undone by then.
  func note(_ messages: [RouteMessage]) {
    let hasRemoval = messages.contains { message in
      if case .addressRemoved(let address) = message { address.leadsToOthers } else { false }
    }
    if hasRemoval { removal = .seen }
  }

  /// Reads when no further change has followed for a while.
  func readSoon() {
    guard case .none = plan else { return }
    plan = .scheduled
    let (seconds, attoseconds) = settling.components
    let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { [weak self] in self?.read() }
  }

  /// Reads the state and reports it if it changed.
  func read() {
    plan = .none
    // An unanswered request changes nothing; the next change triggers another.
    guard let snapshot = snapshot(), snapshot != reported || removal == .seen else { return }
    removal = .none
    let isNews = snapshot.state != reported?.state || snapshot.state == .present
    reported = snapshot
    if isNews { observer(snapshot.state) }
  }

  private func snapshot() -> NetworkSnapshot? {
    var snapshot = NetworkSnapshot()
    // AF_UNSPEC, AF_INET, AF_INET6
    for (type, family) in [
      (NetlinkSocket.linkDump, UInt8(0)), (NetlinkSocket.addressDump, 0),
      (NetlinkSocket.routeDump, 2), (NetlinkSocket.routeDump, 10),
    ] {
      sequence &+= 1
      guard (try? requests.requestDump(type, family: family, sequence: sequence)) != nil else {
        return nil
      }
      guard collect(into: &snapshot) else { return nil }
    }
    return snapshot
  }

  /// Reads to the end of the dump. Returns false when it does not arrive.
  private func collect(into snapshot: inout NetworkSnapshot) -> Bool {
    while requests.wait(milliseconds: 1000) {
      guard case .message(let bytes) = requests.receive() else { return false }
      for message in RouteMessage.parse(bytes, answering: sequence) {
        switch message {
        // A kernel without IPv6 has no IPv6 routes.
        case .done, .failed: return true
        case .link, .route, .address, .addressRemoved, .other: snapshot.apply(message)
        }
      }
    }
    return false
  }
}

/// The interfaces, addresses and routes of the machine at one moment.
struct NetworkSnapshot: Hashable, Sendable {
  private(set) var linksLeadingOut: Set<Int32> = []
  private(set) var routes: Set<NetworkRoute> = []
  private(set) var addresses: Set<NetworkAddress> = []

  mutating func apply(_ message: RouteMessage) {
    switch message {
    case .link(let link):
      if link.leadsOut { linksLeadingOut.insert(link.index) }
    case .route(let route):
      // Of a router's many routes, one that leads out is enough.
      if route.leadsToOthers, routes.count < 1000 { routes.insert(route) }
    case .address(let address):
      if address.leadsToOthers, addresses.count < 1000 { addresses.insert(address) }
    case .addressRemoved, .done, .failed, .other: break
    }
  }

  /// A route that names no interface (its hops are separate objects, ip-nexthop(8)) may lead out of
  /// any.
  ///
  /// A network without a gateway counts, because the server may be on the same network. Mistaking a
  /// dead end for a route costs a failed attempt; the opposite would delay transfers.
  var state: NetworkState {
    guard !linksLeadingOut.isEmpty else { return .absent }
    let leadsOut = routes.contains { route in
      route.links.isEmpty || route.links.contains { linksLeadingOut.contains($0) }
    }
    return leadsOut ? .present : .absent
  }
}
