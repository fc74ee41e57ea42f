import KettleModel
import Testing

@testable import KettleScheduler

/// The numbers of transfers and tasks.
struct IDSourceTests {
  private let app = SessionID(rawValue: "app")

  private func source(_ last: Int64 = 0) -> IDSource {
    IDSource(lastTransfer: TransferID(rawValue: 7), lastTasks: [app: last])
  }

  @Test func `transfers continue after the last one in the store`() {
    var source = source()
    #expect(source.nextTransfer() == TransferID(rawValue: 8))
    #expect(source.nextTransfer() == TransferID(rawValue: 9))
  }

  @Test func `a program may choose a larger number but no smaller one`() {
    var source = source(3)
    #expect(source.nextTask(in: app, wanted: 10) == 10)
    #expect(source.nextTask(in: app, wanted: 10) == 11)
    #expect(source.nextTask(in: app, wanted: .max) == 12)
    #expect(source.nextTask(in: .kettle, wanted: nil) == 1)
  }

  @Test func `numbers that were withdrawn are assigned again unless one followed`() {
    var source = source(3)
    let first = source.nextTask(in: app, wanted: nil)
    source.withdrawTasks([first], in: app)
    #expect(source.nextTask(in: app, wanted: nil) == first)
    _ = source.nextTask(in: app, wanted: nil)
    source.withdrawTasks([first], in: app)
    #expect(source.lastTask(of: app) == first + 1)
  }
}
