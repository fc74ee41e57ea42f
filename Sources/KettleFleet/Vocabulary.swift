import KettleModel

/// The number of a transfer in the fleet's queue.
package struct FleetTransferID: RawRepresentable, Hashable, Comparable, Sendable, Codable {
  package let rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }

  package static func < (left: FleetTransferID, right: FleetTransferID) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// Why the fleet's queue did not answer.
package enum FleetError: Error, Hashable, Sendable {
  /// The database cannot be reached, or the exchange broke off. The detail is its message.
  case unreachable(String)
  /// The database refused; the detail is its message.
  case refused(String)
  /// Another service has joined under the name of this host since.
  case superseded
  /// There is no fleet in the database.
  case notInitialized
  /// The tables are of a version that this program does not know.
  case otherVersion(Int)
  /// The library that speaks to the database cannot be loaded, or is not built in.
  case noLibrary(String)
}

extension FleetError {
  /// Why the fleet's queue did not answer, as the end of a sentence.
  package var words: String {
    switch self {
    case .unreachable(let detail): "its database cannot be reached (\(detail))"
    case .refused(let detail): "its database refused (\(detail))"
    case .superseded: "another machine has joined it under the name of this one"
    case .notInitialized:
      "there is no fleet in the database, \"kettle fleet init\" makes one"
    case .otherVersion(let version):
      "its tables have version \(version), install the same version of kettle on all machines"
    case .noLibrary(let detail): "the library libpq cannot be used (\(detail))"
    }
  }
}

/// One claim of a transfer. Each claim of the same transfer has a greater epoch, and the table
/// accepts a result only under the last one.
package struct ClaimKey: Hashable, Sendable, Codable {
  package var id: FleetTransferID
  package var epoch: Int64

  package init(id: FleetTransferID, epoch: Int64) {
    self.id = id
    self.epoch = epoch
  }
}

/// The right to make requests to one origin, which one host holds at a time. An origin has one
/// share, or as many as the user chose.
package struct ShareKey: Hashable, Sendable, Codable {
  /// In the form of `Origin.text`.
  package var origin: String
  /// From 0.
  package var slot: Int

  package init(origin: String, slot: Int) {
    self.origin = origin
    self.slot = slot
  }
}

/// What a fleet is asked to download: all that a host takes from the fleet's queue.
///
/// Everyone who may write to the queue can make an order, so it has no property that starts a
/// program, reads a file of the host, or sends the host's secrets anywhere.
package struct FleetOrder: Hashable, Sendable, Codable {
  package var url: TransferURL
  /// Displayed in place of the file name.
  package var title: String?
  /// An absolute path or an `s3://` prefix, which must be below a root of the host; nil means the
  /// first root of the host that claims it.
  package var directory: String?
  /// The directories of the file of a collection below that one.
  package var folder: MemberPath?
  /// nil derives the name from the server or the URL.
  package var name: FileName?
  package var headers: [HeaderField] = []
  package var checksum: Checksum?
  package var onConflict: ConflictPolicy = .rename
  /// The maximum number of connections; nil means as many as help.
  package var connections: Int?
  package var limitBytesPerSecond: Int64?
  /// Where a copy for each host comes from; nil if only one host is to have the file. The table
  /// says so to the host that claims it.
  package var copy: FleetCopy?

  package init(url: TransferURL) { self.url = url }

  /// Throws the name of the first part of a request that a fleet does not take, such as `login`.
  ///
  /// - Parameter path: of a file of a collection, below its directory.
  package init(_ spec: TransferSpec, at path: MemberPath? = nil) throws(FleetOrderProblem) {
    if spec.login != nil { throw FleetOrderProblem(part: "login") }
    if spec.request != nil { throw FleetOrderProblem(part: "request") }
    if spec.task != nil { throw FleetOrderProblem(part: "task") }
    if spec.caCertificatePath != nil { throw FleetOrderProblem(part: "caCertificatePath") }
    if !spec.trustedServers.isEmpty { throw FleetOrderProblem(part: "trustedServers") }
    if spec.notBefore != nil { throw FleetOrderProblem(part: "notBefore") }
    if spec.onConflict == .skip { throw FleetOrderProblem(part: "onConflict") }
    var others = spec.options
    // What concerns only the machine that added it.
    others.makesDirectory = false
    others.chosen = []
    others.page = nil
    if others != .none { throw FleetOrderProblem(part: "options") }
    url = spec.url
    title = spec.title
    directory = spec.directory
    name = path.map { FileName(foreign: $0.name) } ?? spec.name
    folder = path.flatMap { MemberPath(foreign: $0.directories) }
    headers = spec.headers
    checksum = spec.checksum
    onConflict = spec.onConflict
    connections = spec.connections
    limitBytesPerSecond = spec.limitBytesPerSecond
  }
}

extension FleetSettings {
  /// Where the file of an order goes; nil if that is not below a root.
  package func place(for order: FleetOrder) -> String? {
    guard let folder = order.folder else { return place(for: order.directory) }
    return place(for: order.directory).flatMap { place(for: "\($0)/\(folder.text)") }
  }
}

/// Where a host fetches its copy of a file that all hosts want.
package enum FleetCopy: String, Sendable, Codable {
  case fromOrigin
  /// Another host, which has published it.
  case fromMachine

  /// How often a host is asked for a file, before the claim is given back.
  static let attemptsMax = 3
}

/// A part of a request that a fleet does not take.
package struct FleetOrderProblem: Error, Hashable, Sendable {
  package var part: String
}

/// A claimed transfer.
package struct FleetClaim: Hashable, Sendable {
  package var key: ClaimKey
  package var share: ShareKey
  /// nil if this version cannot read the order, or may not act on it.
  package var order: FleetOrder?
  /// What a host that did not finish wrote before it began to place the file.
  package var earlier: EarlierPlacing?

  package init(key: ClaimKey, share: ShareKey, order: FleetOrder?, earlier: EarlierPlacing? = nil) {
    self.key = key
    self.share = share
    self.order = order
    self.earlier = earlier
  }
}

extension FleetClaim: Decodable {
  private enum CodingKeys: String, CodingKey { case key, share, order, earlier }

  /// An order that cannot be read fails alone, and not all that was claimed with it.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    key = try container.decode(ClaimKey.self, forKey: .key)
    share = try container.decode(ShareKey.self, forKey: .share)
    order = try container.decode(HostWritten<FleetOrder>.self, forKey: .order).wrappedValue
    // What a client of the service may not request, a row of the queue may not either.
    if order?.spec(in: "/", reach: .world).refusedPart != nil { order = nil }
    // Another origin's share would permit requests that its holder makes, too.
    if order?.url.origin.text != share.origin { order = nil }
    let text = try container.decodeIfPresent(String.self, forKey: .earlier)
    earlier = text.flatMap { HostWritten(text: $0).wrappedValue }
    // The file may be at its place already: it is not downloaded again.
    if text != nil, earlier == nil { order = nil }
  }
}

/// How a file is recognized that a host was about to place.
package struct EarlierPlacing: Hashable, Sendable, Decodable {
  package var host: FleetHostID
  package var epoch: Int64
  /// The name that it was to get.
  package var name: String
  package var byteCount: Int64
  /// Since 1970; nil for an object.
  package var modifiedNanoseconds: Int64?
  /// Where it was to be: a directory, or an `s3://` prefix.
  package var directory: String

  package init(
    host: FleetHostID, epoch: Int64, name: String, byteCount: Int64, modifiedNanoseconds: Int64?,
    directory: String
  ) {
    self.host = host
    self.epoch = epoch
    self.name = name
    self.byteCount = byteCount
    self.modifiedNanoseconds = modifiedNanoseconds
    self.directory = directory
  }
}

/// The state of a transfer in the fleet's queue.
package enum FleetState: String, Sendable, Codable, CaseIterable {
  case queued
  /// A host downloads it.
  case claimed
  /// Its file is complete, and the host that has it may place it.
  case placing
  case completed, failed, paused
  /// Stopped by the user.
  case idle
}
