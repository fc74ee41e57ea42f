import KettleModel

@testable import KettleScheduler

/// The fixture of the tests of the machine's parts: a transfer of 1,000 bytes at a fixed time.
enum MachineFixture {
  static let now = SchedulerScript().now
  static let operation = OperationID(rawValue: 1)
  static let context = DecisionContext(
    retryPolicy: RetryPolicy(), jitter: 0, otherConnectionCount: 0, network: .present, now: now)

  static func record(_ change: (inout TransferRecord) -> Void = { _ in }) -> TransferRecord {
    var record = TransferRecord(
      id: TransferID(rawValue: 1), taskIdentifier: 1, spec: spec(), createdAt: now.wall,
      queuePosition: 1, state: .idle)
    change(&record)
    return record
  }

  static func facts(_ change: (inout TransferRecord) -> Void = { _ in }) -> TransferFacts {
    TransferFacts(record(change))
  }

  static func attempt(_ number: UInt64) -> AttemptID { AttemptID(rawValue: number) }
}
