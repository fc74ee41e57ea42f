import KettleModel
import Testing

@testable import KettleScheduler

/// The positions of transfers in the user's list.
struct ListOrderTests {
  private func position(_ number: Int64) -> QueuePosition {
    QueuePosition(position: number, id: TransferID(rawValue: number))
  }

  private func order(_ count: Int64, others: ClosedRange<Int64>? = nil) -> ListOrder {
    var order = ListOrder(loaded: [], positions: others)
    for number in 1...count { order.insert(position(number)) }
    return order
  }

  @Test func `a new transfer is placed after all others, including those in the store`() {
    var empty = ListOrder()
    let positions = [empty.nextPosition(), empty.nextPosition()]
    #expect(positions == [1, 2])
    var long = ListOrder(loaded: [], positions: -4...900)
    let next = long.nextPosition()
    #expect(next == 901)
  }

  @Test func `moving a transfer up swaps it with its neighbour`() {
    var order = order(3)
    let moved = order.move([position(2)], .up)
    #expect(moved == [TransferID(rawValue: 2): 1, TransferID(rawValue: 1): 2])
    let again = order.move([QueuePosition(position: 1, id: TransferID(rawValue: 2))], .up)
    #expect(again.isEmpty)
  }

  @Test func `a transfer passes those that do not count as neighbours`() {
    var order = order(3)
    let up = order.move([position(3)], .up) { $0 == TransferID(rawValue: 1) }
    #expect(up == [TransferID(rawValue: 3): 1, TransferID(rawValue: 1): 3])
    let down = order.move([position(2)], .down) { _ in false }
    #expect(down.isEmpty)
  }

  @Test func `the top is before every stored transfer, and the bottom is after them`() {
    var order = order(3, others: -7...50)
    let up = order.move([position(3)], .toTop)
    #expect(up == [TransferID(rawValue: 3): -8])
    let down = order.move([position(1)], .toBottom)
    #expect(down == [TransferID(rawValue: 1): 51])
  }

  @Test func `transfers that are already at the top or bottom are not moved`() {
    var order = order(3)
    let up = order.move([position(2), position(1)], .toTop)
    let down = order.move([position(2), position(3)], .toBottom)
    #expect(up.isEmpty && down.isEmpty)
  }
}
