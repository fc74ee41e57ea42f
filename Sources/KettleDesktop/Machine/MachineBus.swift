/// The two services of the system bus that know what the kernel does not report clearly.
struct MachineBus: Sendable {
  enum Reply: Hashable, Sendable {
    case value(BusValue)
    /// There is no such service, or it does not know.
    case none
    /// It did not reply in time; it may do so later.
    case silence
    /// The connection to the bus has ended.
    case ended
  }

  private enum Service: CaseIterable {
    case power
    case network

    var name: String {
      switch self {
      case .power: "org.freedesktop.UPower"
      case .network: "org.freedesktop.NetworkManager"
      }
    }

    var path: String {
      switch self {
      case .power: "/org/freedesktop/UPower"
      case .network: "/org/freedesktop/NetworkManager"
      }
    }

    var property: String {
      switch self {
      case .power: "OnBattery"
      case .network: "Metered"
      }
    }
  }

  private let connection: BusConnection
  private let timeout: Duration

  /// - Parameter observer: Called when it is time to check again.
  init(
    _ addresses: [BusAddress], timeout: Duration, observer: @escaping @Sendable (BusEvent) -> Void
  ) async throws(BusError) {
    self.timeout = timeout
    connection = try await BusConnection.open(addresses, timeout: timeout, observer: observer)
    for service in Service.allCases {
      try await connection.addMatch(
        "type='signal',sender='\(service.name)',path='\(service.path)',"
          + "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',"
          + "arg0='\(service.name)'", timeout: timeout)
      // A service that starts or stops.
      try await connection.addMatch(
        "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',"
          + "member='NameOwnerChanged',arg0='\(service.name)'", timeout: timeout)
    }
  }

  /// `OnBattery` of UPower.
  func isOnBattery() async -> Reply { await property(of: .power) }

  /// `Metered` of NetworkManager.
  func meteredState() async -> Reply { await property(of: .network) }

  /// Does not start the service: where it does not run, its user does without it.
  private func property(of service: Service) async -> Reply {
    let call = BusCall.property(
      service.property, of: service.name, on: service.name, at: service.path,
      mayStartService: false)
    do throws(BusError) {
      guard case .variant(let value)? = try await connection.call(call, timeout: timeout).first
      else { return .none }
      return .value(value)
    } catch {
      switch error {
      case .failed: return .none
      case .timedOut: return .silence
      case .unreachable, .refused, .ended, .fault: return .ended
      }
    }
  }
}
