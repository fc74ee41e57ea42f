import KettleControl
import KettleModel

/// A request without a selection, which all machines get.
protocol MethodOfAll: SpreadMethod {}

extension MethodOfAll {
  static func parts(of params: Params, among names: [String]) -> MachineParts<Params> {
    .all(params, among: names)
  }
}

extension ClearFinished: MethodOfAll {
  static func joined(_ left: Result, _ right: Result) -> Result {
    var both = left
    both.clearedCount.add(right.clearedCount)
    return both
  }
}

extension ReportNews: MethodOfAll {
  static func joined(_ left: Result, _ right: Result) -> Result {
    Result(
      news: left.news.flatMap { news in right.news.map(news.joined) } ?? left.news ?? right.news)
  }
}

extension SumFinished: MethodOfAll {
  static func joined(_ left: Result, _ right: Result) -> Result {
    var both = left
    both.completedCount.add(right.completedCount)
    both.completedByteCount.add(right.completedByteCount)
    return both
  }
}

extension FindURLs: MethodOfAll {
  static func shared(_ result: Result, of machine: ListedMachine) -> Result {
    Result(
      found: result.found.compactMap { found in
        machine.ids.shared(found.id).map { .init(url: found.url, id: $0, state: found.state) }
      })
  }

  static func joined(_ left: Result, _ right: Result) -> Result {
    let known = Set(left.found.map(\.url))
    return Result(found: left.found + right.found.filter { !known.contains($0.url) })
  }
}

extension ResetTransfers: MethodOfAll {
  static func joined(_ left: Result, _ right: Result) -> Result {
    Result(
      deletedPaths: left.deletedPaths + right.deletedPaths,
      keptPaths: left.keptPaths + right.keptPaths)
  }
}

extension ListBin: MethodOfAll {
  static func shared(_ result: Result, of machine: ListedMachine) -> Result {
    machine.shared(result)
  }

  static func joined(_ left: Result, _ right: Result) -> Result { left.joined(right) }
}

extension EmptyBin: MethodOfAll {
  static func shared(_ result: Result, of machine: ListedMachine) -> Result {
    machine.shared(result)
  }

  static func joined(_ left: Result, _ right: Result) -> Result { left.joined(right) }
}

extension ListedMachine {
  fileprivate func shared(_ result: ListBin.Result) -> ListBin.Result {
    ListBin.Result(
      actions: result.actions.compactMap { action in
        ids.shared(action.number).map { number in
          var action = action
          action.number = number
          return action
        }
      })
  }
}

extension ListBin.Result {
  /// The latest first.
  fileprivate func joined(_ other: ListBin.Result) -> ListBin.Result {
    let all = actions + other.actions
    let order = all.indices.sorted { (all[$1].at, $0) < (all[$0].at, $1) }
    return ListBin.Result(actions: order.map { all[$0] })
  }
}

extension ServiceStatus: MethodOfAll {
  static func shared(_ result: Result, of machine: ListedMachine) -> Result {
    var result = result
    result.notices = result.notices.map { machine.name + ": " + $0 }
    return result
  }

  static func joined(_ left: Result, _ right: Result) -> Result {
    var both = left
    both.notices += right.notices
    both.totals = .sum(of: [left.totals, right.totals])
    return both
  }

  static func ask(_ params: Params, of machines: SeveralMachines) async throws -> Result {
    var result = try await machines.spread(Self.self, params)
    result.notices += machines.notices
    return result
  }
}

// MARK: - Additions, which the first machine gets

extension AddTransfers: SpreadMethod {
  static func parts(of params: Params, among names: [String]) -> MachineParts<Params> {
    .one(0, params)
  }

  static func shared(_ result: Result, of machine: ListedMachine) -> Result {
    Result(ids: machine.shared(result.ids))
  }
}

extension AddURLs: SpreadMethod {
  static func parts(of params: Params, among names: [String]) -> MachineParts<Params> {
    .one(0, params)
  }

  static func shared(_ result: Result, of machine: ListedMachine) -> Result {
    Result(runs: IDRuns(machine.shared(result.runs.ids)))
  }
}

// MARK: - Undo

extension UndoAction: SpreadMethod {
  /// The number is that of an action, as `ListBin` names it.
  static func parts(of params: Params, among names: [String]) -> MachineParts<Params> {
    guard let number = params.number else { return .one(0, params) }
    return .one(MachineIDs.index(of: number), Params(number: MachineIDs.own(number)))
  }

  static func shared(_ result: Result, of machine: ListedMachine) -> Result {
    var result = result
    result.restored = IDRuns(machine.shared(result.restored.ids))
    result.busy = machine.shared(result.busy)
    return result
  }

  /// Without a number, the latest action of all machines is undone.
  static func ask(_ params: Params, of machines: SeveralMachines) async throws -> Result {
    var params = params
    if params.number == nil {
      params.number = try await machines.call(ListBin.self, Nothing()).actions.first?.number
    }
    guard params.number != nil else { return Result() }
    return try await machines.spread(Self.self, params)
  }
}
