import KettleModel

/// Everything that can go wrong in a run. The raw value is its name in options and reports.
enum SimulatedFault: String, CaseIterable {
  // Responses: the weight is the share of responses.
  case refused, retryAfter, gone, strangeStatus, redirectLoop, webPage, noHead, lostBeforeHead
  case cut, endedEarly, silentBody, slow, otherTag, spurious416, contradiction
  case shiftedPart, otherTotal, noContentRange, severalParts, encodedPart, shortPart, longPart
  case ignoredRange, ignoredIfRange
  // Calls of the disk and the store: the weight is the share of calls.
  case createFails, writeFails, readFails, syncFails, renameFails
  case commitFails, answerLost, storeReadFails
  /// The share of the greatest delay of work.
  case slowMachine
  /// The share of the open files that lose a durable byte when the machine ends.
  case rot
  // Events: the weight is their number for each day.
  case networkDown, hostDown, addressChange, newVersion, diskFull
  case kill, powerCut, restart, clockJump, machineSleep
  case userAction

  enum Kind { case response, call, machine, event }

  var kind: Kind {
    switch self {
    case .refused, .retryAfter, .gone, .strangeStatus, .redirectLoop, .webPage, .noHead,
      .lostBeforeHead, .cut, .endedEarly, .silentBody, .slow, .otherTag, .spurious416,
      .contradiction, .shiftedPart, .otherTotal, .noContentRange, .severalParts, .encodedPart,
      .shortPart, .longPart, .ignoredRange, .ignoredIfRange:
      .response
    case .createFails, .writeFails, .readFails, .syncFails, .renameFails, .commitFails,
      .answerLost, .storeReadFails:
      .call
    case .slowMachine, .rot: .machine
    case .networkDown, .hostDown, .addressChange, .newVersion, .diskFull, .kill, .powerCut,
      .restart, .clockJump, .machineSleep, .userAction:
      .event
    }
  }

  static let responses = allCases.filter { $0.kind == .response }
  static let events = allCases.filter { $0.kind == .event }

  /// Draws a weight: most faults are absent from a run, and what is there has any frequency.
  func weight(_ chance: Chance) -> Double {
    let share = Double(chance.number(1...100)) / 100
    guard chance.happens(self == .userAction ? 0.8 : kind == .response ? 0.2 : 0.35) else {
      return 0
    }
    return switch kind {
    case .response: share * share * 0.3
    case .call: share * share * 0.1
    case .machine: share
    case .event: self == .userAction ? share * 60 : share * 12
    }
  }
}

/// What the seed of a run expands to.
struct SimulationOptions: CustomStringConvertible {
  var seed: UInt64
  var transferCount: Int
  /// The length of the phase with faults.
  var hours: Int64
  /// The faults that occur.
  var weights: [SimulatedFault: Double]
  var actions: [SimulatedUser.Action]

  init(seed: UInt64) {
    let chance = Chance(seed: seed)
    self.seed = seed
    transferCount = Int(chance.number(1...14))
    hours = chance.one(of: [6, 24, 48, 96]) ?? 24
    var weights: [SimulatedFault: Double] = [:]
    for fault in SimulatedFault.allCases where fault != .rot {
      weights[fault] = fault.weight(chance)
    }
    actions = SimulatedUser.Action.allCases.filter { _ in chance.happens(0.5) }
    // Last, so that older seeds keep their meaning.
    weights[.rot] = SimulatedFault.rot.weight(chance)
    self.weights = weights.filter { $0.value > 0 }
  }

  var faults: [SimulatedFault] { SimulatedFault.allCases.filter { weights[$0] != nil } }

  var description: String {
    let weights = faults.map { fault in
      "\(fault.rawValue) \((Double(Int((self.weights[fault] ?? 0) * 1000)) / 1000))"
    }
    return "seed \(seed): \(transferCount) transfers in \(hours) h; "
      + weights.joined(separator: ", ") + "; users: "
      + (weights.isEmpty || self.weights[.userAction] == nil
        ? "none" : actions.map(\.rawValue).joined(separator: " "))
  }

  /// The options with one thing less, for a failure that needs less.
  var smaller: [SimulationOptions] {
    var candidates: [SimulationOptions] = []
    for fault in faults {
      var smaller = self
      smaller.weights[fault] = nil
      candidates.append(smaller)
    }
    for action in actions where weights[.userAction] != nil {
      var smaller = self
      smaller.actions.removeAll { $0 == action }
      candidates.append(smaller)
    }
    for count in [1, transferCount / 2, transferCount - 1] where (1..<transferCount).contains(count)
    {
      var smaller = self
      smaller.transferCount = count
      candidates.append(smaller)
    }
    for count in [1, hours / 2] where (1..<hours).contains(count) {
      var smaller = self
      smaller.hours = count
      candidates.append(smaller)
    }
    return candidates
  }
}
