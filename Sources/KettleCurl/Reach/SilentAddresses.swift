import KettleModel
import KettleSystem

/// The addresses that accepted a connection and then sent nothing, for each host.
///
/// A name with several addresses is useful only if one that does not work is left: a path that
/// drops large packets, or a sick machine behind a name, still accepts connections.
struct SilentAddresses {
  /// How long an address is left out.
  static let milliseconds: Int64 = 600_000
  /// More hosts are not remembered.
  static let hostCountMax = 1000

  private var ends: [String: [IPAddress: MonotonicTime]] = [:]

  var isEmpty: Bool { ends.isEmpty }

  func contains(_ address: IPAddress, of host: String, at now: MonotonicTime) -> Bool {
    ends[host]?[address].map { now < $0 } ?? false
  }

  mutating func record(_ address: IPAddress, of host: String, at now: MonotonicTime) {
    if ends.count >= Self.hostCountMax, ends[host] == nil {
      ends = ends.filter { $0.value.values.contains { now < $0 } }
      if ends.count >= Self.hostCountMax { return }
    }
    ends[host, default: [:]][address] = now.advanced(byMilliseconds: Self.milliseconds)
  }

  /// The address has sent something.
  mutating func recordAnswer(by address: IPAddress, of host: String) {
    guard ends[host]?.removeValue(forKey: address) != nil else { return }
    if ends[host]?.isEmpty == true { ends[host] = nil }
  }

  /// No other address of the host works, so all of them are tried again.
  mutating func forget(_ host: String) { ends[host] = nil }
}

/// The same for all threads of a transport.
final class SharedSilentAddresses: Sendable {
  private let table = Mutex(SilentAddresses())

  func contains(_ address: IPAddress, of host: String, at now: MonotonicTime) -> Bool {
    table.withLock { $0.contains(address, of: host, at: now) }
  }

  func record(_ address: IPAddress, of host: String, at now: MonotonicTime) {
    table.withLock { $0.record(address, of: host, at: now) }
  }

  func recordAnswer(by address: IPAddress, of host: String) {
    table.withLock { if !$0.isEmpty { $0.recordAnswer(by: address, of: host) } }
  }

  func forget(_ host: String) { table.withLock { $0.forget(host) } }
}
