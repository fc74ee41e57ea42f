import KettleModel
import Testing

@testable import KettleScheduler

/// The identifiers of transfers and tasks.
struct IDSourceTests {
  private let app = SessionID(rawValue: "app")

  private func source(_ last: Int64 = 0) -> IDSource {
    IDSource(lastTransfer: TransferID(rawValue: 7), lastTasks: [app: last])
  }

  @Test func `transfer ids continue after the last stored one`() {
    var source = source()
    let ids = [source.nextTransfer(), source.nextTransfer()]
    #expect(ids == [TransferID(rawValue: 8), TransferID(rawValue: 9)])
  }

  @Test func `a program may choose a larger task identifier but no smaller one`() {
    var source = source(3)
    let numbers = [10, 10, .max].map { source.nextTask(in: app, wanted: $0) }
    #expect(numbers == [10, 11, 12])
    let first = source.nextTask(in: .kettle, wanted: nil)
    #expect(first == 1)
  }

  @Test func `a withdrawn identifier is reused unless a later one was assigned`() {
    var source = source(3)
    let first = source.nextTask(in: app, wanted: nil)
    source.withdrawTasks([first], in: app)
    let again = source.nextTask(in: app, wanted: nil)
    #expect(again == first)
    _ = source.nextTask(in: app, wanted: nil)
    source.withdrawTasks([first], in: app)
    #expect(source.lastTask(of: app) == first + 1)
  }
}
