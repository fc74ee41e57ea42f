import KettleModel
import SeededNumbers
import Testing

@testable import KettleScheduler

struct TransferQueueTests {
  private func record(
    _ id: Int64, host: String = "a.example", priority: TransferPriority = .normal,
    position: Int64? = nil
  ) -> TransferRecord {
    var wanted = spec("http://\(host)/\(id)")
    wanted.priority = priority
    return TransferRecord(
      id: TransferID(rawValue: id), taskIdentifier: id, spec: wanted,
      createdAt: WallTime(millisecondsSince1970: 0), queuePosition: position ?? id, state: .queued)
  }

  private func drain(_ queue: inout TransferQueue) -> [Int64] {
    var order: [Int64] = []
    while let id = queue.startNext(admits: { _ in true }) {
      order.append(id.rawValue)
      queue.release(id)
    }
    return order
  }

  @Test func `the queue is ordered by priority, then position, then id`() {
    var queue = TransferQueue()
    queue.enqueue(record(1))
    queue.enqueue(record(2, priority: .low))
    queue.enqueue(record(3, priority: .high))
    queue.enqueue(record(4, position: 0))
    #expect(drain(&queue) == [3, 4, 1, 2])
  }

  @Test func `a full host is skipped and does not delay others`() {
    var queue = TransferQueue()
    for id in Int64(1)...8 { queue.enqueue(record(id)) }
    queue.enqueue(record(9, host: "b.example"))
    let full = url("http://a.example/").origin
    #expect(queue.startNext { $0.origin != full } == TransferID(rawValue: 9))
    #expect(queue.startNext { $0.origin != full } == nil)
    #expect(queue.sessionsWaiting(for: full) == [.kettle])
    #expect(queue.startNext { _ in true } == TransferID(rawValue: 1))
    #expect(queue.running == [TransferID(rawValue: 1), TransferID(rawValue: 9)])
  }

  @Test(arguments: 1...4)
  func `queues of several hosts share the memory limit`(hosts: Int) {
    var queue = TransferQueue()
    for id in Int64(0)..<40 {
      queue.enqueue(record(id, host: "\(Int(id) % hosts).example"))
    }
    let spare = Set(queue.spare(perOrigin: 2, countMax: 6).map(\.id.rawValue))
    // The first transfers of each queue stay, up to the limit.
    #expect(spare == Set(6..<40))
  }

  @Test func `a long queue stays in memory while the total limit has room`() {
    var queue = TransferQueue()
    for id in Int64(0)..<40 { queue.enqueue(record(id, host: "\(id % 2).example")) }
    #expect(queue.spare(perOrigin: 5, countMax: 1000).isEmpty)
    #expect(queue.spare(perOrigin: 15, countMax: 32).count == 8)
  }

  @Test func `the total limit holds across hosts`() {
    var limits = TransferQueue.Limits()
    limits.runningMax = 3
    var queue = TransferQueue(limits: limits)
    for id in Int64(1)...9 { queue.enqueue(record(id, host: "h\(id).example")) }
    var count = 0
    while queue.startNext(admits: { _ in true }) != nil { count += 1 }
    #expect(count == 3)
  }

  @Test func `different ports count as different hosts`() {
    var queue = TransferQueue()
    queue.enqueue(record(1, host: "a.example:8080"))
    queue.enqueue(record(2, host: "a.example:8081"))
    let other = url("http://a.example:8081/").origin
    #expect(queue.startNext { $0.origin == other } == TransferID(rawValue: 2))
  }

  @Test func `enqueuing a transfer twice moves it`() {
    var queue = TransferQueue()
    queue.enqueue(record(1))
    queue.enqueue(record(2))
    queue.enqueue(record(1, priority: .low))
    #expect(drain(&queue) == [2, 1])
  }

  @Test func `the queue agrees with a sorted list for any order of calls`() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    var limits = TransferQueue.Limits()
    limits.runningMax = .max
    for _ in 0..<200 {
      var queue = TransferQueue(limits: limits)
      var model: [TransferRecord] = []
      for _ in 0..<60 {
        let id = Int64.random(in: 1...20, using: &random)
        switch Int.random(in: 0...2, using: &random) {
        case 0:
          let one = record(
            id, host: "h\(id % 3).example", priority: [.low, .normal, .high][Int(id % 3)],
            position: Int64.random(in: 0...5, using: &random))
          queue.enqueue(one)
          model.removeAll { $0.id == one.id }
          model.append(one)
        case 1:
          queue.remove(TransferID(rawValue: id))
          model.removeAll { $0.id.rawValue == id }
        default:
          let expected = model.min { left, right in
            (-left.spec.priority.value, left.queuePosition, left.id.rawValue)
              < (-right.spec.priority.value, right.queuePosition, right.id.rawValue)
          }
          let next = queue.startNext { _ in true }
          #expect(next == expected?.id, "seed \(seed)")
          model.removeAll { $0.id == next }
          if let next { queue.release(next) }
        }
        #expect(queue.queuedCount == model.count, "seed \(seed)")
      }
    }
  }
}

extension TransferQueue {
  /// Expects a queue that is completely in memory.
  fileprivate mutating func startNext(admits: (OriginSession) -> Bool) -> TransferID? {
    switch next(admits: admits) {
    case .start(let id): id
    case .read, .nothing: nil
    }
  }
}
