import KettleFleet
import KettleModel

extension PostgresFleet: FleetTable {
  package func join(_ host: FleetIntroduction) throws(FleetError) -> FleetMembership {
    try call("join_host", host)
  }

  package func beat(_ beat: FleetBeat) throws(FleetError) -> FleetBeat.Reply {
    try call("beat", beat)
  }

  package func claim(_ request: FleetClaimRequest) throws(FleetError) -> FleetClaimRequest.Reply {
    try call("claim", request)
  }

  package func place(_ placing: FleetPlacement) throws(FleetError) -> Bool {
    try call("place", placing)
  }

  package func finish(_ ends: FleetEnds) throws(FleetError) -> FleetEnds.Reply {
    try call("finish", ends)
  }

  package func leave(_ host: FleetHostKey) throws(FleetError) {
    let _: Bool = try call("leave", host)
  }
}

extension PostgresFleet: FleetConnection {
  package func add(_ addition: FleetAddition) throws(FleetError) -> [FleetTransferID] {
    let request = AddRequest(
      addition: addition, origins: addition.orders.map { $0.url.origin.text })
    return try call("add_orders", request, isLong: true)
  }

  package func window(_ request: FleetWindowRequest) throws(FleetError) -> FleetWindow {
    try call("screenful", request)
  }

  package func ids(matching filter: FleetFilter) throws(FleetError) -> [FleetTransferID] {
    try call("matching", filter, isLong: true)
  }

  package func rows(_ ids: [FleetTransferID]) throws(FleetError) -> [FleetRow] {
    try call("rows_by_id", ids)
  }

  package func changes(since mark: Int64?, countMax: Int) throws(FleetError) -> FleetChanges {
    try call("changes", ChangesRequest(since: mark, countMax: countMax))
  }

  package func control(_ control: FleetControl) throws(FleetError) -> FleetControl.Reply {
    try call("control", control, isLong: true)
  }

  package func compare(
    _ request: FileErrandRequest
  ) throws(FleetError) -> FileErrandRequest.Reply {
    try call("compare", request)
  }

  package func hosts() throws(FleetError) -> [FleetHostRow] { try call("hosts", Nothing()) }

  package func origins() throws(FleetError) -> [FleetOriginRow] { try call("origins", Nothing()) }

  /// Without a number of shares or connections, that stays as it is; 0 connections lift the limit.
  package func setOrigin(_ origin: String, shares: Int?, connections: Int?) throws(FleetError) {
    let request = OriginRequest(origin: origin, shares: shares, connections: connections)
    let _: Bool = try call("set_origin", request)
  }

  package func setLimit(bytesPerSecond: Int64?) throws(FleetError) {
    let _: Bool = try call("set_limit", LimitRequest(bytesPerSecond: bytesPerSecond))
  }

  package func drain(host: String, _ isDraining: Bool) throws(FleetError) {
    let _: Bool = try call("drain", DrainRequest(host: host, isDraining: isDraining))
  }

  package func doctor() throws(FleetError) -> FleetHealth { try call("doctor", Nothing()) }
}

// MARK: What no type of the ports has

private struct AddRequest: Encodable {
  var addition: FleetAddition
  /// Of the order with the same index.
  var origins: [String]
}

private struct ChangesRequest: Encodable {
  var since: Int64?
  var countMax: Int
}

private struct OriginRequest: Encodable {
  var origin: String
  var shares: Int?
  var connections: Int?
}

private struct LimitRequest: Encodable { var bytesPerSecond: Int64? }

private struct DrainRequest: Encodable {
  var host: String
  var isDraining: Bool
}
