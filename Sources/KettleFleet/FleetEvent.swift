import KettleModel

/// What happens to a host of a fleet.
package enum FleetEvent: Sendable {
  /// The transfers of the fleet that the local service has from before its start.
  case recovered([RecoveredTransfer])
  /// - Parameter sentAt: the time before the request was sent.
  case answered(FleetAnswer, sentAt: MonotonicTime)
  /// The table has notified its hosts of new work.
  case workQueued
  case local(ClaimKey, FleetLocalEvent)
  /// Whether another host has published the file of a claim; nil if it has not.
  case looked(ClaimKey, PublishedFile?)
  case published(ClaimKey, PublicationResult)
  /// A published file was compared.
  case compared(FileFinding)
  case observed(FleetObservation)
  /// The host finishes what it has claimed, and then leaves.
  case drain
  /// The host gives back what it has claimed, and leaves.
  case leave
  /// Time has passed.
  case wakeUp
}

/// A request to the table.
package enum FleetCall: Hashable, Sendable {
  case join(FleetIntroduction)
  case beat(FleetBeat)
  case claim(FleetClaimRequest)
  case place(FleetPlacement)
  case finish(FleetEnds)
  case leave(FleetHostKey)
}

/// How the table answered a request.
package enum FleetAnswer: Sendable {
  case join(Result<FleetMembership, FleetError>)
  /// - Parameter reported: the findings of the beat.
  case beat(reported: [FileFinding], Result<FleetBeat.Reply, FleetError>)
  case claim(asked: Int, Result<FleetClaimRequest.Reply, FleetError>)
  case place(ClaimKey, Result<Bool, FleetError>)
  case finish([FleetEnd], Result<FleetEnds.Reply, FleetError>)
  case leave(Result<Void, FleetError>)

  var problem: FleetError? {
    switch self {
    case .join(.failure(let error)),
      .beat(_, .failure(let error)), .claim(_, .failure(let error)),
      .place(_, .failure(let error)), .finish(_, .failure(let error)), .leave(.failure(let error)):
      error
    case .join(.success), .beat(_, .success), .claim(_, .success), .place(_, .success),
      .finish(_, .success), .leave(.success):
      nil
    }
  }
}

extension FleetCall {
  /// Performs the request. Blocks.
  package func perform(on table: any FleetTable) -> FleetAnswer {
    func result<Value>(_ body: () throws(FleetError) -> Value) -> Result<Value, FleetError> {
      Result { () throws(FleetError) in try body() }
    }
    return switch self {
    case .join(let host): .join(result { () throws(FleetError) in try table.join(host) })
    case .beat(let beat):
      .beat(
        reported: beat.findings, result { () throws(FleetError) in try table.beat(beat) })
    case .claim(let request):
      .claim(
        asked: request.count, result { () throws(FleetError) in try table.claim(request) })
    case .place(let placement):
      .place(placement.claim, result { () throws(FleetError) in try table.place(placement) })
    case .finish(let ends):
      .finish(ends.ends, result { () throws(FleetError) in try table.finish(ends) })
    case .leave(let key): .leave(result { () throws(FleetError) in try table.leave(key) })
    }
  }
}

/// What becomes of a claimed transfer in the local service.
package enum FleetLocalEvent: Hashable, Sendable {
  case added(TransferID)
  /// The service does not take it.
  case refused(TransferFailure)
  case completed(CompleteFile)
  case failed(TransferFailure)
  case removed
  /// Anything else.
  case goesOn
}

/// A complete file that is not at its place yet.
package struct CompleteFile: Hashable, Sendable {
  package var path: String
  /// The name that it is to get.
  package var name: String
  package var byteCount: Int64
  package var modifiedNanoseconds: Int64?
  /// nil if only this host is to have the file.
  package var copy: FleetCopy?
  /// The digest that it was compared with, in hexadecimal.
  package var sha256: String?

  package init(path: String, name: String, byteCount: Int64, modifiedNanoseconds: Int64?) {
    self.path = path
    self.name = name
    self.byteCount = byteCount
    self.modifiedNanoseconds = modifiedNanoseconds
  }
}

package struct PublishedFile: Hashable, Sendable {
  package var name: String
  package var directory: String
  package var byteCount: Int64
  /// The digest of a file that this host gives to others, in hexadecimal.
  package var sha256: String?
  package var proof: FileProof?

  package init(name: String, directory: String, byteCount: Int64, sha256: String? = nil) {
    self.name = name
    self.directory = directory
    self.byteCount = byteCount
    self.sha256 = sha256
  }
}

package enum PublicationResult: Hashable, Sendable {
  /// It is there; or the same transfer's file was there already, from this or another host.
  case published(PublishedFile)
  /// Another file has the name.
  case taken(next: String)
  case failed(TransferFailure)
}

/// A transfer of the fleet that the local service had when it started.
package struct RecoveredTransfer: Hashable, Sendable {
  package var owner: ClaimDirectory
  package var local: TransferID
  package var state: FleetLocalEvent

  package var key: ClaimKey { owner.key }

  package init(owner: ClaimDirectory, local: TransferID, state: FleetLocalEvent) {
    self.owner = owner
    self.local = local
    self.state = state
  }
}

/// What this host sees of its own work.
package struct FleetObservation: Hashable, Sendable {
  package var progress: [FleetTransferID: FleetProgress]
  package var origins: [String: FleetOriginReport]
  package var freeBytes: Int64?

  package init(
    progress: [FleetTransferID: FleetProgress] = [:],
    origins: [String: FleetOriginReport] = [:], freeBytes: Int64? = nil
  ) {
    self.progress = progress
    self.origins = origins
    self.freeBytes = freeBytes
  }
}

package struct FleetOriginReport: Hashable, Sendable {
  package var opensAt: MonotonicTime?
  package var connectionsMax: Int?

  package init(opensAt: MonotonicTime? = nil, connectionsMax: Int? = nil) {
    self.opensAt = opensAt
    self.connectionsMax = connectionsMax
  }
}

/// What a host must do on its machine.
package enum FleetAction: Hashable, Sendable {
  /// Give a claimed transfer to the local service.
  case add(ClaimKey, FleetOrder, directory: String)
  case pause(TransferID)
  case start(TransferID)
  /// Find out whether a file was published that another claim was about to place.
  case look(ClaimKey, EarlierPlacing)
  /// Report the state of a transfer once more.
  case inspect(ClaimKey, TransferID)
  /// Place a complete file, creating only. Whether the name is free decides the destination.
  case publish(ClaimKey, CompleteFile, directory: String, replacing: Bool)
  /// Take a file away again that was placed under a claim that was lost, if it is still there.
  case withdraw(ClaimKey)
  /// Compare a published file with what was downloaded.
  case compare(FileErrand)
  /// Remove what this machine has of a claim that is over: its transfer and its files, except one
  /// at its place.
  case discard(ClaimKey, TransferID?)
  case setPolicy(FleetPolicy)
  /// The part of the fleet's speed limit that this host may use; nil for no limit.
  case limit(bytesPerSecond: Int64?)
}

/// Which origins the transfers of the fleet may make requests to.
package struct FleetPolicy: Hashable, Sendable {
  /// When the lease of an origin ends. No new request goes to it from then on, and none to an
  /// origin that is missing here; what runs is finished.
  package var openUntil: [String: MonotonicTime] = [:]
  /// The most connections of the fleet's transfers to single origins.
  package var connectionsMax: [String: Int] = [:]

  package init() {}
}

/// The division of a fleet's speed limit.
package enum TeamLimit {
  /// Returns the part of a host. Every host computes it from the same figures.
  ///
  /// A host that does not use its equal part keeps what it uses and a tenth, or a hundredth of the
  /// limit if that is more, and the others divide the rest.
  package static func part(
    of host: FleetHostID, limit: Int64?, needs: [FleetNeed]
  ) -> Int64? {
    guard let limit else { return nil }
    var left = limit
    var open = needs.sorted { $0.host.rawValue < $1.host.rawValue }
    guard open.contains(where: { $0.host == host }) else { return max(1, limit / 100) }
    while true {
      let equal = left / Int64(max(1, open.count))
      guard let modest = open.firstIndex(where: { wanted($0, of: limit) < equal }) else {
        return max(1, equal)
      }
      let part = wanted(open[modest], of: limit)
      if open[modest].host == host { return max(1, part) }
      left -= part
      open.remove(at: modest)
    }
  }

  private static func wanted(_ need: FleetNeed, of limit: Int64) -> Int64 {
    if need.wantsMore { return limit }
    let used = min(limit, max(0, need.bytesPerSecond))
    return max(used + used / 10, limit / 100)
  }
}
