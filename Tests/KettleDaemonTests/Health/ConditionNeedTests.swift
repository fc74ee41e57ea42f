import KettleEngine
import KettleModel
import Testing

@testable import KettleDaemon

@Suite(.timeLimit(.minutes(5)))
struct ConditionNeedTests {
  private func row(_ id: Int64, _ state: TransferState, isTask: Bool = true) -> TransferSnapshot {
    var row = TransferSnapshot(
      id: TransferID(rawValue: id), session: .kettle, taskIdentifier: id, title: "a",
      url: "http://files.example/\(id)", state: state, bytesReceived: 0,
      createdAt: WallTime(millisecondsSince1970: id))
    if isTask { row.task = TaskStatus() }
    return row
  }

  @Test func `the first active task and the end of the last one are reported`() async {
    let need = ConditionNeed()
    var changes = need.changes.makeAsyncIterator()
    need.observe(.added(row(1, .queued)))
    #expect(await changes.next() == true)
    need.observe(.added(row(2, .queued)))
    need.observe(.changed(row(1, .running)))
    need.observe(.changed(row(1, .completed)))
    need.observe(.removed(row(2, .running)))
    #expect(await changes.next() == false)
    need.observe(.changed(row(3, .paused)))
    need.observe(.changed(row(3, .queued)))
    #expect(await changes.next() == true)
  }

  @Test func `transfers without a task need no conditions`() async {
    let need = ConditionNeed()
    var changes = need.changes.makeAsyncIterator()
    need.observe(.added(row(1, .running, isTask: false)))
    need.observe(.added(row(2, .idle)))
    need.observe(.added(row(3, .queued)))
    need.observe(.removed(row(3, .queued)))
    // Only the latest change is buffered.
    #expect(await changes.next() == false)
  }
}
