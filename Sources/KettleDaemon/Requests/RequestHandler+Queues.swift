import KettleControl
import KettleEngine
import KettleModel

/// Requests about the user's queues.
extension RequestHandler {
  func assign(
    _ params: AssignTransfers.Params
  ) async throws(ControlError) -> AssignTransfers.Result {
    try await require(params.queue)
    let ids: [TransferID]
    switch params.selection {
    case .ids(let named): ids = named
    case .all: ids = try await broadcaster.matching(RowFilter(session: .kettle), except: [])
    case .matching(let filter, let except):
      ids = try await broadcaster.matching(filter, except: except)
    }
    return Self.result(of: ids, await engine.assign(ids, to: params.queue))
  }

  func listQueues() async throws(ControlError) -> ListQueues.Result {
    var queues = await engine.queues
    for index in queues.indices {
      let filter = RowFilter(states: [.queued], queue: queues[index].name)
      queues[index].queuedCount = try await broadcaster.matching(filter, except: []).count
    }
    return ListQueues.Result(queues: queues)
  }

  /// Throws unless the configuration file has the queue.
  func require(_ queue: QueueName) async throws(ControlError) {
    guard await engine.hasQueue(queue) else { throw ControlError(.unknownQueue, queue.text) }
  }

  /// Adds to the groups of queues how these are.
  func described(_ groups: [ListedGroup]?) async -> [ListedGroup]? {
    guard let groups, groups.contains(where: \.group.isQueue) else { return groups }
    let queues = await engine.queues
    return groups.map { $0.described(by: queues) }
  }
}

extension ListedGroup {
  /// Returns the group with its queue, if it stands for one of these.
  fileprivate func described(by queues: [QueueSnapshot]) -> ListedGroup {
    guard case .queue(let name) = group else { return self }
    var group = self
    group.queue = queues.first { $0.name == name }
    return group
  }
}

extension ListGroup {
  fileprivate var isQueue: Bool {
    switch self {
    case .queue: true
    case .work, .noQueue: false
    }
  }
}
