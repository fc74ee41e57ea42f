import KettleModel

/// The directory in which a host keeps the file of a claim until it is published. Its name is all
/// that a host must remember of a claim.
package struct ClaimDirectory: Hashable, Sendable {
  package var host: FleetHostID
  package var key: ClaimKey

  package init(host: FleetHostID, key: ClaimKey) {
    self.host = host
    self.key = key
  }

  /// `HOST.TRANSFER.EPOCH`
  package var name: String { "\(host.rawValue).\(key.id.rawValue).\(key.epoch)" }

  /// Returns nil for a name of another form.
  package init?(_ name: some StringProtocol) {
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
      .map { Int64($0).flatMap { $0 >= 0 ? $0 : nil } }
    guard numbers.count == 3, let host = numbers[0], let id = numbers[1], let epoch = numbers[2]
    else { return nil }
    self.host = FleetHostID(rawValue: host)
    key = ClaimKey(id: FleetTransferID(rawValue: id), epoch: epoch)
    // A text such as "01.2.3" would be a second name.
    guard self.name == name else { return nil }
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
