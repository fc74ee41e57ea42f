import KettleControl
import KettleModel

/// A request that is asked of several machines, each about its own part, in its own numbers.
protocol SpreadMethod: SharedMethod {
  static func parts(of params: Params, among names: [String]) -> MachineParts<Params>
  /// Returns the result of a machine with the numbers of the list.
  static func shared(_ result: Result, of machine: ListedMachine) -> Result
  /// Returns the result of two machines together.
  static func joined(_ left: Result, _ right: Result) -> Result
}

extension SpreadMethod {
  static func shared(_ result: Result, of machine: ListedMachine) -> Result { result }
  static func joined(_ left: Result, _ right: Result) -> Result { left }

  static func ask(_ params: Params, of machines: SeveralMachines) async throws -> Result {
    try await machines.spread(Self.self, params)
  }
}

/// What each machine is asked, by its place in the list.
struct MachineParts<Params> {
  var byMachine: [Int: Params]
  /// Whether it means all machines, so that one that cannot be reached is left out. Otherwise its
  /// part fails.
  var isForAll = false

  static func one(_ index: Int, _ params: Params) -> MachineParts {
    MachineParts(byMachine: [index: params])
  }

  static func all(_ params: Params, among names: [String]) -> MachineParts {
    MachineParts(
      byMachine: Dictionary(uniqueKeysWithValues: names.indices.map { ($0, params) }),
      isForAll: true)
  }
}

/// A machine of a list of several.
struct ListedMachine: Hashable, Sendable {
  var ids: MachineIDs
  var name: String

  /// Returns the list's ids; those that have no place in it are left out.
  func shared(_ ids: [TransferID]) -> [TransferID] { ids.compactMap { self.ids.shared($0) } }
}

// MARK: - Requests about a selection

protocol SelectingParams {
  var selection: TransferSelection { get set }
}

extension ControlTransfers.Params: SelectingParams {}
extension MoveTransfers.Params: SelectingParams {}
extension PrioritizeTransfers.Params: SelectingParams {}
extension AssignTransfers.Params: SelectingParams {}
extension LimitSpeed.Params: SelectingParams {}

protocol SelectingMethod: SpreadMethod
where Params: SelectingParams, Result == ControlTransfers.Result {}

extension ControlTransfers: SelectingMethod {}
extension MoveTransfers: SelectingMethod {}
extension PrioritizeTransfers: SelectingMethod {}
extension AssignTransfers: SelectingMethod {}
extension LimitSpeed: SelectingMethod {}

extension SelectingMethod {
  static func parts(of params: Params, among names: [String]) -> MachineParts<Params> {
    let parts = params.selection.parts(among: names)
    return MachineParts(
      byMachine: parts.byMachine.mapValues { selection in
        var part = params
        part.selection = selection
        return part
      }, isForAll: parts.isForAll)
  }

  static func shared(_ result: Result, of machine: ListedMachine) -> Result {
    machine.shared(result)
  }

  static func joined(_ left: Result, _ right: Result) -> Result { left.joined(right) }
}

extension TransferSelection {
  func parts(among names: [String]) -> MachineParts<TransferSelection> {
    switch self {
    case .all: return .all(self, among: names)
    case .ids(let ids):
      return MachineParts(
        byMachine: Dictionary(grouping: ids) { MachineIDs.index(of: $0) }
          .mapValues { .ids($0.map { MachineIDs.own($0) }) })
    case .matching(let filter, let except):
      let others = Dictionary(grouping: except) { MachineIDs.index(of: $0) }
      let parts = names.enumerated().compactMap { index, name in
        filter.part(ofMachine: index, named: name).map { part in
          let except = (others[index] ?? []).map { MachineIDs.own($0) }
          return (index, TransferSelection.matching(part, except: except))
        }
      }
      return MachineParts(
        byMachine: Dictionary(uniqueKeysWithValues: parts), isForAll: parts.count > 1)
    }
  }
}

extension ControlTransfers.Result {
  fileprivate func joined(_ other: ControlTransfers.Result) -> ControlTransfers.Result {
    var both = self
    both.applied += other.applied
    both.refused += other.refused
    if let kept = other.keptFiles { both.keptFiles = (both.keptFiles ?? []) + kept }
    both.bin = bin.flatMap { bin in other.bin.map(bin.joined) } ?? bin ?? other.bin
    return both
  }
}

extension ListedMachine {
  func shared(_ result: ControlTransfers.Result) -> ControlTransfers.Result {
    var result = result
    result.applied = shared(result.applied)
    result.refused = result.refused.compactMap { refusal in
      ids.shared(refusal.id).map { ControlRefusal(id: $0, why: refusal.why) }
    }
    result.keptFiles = result.keptFiles?.compactMap { file in
      ids.shared(file.id).map { .init(id: $0, path: file.path) }
    }
    return result
  }
}

// MARK: - Requests about one transfer

protocol ParamsOfOne {
  var id: TransferID { get set }
}

extension DescribeTransfer.Params: ParamsOfOne {}
extension RelinkTransfer.Params: ParamsOfOne {}
extension ListMembers.Params: ParamsOfOne {}
extension ChooseMembers.Params: ParamsOfOne {}

extension SpreadMethod where Params: ParamsOfOne {
  static func parts(of params: Params, among names: [String]) -> MachineParts<Params> {
    var part = params
    part.id = MachineIDs.own(params.id)
    return .one(MachineIDs.index(of: params.id), part)
  }
}

extension ListMembers: SpreadMethod {}
extension ChooseMembers: SpreadMethod {}

extension DescribeTransfer: SpreadMethod {
  static func shared(_ result: Result, of machine: ListedMachine) -> Result {
    var result = result
    if let row = machine.ids.shared(result.snapshot, machine: machine.name) {
      result.snapshot = row
    }
    return result
  }
}

extension RelinkTransfer: SpreadMethod {
  static func shared(_ result: Result, of machine: ListedMachine) -> Result {
    machine.shared(result)
  }
}
