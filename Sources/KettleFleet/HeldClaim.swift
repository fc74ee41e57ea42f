import KettleModel

/// A claim of this host, from the table's answer to the acknowledged end.
package struct HeldClaim: Hashable, Sendable {
  enum Stage: Hashable, Sendable {
    /// A local transfer of an earlier start of the service, whose order is not known yet.
    case recovered(RecoveredTransfer)
    /// Another host may have published it.
    case looking(EarlierPlacing)
    /// It is being given to the local service.
    case adding
    case local
    /// Its file is complete, and may be published when the table agrees.
    case complete(CompleteFile)
    case publishing(CompleteFile)
    /// Its end is reported until the table has it.
    case ended(FleetEnd.Outcome)
  }

  let key: ClaimKey
  private(set) var share: ShareKey?
  /// The transfer of the local service.
  private(set) var local: TransferID?
  private var order: FleetOrder?
  /// Where the file goes.
  private var directory: String?
  private var stage: Stage
  private var wish = FleetBeat.Wish.run
  private var earlier: EarlierPlacing?
  /// Of the published file, if others get it from here.
  private var sha256: String?
  private var proof: FileProof?

  init(recovered: RecoveredTransfer) {
    key = recovered.key
    local = recovered.local
    stage = .recovered(recovered)
  }

  init(_ claim: FleetClaim, by settings: FleetSettings, _ actions: inout [FleetAction]) {
    key = claim.key
    share = claim.share
    stage = .adding
    guard accept(claim, settings) else { return }
    if let earlier = claim.earlier {
      stage = .looking(earlier)
      actions.append(.look(key, earlier))
    } else {
      add(&actions)
    }
  }

  /// Whether this host made it in this fleet. What a host recovers may be of a fleet that it was in
  /// before.
  func belongs(to membership: FleetMembership) -> Bool {
    guard case .recovered(let found) = stage else { return true }
    return found.owner.fleet == membership.fleet && found.owner.host == membership.key.host
  }

  /// Whether it is this claim, and waits for its transfer.
  func isAdding(_ key: ClaimKey) -> Bool { self.key == key && stage == .adding }

  /// Whether the order is still unknown, because an earlier start of the service made the claim.
  var awaitsOrder: Bool {
    if case .recovered = stage { return true }
    return false
  }

  /// Whether a beat names it. The first beat names recovered claims, to take them back. The second
  /// one omits them: the table then returns them with their orders.
  func isNamed(in beat: Int) -> Bool { awaitsOrder ? beat == 0 : true }

  /// Whether its file is at its place, or may be at any moment.
  var isAtPlace: Bool {
    switch stage {
    case .publishing, .ended(.published): true
    case .recovered, .looking, .adding, .local, .complete, .ended: false
    }
  }

  var isPublished: Bool {
    if case .ended(.published) = stage { return true }
    return false
  }

  var end: FleetEnd? {
    guard case .ended(let outcome) = stage else { return nil }
    return FleetEnd(claim: key, outcome: outcome, sha256: sha256, proof: proof)
  }

  func placement(by host: FleetHostKey) -> FleetPlacement? {
    guard case .complete(let file) = stage, let directory else { return nil }
    return FleetPlacement(
      key: host, claim: key, name: file.name, directory: directory, byteCount: file.byteCount,
      modifiedNanoseconds: file.modifiedNanoseconds)
  }

  // MARK: Changes

  /// Reads an order. Returns whether this host may act on it; otherwise the claim has failed.
  private mutating func accept(_ claim: FleetClaim, _ settings: FleetSettings) -> Bool {
    guard let order = claim.order else {
      stage = .ended(.failed(FleetRefusal.unreadableOrder.failure))
      return false
    }
    guard let directory = settings.place(for: order) else {
      let refusal = FleetRefusal.outsideRoots(order.directory ?? "")
      stage = .ended(.failed(refusal.failure))
      return false
    }
    self.order = order
    self.directory = directory
    earlier = claim.earlier
    return true
  }

  private mutating func add(_ actions: inout [FleetAction]) {
    guard let order, let directory else { return }
    stage = .adding
    actions.append(.add(key, order, directory: directory))
  }

  /// Continues a recovered claim, now that its order is known.
  mutating func complete(
    with claim: FleetClaim, by settings: FleetSettings, _ actions: inout [FleetAction]
  ) {
    guard case .recovered(let found) = stage else { return }
    share = claim.share
    guard accept(claim, settings) else { return }
    stage = .local
    handle(found.state, &actions)
    // It may have been paused or started in the meantime.
    if stage == .local { actions.append(action(of: wish, found.local)) }
    // Its own start may have placed the file before the service ended.
    if let earlier, case .complete = stage, earlier.epoch == key.epoch {
      stage = .looking(earlier)
      actions.append(.look(key, earlier))
    }
  }

  mutating func handle(_ event: FleetLocalEvent, _ actions: inout [FleetAction]) {
    switch (stage, event) {
    case (.adding, .added(let transfer)):
      local = transfer
      stage = .local
      if wish == .pause { actions.append(.pause(transfer)) }
    case (.adding, .refused(let failure)): stage = .ended(.failed(failure))
    case (.local, .completed(var file)):
      // A claim that did not end may still place its file. Both use one name: only one is placed.
      if let earlier, earlier.directory == directory,
        let name = FileName(foreign: earlier.name)?.text, name == earlier.name
      {
        file.name = name
      }
      stage = .complete(file)
    case (.local, .failed(let failure)): stage = .ended(.failed(failure))
    // A user removed it on this machine.
    case (.local, .removed), (.complete, .removed):
      local = nil
      stage = .ended(.givenBack)
    case (.recovered(var found), .completed), (.recovered(var found), .failed),
      (.recovered(var found), .removed):
      found.state = event
      stage = .recovered(found)
    case (.recovered, _), (.looking, _), (.adding, _), (.local, _), (.complete, _),
      (.publishing, _), (.ended, _):
      break
    }
  }

  mutating func follow(_ wish: FleetBeat.Wish, _ actions: inout [FleetAction]) {
    guard wish != self.wish else { return }
    self.wish = wish
    guard let local, stage == .local else { return }
    actions.append(action(of: wish, local))
  }

  private func action(of wish: FleetBeat.Wish, _ local: TransferID) -> FleetAction {
    switch wish {
    case .run: .start(local)
    case .pause: .pause(local)
    }
  }

  /// The table has agreed.
  mutating func beginPublishing(_ actions: inout [FleetAction]) {
    guard case .complete(var file) = stage, let directory, let order else { return }
    file.copy = order.copy
    if order.copy == .fromMachine { file.sha256 = order.checksum?.hex }
    stage = .publishing(file)
    actions.append(
      .publish(key, file, directory: directory, replacing: order.onConflict == .replace))
  }

  mutating func looked(_ found: PublishedFile?, _ actions: inout [FleetAction]) {
    guard case .looking = stage else { return }
    if let found {
      stage = .ended(
        .published(name: found.name, directory: found.directory, byteCount: found.byteCount))
    } else if let local {
      // The file of this host is complete and was not placed.
      stage = .local
      actions.append(.inspect(key, local))
    } else {
      add(&actions)
    }
  }

  mutating func published(_ result: PublicationResult) {
    guard case .publishing(var file) = stage else { return }
    switch result {
    case .published(let done):
      sha256 = done.sha256
      proof = done.proof
      stage = .ended(
        .published(name: done.name, directory: done.directory, byteCount: done.byteCount))
    case .taken(let next):
      // Another file has the name. The table must know the next one before it is used.
      file.name = next
      stage = .complete(file)
    case .failed(let failure): stage = .ended(.failed(failure))
    }
  }
}

/// Why a host does not act on an order.
enum FleetRefusal: Hashable, Sendable {
  case unreadableOrder
  case outsideRoots(String)

  var failure: TransferFailure {
    switch self {
    case .unreadableOrder:
      TransferFailure(
        .fileProblem, on: "", detail: "this version of Kettle cannot read the order")
    case .outsideRoots(let directory):
      TransferFailure(
        .directoryUnwritable, on: directory,
        detail: "it is not below a root of this host; \"kettle fleet join --root\" permits it")
    }
  }
}
