import KettleModel

/// The directory in which a host keeps the file of a claim until it is published. Its name is all
/// that a host must remember of a claim.
package struct ClaimDirectory: Hashable, Sendable {
  /// The id of the fleet. Another fleet has other transfers with the same numbers.
  package var fleet: String
  package var host: FleetHostID
  package var key: ClaimKey

  package init(fleet: String, host: FleetHostID, key: ClaimKey) {
    self.fleet = fleet
    self.host = host
    self.key = key
  }

  /// `FLEET.HOST.TRANSFER.EPOCH`
  package var name: String { "\(fleet).\(host.rawValue).\(key.id.rawValue).\(key.epoch)" }

  /// The name of every claim of this transfer, by whatever host.
  package var transferName: String { "fleet-\(fleet)-\(key.id.rawValue)" }

  /// Returns nil for a name of another form.
  package init?(_ name: some StringProtocol) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    let numbers = parts.dropFirst().map { Int64($0).flatMap { $0 >= 0 ? $0 : nil } }
    guard numbers.count == 3, let host = numbers[0], let id = numbers[1], let epoch = numbers[2],
      (1...36).contains(parts[0].utf8.count), parts[0].utf8.allSatisfy(Self.isOfID)
    else { return nil }
    fleet = String(parts[0])
    self.host = FleetHostID(rawValue: host)
    key = ClaimKey(id: FleetTransferID(rawValue: id), epoch: epoch)
    // A text such as "01" for a number would make a second name.
    guard self.name == name else { return nil }
  }

  /// Whether a UUID may have the byte (RFC 9562, section 4).
  private static func isOfID(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
      UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

extension FleetOrder {
  /// The request to the local service.
  ///
  /// - Parameters:
  ///   - directory: where the file stays until it is published.
  ///   - reach: only addresses with at least this reach may be connected to. Who may write to the
  ///     queue must not reach what only this machine can.
  package func spec(in directory: String, reach: NetworkReach) -> TransferSpec {
    var spec = TransferSpec(url: url)
    spec.source = ChainedURL(url, namedBy: reach)
    spec.session = .fleet
    spec.title = title
    spec.directory = directory
    spec.name = name
    spec.headers = headers
    spec.checksum = checksum
    spec.connections = connections
    spec.limitBytesPerSecond = limitBytesPerSecond
    spec.options.makesDirectory = true
    if copy == .fromMachine { spec.options.attemptsMax = FleetCopy.attemptsMax }
    return spec
  }
}
