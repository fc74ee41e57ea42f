import KettleModel

/// The fleet's queue: the one place where hosts agree. Every function is one transaction, goes by
/// the clock of the table alone, and blocks for the time of an exchange.
///
/// A function that throws may have been performed: its answer can be lost. All of them can be
/// repeated.
package protocol FleetTable: AnyObject, Sendable {
  /// Registers a host, or the next start of its service, which ends the rights of the previous one.
  func join(_ host: FleetIntroduction) throws(FleetError) -> FleetMembership

  /// Renews the leases of a host and of its shares, and compares its claims with the table's.
  func beat(_ beat: FleetBeat) throws(FleetError) -> FleetBeat.Reply

  /// Takes free shares and claims transfers of them and of the shares that the host holds.
  func claim(_ request: FleetClaimRequest) throws(FleetError) -> FleetClaimRequest.Reply

  /// Records that a complete file is about to be placed. Returns whether its epoch is the last one.
  func place(_ placing: FleetPlacement) throws(FleetError) -> Bool

  /// Records how claims ended. Returns those whose epoch was the last one.
  func finish(_ ends: FleetEnds) throws(FleetError) -> FleetEnds.Reply

  /// Gives back all claims and shares of a host, and forgets the host.
  func leave(_ host: FleetHostKey) throws(FleetError)
}

/// A host as it introduces itself.
package struct FleetIntroduction: Hashable, Sendable, Codable {
  /// Unique in the fleet.
  package var name: String
  /// Proves that the host owns its name.
  package var secret: String
  package var labels: [String]
  /// How many transfers it claims at most; 0 for a host that only adds and watches.
  package var take: Int
  /// The version of the program.
  package var version: String
  /// Where it gives files to other hosts; nil if it does not.
  package var shareAddress: String?

  package init(
    name: String, secret: String, labels: [String], take: Int, version: String,
    shareAddress: String? = nil
  ) {
    self.name = name
    self.secret = secret
    self.labels = labels
    self.take = take
    self.version = version
    self.shareAddress = shareAddress
  }
}

/// A host and the start of its service.
package struct FleetHostKey: Hashable, Sendable, Codable {
  package var host: FleetHostID
  package var start: Int64

  package init(host: FleetHostID, start: Int64) {
    self.host = host
    self.start = start
  }
}

package struct FleetMembership: Hashable, Sendable, Decodable {
  package var key: FleetHostKey
  /// The id of the fleet: a UUID.
  package var fleet: String
  /// How long a lease lasts from the moment the table grants it.
  @Amount package var leaseMilliseconds: Int64
  /// What the hosts of the fleet ask each other for files with.
  package var shareSecret: String?

  package init(
    key: FleetHostKey, fleet: String, leaseMilliseconds: Int64, shareSecret: String? = nil
  ) {
    self.key = key
    self.fleet = fleet
    self.leaseMilliseconds = leaseMilliseconds
    self.shareSecret = shareSecret
  }
}

/// What a host knows of an origin whose share it holds. The next holder inherits it.
package struct FleetShareReport: Hashable, Sendable, Codable {
  package var share: ShareKey
  /// How long the origin asked not to be contacted, from now on; nil if it did not.
  package var opensInMilliseconds: Int64?
  /// How many connections it accepts, learned from refusals; nil if it refused none.
  package var connectionsMax: Int?

  package init(share: ShareKey, opensInMilliseconds: Int64? = nil, connectionsMax: Int? = nil) {
    self.share = share
    self.opensInMilliseconds = opensInMilliseconds
    self.connectionsMax = connectionsMax
  }
}

/// How far a claimed transfer is, for those who look.
package struct FleetProgress: Hashable, Sendable, Codable {
  package var id: FleetTransferID
  package var state: TransferState
  package var reason: WaitingReason?
  package var name: String?
  @Amount package var bytesReceived: Int64
  @Amount package var bytesExpected: Int64?
  @Amount package var bytesPerSecond: Int64
  @Amount package var connections: Int
  package var error: TransferFailure?

  package init(id: FleetTransferID, _ row: TransferSnapshot) {
    self.id = id
    state = row.state
    reason = row.reason
    name = row.path?.split(separator: "/").last.map(String.init)
    bytesReceived = row.bytesReceived
    bytesExpected = row.bytesExpected
    bytesPerSecond = row.bytesPerSecond
    connections = row.connections
    error = row.error
  }
}

/// The sign of life of a host.
package struct FleetBeat: Hashable, Sendable, Codable {
  package var key: FleetHostKey
  /// All claims that the host knows.
  package var claims: [ClaimKey]
  package var shares: [FleetShareReport]
  /// Shares that it does not need any more.
  package var released: [ShareKey]
  package var progress: [FleetProgress]
  /// The sum of its claimed transfers.
  package var bytesPerSecond: Int64
  /// Whether it would use a greater part of the fleet's speed limit.
  package var wantsMore: Bool
  package var freeBytes: Int64?
  /// What it has found about published files.
  package var findings: [FileFinding]

  package init(key: FleetHostKey) {
    self.key = key
    claims = []
    shares = []
    released = []
    progress = []
    bytesPerSecond = 0
    wantsMore = false
    findings = []
  }

  package struct Reply: Hashable, Sendable, Decodable {
    /// The claims whose epoch is the last one and that no other host has, with what users want of
    /// them. Claims that the host has named and that are missing here are lost.
    package var claims: [Standing]
    /// Claims of this host that it has not named: the answer that had them was lost.
    package var others: [FleetClaim]
    /// The shares that it holds now, until the lease after this beat ends.
    package var shares: [FleetShareGrant]
    /// Whether something is queued that this host may claim.
    package var hasWork: Bool
    /// When the first lease of another host ends, from now on; nil if no other host has claims.
    @Amount package var nextExpiryMilliseconds: Int64?
    /// The speed limit of the fleet; nil for none.
    @Amount package var limitBytesPerSecond: Int64?
    /// The needs of all living hosts, this one included; empty without a limit.
    package var needs: [FleetNeed]
    /// Whether the host is to claim nothing more.
    package var isDraining: Bool
    /// Some of the published files that it is to compare.
    package var errands: [FileErrand]

    package init(
      claims: [Standing] = [], others: [FleetClaim] = [], shares: [FleetShareGrant] = [],
      hasWork: Bool = false, nextExpiryMilliseconds: Int64? = nil,
      limitBytesPerSecond: Int64? = nil, needs: [FleetNeed] = [], isDraining: Bool = false,
      errands: [FileErrand] = []
    ) {
      self.claims = claims
      self.others = others
      self.shares = shares
      self.hasWork = hasWork
      self.nextExpiryMilliseconds = nextExpiryMilliseconds
      self.limitBytesPerSecond = limitBytesPerSecond
      self.needs = needs
      self.isDraining = isDraining
      self.errands = errands
    }
  }

  package struct Standing: Hashable, Sendable, Decodable {
    package var key: ClaimKey
    package var wish: Wish

    package init(key: ClaimKey, wish: Wish) {
      self.key = key
      self.wish = wish
    }
  }

  /// What users want of a claimed transfer.
  package enum Wish: String, Sendable, Decodable {
    case run, pause
  }
}

/// A share that a host holds.
package struct FleetShareGrant: Hashable, Sendable, Decodable {
  package var share: ShareKey
  /// From now on; nil if it is open.
  @Amount package var opensInMilliseconds: Int64?
  /// The most connections to its origin that this share permits; nil for no limit of the fleet.
  @Amount package var connectionsMax: Int?

  package init(share: ShareKey, opensInMilliseconds: Int64? = nil, connectionsMax: Int? = nil) {
    self.share = share
    self.opensInMilliseconds = opensInMilliseconds
    self.connectionsMax = connectionsMax
  }
}

/// How fast a host is, for the division of the fleet's speed limit.
package struct FleetNeed: Hashable, Sendable, Decodable {
  package var host: FleetHostID
  @Amount package var bytesPerSecond: Int64
  package var wantsMore: Bool

  package init(host: FleetHostID, bytesPerSecond: Int64, wantsMore: Bool) {
    self.host = host
    self.bytesPerSecond = bytesPerSecond
    self.wantsMore = wantsMore
  }
}

package struct FleetClaimRequest: Hashable, Sendable, Codable {
  package var key: FleetHostKey
  package var labels: [String]
  /// How many transfers it may claim.
  package var count: Int

  package init(key: FleetHostKey, labels: [String], count: Int) {
    self.key = key
    self.labels = labels
    self.count = count
  }

  package struct Reply: Hashable, Sendable, Decodable {
    package var claims: [FleetClaim]
    /// All shares that the host holds now.
    package var shares: [FleetShareGrant]
    /// When something may be claimed that cannot be now, from now on; nil if nothing is queued.
    @Amount package var nextMilliseconds: Int64?
    /// As in the answer to a beat.
    package var errands: [FileErrand]

    package init(
      claims: [FleetClaim] = [], shares: [FleetShareGrant] = [], nextMilliseconds: Int64? = nil,
      errands: [FileErrand] = []
    ) {
      self.claims = claims
      self.shares = shares
      self.nextMilliseconds = nextMilliseconds
      self.errands = errands
    }
  }
}

package struct FleetPlacement: Hashable, Sendable, Codable {
  package var key: FleetHostKey
  package var claim: ClaimKey
  package var name: String
  package var directory: String
  package var byteCount: Int64
  package var modifiedNanoseconds: Int64?

  package init(
    key: FleetHostKey, claim: ClaimKey, name: String, directory: String, byteCount: Int64,
    modifiedNanoseconds: Int64?
  ) {
    self.key = key
    self.claim = claim
    self.name = name
    self.directory = directory
    self.byteCount = byteCount
    self.modifiedNanoseconds = modifiedNanoseconds
  }
}

package struct FleetEnds: Hashable, Sendable, Codable {
  package var key: FleetHostKey
  package var ends: [FleetEnd]

  package init(key: FleetHostKey, ends: [FleetEnd]) {
    self.key = key
    self.ends = ends
  }

  package struct Reply: Hashable, Sendable, Decodable {
    /// The claims that ended so. An end that was accepted before is accepted again.
    package var accepted: [ClaimKey]
    /// Refused claims whose transfer another host has published under another name.
    package var elsewhere: [ClaimKey]

    package init(accepted: [ClaimKey], elsewhere: [ClaimKey] = []) {
      self.accepted = accepted
      self.elsewhere = elsewhere
    }
  }
}

/// How a claim ended.
package struct FleetEnd: Hashable, Sendable, Codable {
  package var claim: ClaimKey
  package var outcome: Outcome
  /// The digest of a published file that the host gives to others, in hexadecimal.
  package var sha256: String?
  /// Of a published file.
  package var proof: FileProof?

  package init(
    claim: ClaimKey, outcome: Outcome, sha256: String? = nil, proof: FileProof? = nil
  ) {
    self.claim = claim
    self.outcome = outcome
    self.sha256 = sha256
    self.proof = proof
  }

  package enum Outcome: Hashable, Sendable {
    /// The file is at its place.
    case published(name: String, directory: String, byteCount: Int64)
    case failed(TransferFailure)
    /// Another host may have it.
    case givenBack
  }
}

extension FleetEnd.Outcome: Codable {
  private enum CodingKeys: String, CodingKey { case kind, name, directory, byteCount, failure }
  private enum Kind: String, Codable { case published, failed, givenBack }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch try container.decode(Kind.self, forKey: .kind) {
    case .published:
      self = .published(
        name: try container.decode(String.self, forKey: .name),
        directory: try container.decode(String.self, forKey: .directory),
        byteCount: try container.decode(Int64.self, forKey: .byteCount))
    case .failed: self = .failed(try container.decode(TransferFailure.self, forKey: .failure))
    case .givenBack: self = .givenBack
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .published(let name, let directory, let byteCount):
      try container.encode(Kind.published, forKey: .kind)
      try container.encode(name, forKey: .name)
      try container.encode(directory, forKey: .directory)
      try container.encode(byteCount, forKey: .byteCount)
    case .failed(let failure):
      try container.encode(Kind.failed, forKey: .kind)
      try container.encode(failure, forKey: .failure)
    case .givenBack: try container.encode(Kind.givenBack, forKey: .kind)
    }
  }
}
