import KettleCurl
import KettleEngine
import KettleModel
import Synchronization
import TestSupport

/// A real transport that records its events in order.
final class TransportProbe: Sendable {
  let transport: CurlTransport
  let reported = Monitor<[TransportEvent]>([])
  private let lastID = Atomic<UInt64>(0)

  init(
    certificates: TrustedCertificates = TrustedCertificates(environment: [:]),
    proxies: ProxyRules = .none, knownAddresses: [String] = [],
    knownScopes: [IPAddress: AddressScope] = [:],
    onEvent: @escaping @Sendable (TransportEvent) -> Void = { _ in }
  ) throws {
    transport = try CurlTransport(
      events: { [reported] event in
        reported.update { $0.append(event) }
        onEvent(event)
      },
      settings: CurlSettings(
        userAgent: "Kettle/test", certificates: certificates, proxies: proxies,
        knownAddresses: knownAddresses, knownScopes: knownScopes))
  }

  func nextID() -> AttemptID {
    AttemptID(rawValue: lastID.wrappingAdd(1, ordering: .relaxed).newValue)
  }

  /// Begins an attempt and returns its id.
  @discardableResult
  func begin(
    _ url: TransferURL, _ change: (inout AttemptRequest) -> Void = { _ in }
  ) -> AttemptID {
    var request = AttemptRequest(id: nextID(), transfer: TransferID(rawValue: 1), url: url)
    change(&request)
    transport.begin(request)
    return request.id
  }

  /// Begins an attempt, accepts its body, and waits for its end.
  func fetch(
    _ url: TransferURL, into sink: RecordingSink = RecordingSink(),
    _ change: (inout AttemptRequest) -> Void = { _ in }
  ) async throws -> Fetched {
    let id = begin(url, change)
    let head = try await headOrEnd(of: id)
    if head != nil { transport.accept(id, into: sink) }
    return Fetched(head: head, bytes: { sink.bytes }, end: try await end(of: id))
  }

  struct Fetched {
    var head: ResponseHead?
    var bytes: () -> [UInt8]
    var end: AttemptEnd
  }

  // MARK: Waiting

  func head(of id: AttemptID) async throws -> ResponseHead {
    try await reported.wait(for: "the head of attempt \(id.rawValue)") { $0.head(of: id) != nil }
      .head(of: id) ?? ResponseHead(status: 0, headers: [])
  }

  /// nil when the attempt ended without a head.
  func headOrEnd(of id: AttemptID) async throws -> ResponseHead? {
    try await reported.wait(for: "an event of attempt \(id.rawValue)") {
      $0.head(of: id) != nil || !$0.ends(of: id).isEmpty
    }.head(of: id)
  }

  func end(of id: AttemptID) async throws -> AttemptEnd {
    try await reported.wait(for: "the end of attempt \(id.rawValue)") { !$0.ends(of: id).isEmpty }
      .ends(of: id).first ?? .cancelled
  }

  /// All ends of an attempt, after the last event.
  func endsAfterShutDown(of id: AttemptID) -> [AttemptEnd] {
    transport.shutDown()
    return reported.read { $0.ends(of: id) }
  }
}

extension [TransportEvent] {
  func head(of id: AttemptID) -> ResponseHead? {
    for case .headReceived(id, let head, _, _) in self { return head }
    return nil
  }

  func headCount(of id: AttemptID) -> Int {
    count { if case .headReceived(id, _, _, _) = $0 { true } else { false } }
  }

  func ends(of id: AttemptID) -> [AttemptEnd] {
    compactMap { if case .ended(id, let end) = $0 { end } else { nil } }
  }
}

extension AttemptEnd {
  var failure: TransferFailure? {
    if case .failed(let failure) = self { failure } else { nil }
  }
}
