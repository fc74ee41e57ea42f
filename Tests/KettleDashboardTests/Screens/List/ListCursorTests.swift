import KettleModel
import Testing

@testable import KettleDashboard

/// The cursor alone, without a list around it.
struct ListCursorTests {
  private func window(_ numbers: Range<Int64>, of count: Int, anchor: Int? = nil) -> ListWindow {
    ListWindow(
      first: Int(numbers.lowerBound), matchingCount: count,
      rows: numbers.map { Sample.row($0, titled: "file \($0)", state: .queued) },
      anchorIndex: anchor)
  }

  private func cursor(at index: Int, firstVisible: Int = 0) -> ListCursor {
    var cursor = ListCursor()
    cursor.move(to: index, in: 0..<100, of: window(0..<100, of: 100))
    cursor.firstVisible = firstVisible
    return cursor
  }

  @Test func `a movement stays within the range`() {
    #expect(cursor(at: 500).index == 99)
    #expect(cursor(at: -3).index == 0)
    #expect(cursor(at: 7).id == TransferID(rawValue: 7))
  }

  @Test func `scrolling makes the cursor visible and leaves no space below the last row`() {
    var cursor = cursor(at: 50)
    cursor.scroll(height: 10, lineCount: 100)
    #expect(cursor.firstVisible == 41)
    cursor.scroll(height: 60, lineCount: 100)
    #expect(cursor.firstVisible == 40)
    cursor.scroll(height: 60, lineCount: 20)
    #expect(cursor.firstVisible == 0)
  }

  @Test func `the cursor stays on its transfer, or else on its index`() {
    var cursor = cursor(at: 10)
    cursor.place(in: window(3..<20, of: 20), isFollowing: false)
    #expect(cursor.index == 10)
    cursor.place(in: window(30..<40, of: 40), isFollowing: false)
    #expect(cursor.index == 10 && cursor.id == TransferID(rawValue: 10))
    cursor.place(in: window(0..<5, of: 5), isFollowing: false)
    #expect(cursor.index == 4 && cursor.id == TransferID(rawValue: 4))
  }

  @Test func `a transfer that ends while its row is not sent leaves the cursor on its line`() {
    func window(_ rows: [TransferSnapshot], from first: Int = 0, running: Int) -> ListWindow {
      ListWindow(
        first: first, matchingCount: 4, rows: rows,
        groups: [ListedGroup(.running, count: running), ListedGroup(.done, count: 4 - running)])
    }
    let states: [TransferState] = [.running, .running, .running, .completed]
    var rows = states.enumerated().map { Sample.row(Int64($0), titled: "x", state: $1) }
    var cursor = ListCursor()
    cursor.move(to: 1, in: 0..<5, of: window(rows, running: 3))
    cursor.place(in: window([rows[3]], from: 3, running: 3), isFollowing: false)
    #expect(cursor.id == rows[1].id)
    rows[1].state = .completed
    cursor.place(
      in: window([rows[0], rows[2], rows[1], rows[3]], running: 2), isFollowing: false)
    #expect(cursor.index == 1 && cursor.id == rows[2].id)
  }

  @Test func `a followed transfer keeps its screen line`() {
    var cursor = cursor(at: 10, firstVisible: 8)
    cursor.place(in: window(60..<80, of: 100, anchor: 70), isFollowing: true)
    #expect(cursor.index == 70 && cursor.firstVisible == 68)
  }

  @Test func `rows around a target are requested before the cursor moves there`() {
    var cursor = cursor(at: 0)
    let id = TransferID(rawValue: 90)
    cursor.target = CursorTarget(id: id, otherwise: .toTop)
    #expect(cursor.isAwaitingList)
    let mustLoad = cursor.mustLoadMore(from: window(0..<20, of: 100, anchor: 90))
    #expect(mustLoad)
    #expect(cursor.requestedTop == 90)
    let mustLoadAgain = cursor.mustLoadMore(from: window(80..<100, of: 100, anchor: 90))
    #expect(!mustLoadAgain)
    cursor.place(in: window(80..<100, of: 100, anchor: 90), isFollowing: false)
    #expect(cursor.index == 90 && cursor.target == nil)
  }

  @Test func `a target that is gone leads to the end that was asked for`() {
    var cursor = cursor(at: 10)
    cursor.target = CursorTarget(endOf: .end)
    #expect(cursor.isMovePending(to: .end) && !cursor.isMovePending(to: .home))
    cursor.place(in: window(0..<20, of: 20), isFollowing: false)
    #expect(cursor.index == 19)
    cursor.target = CursorTarget(endOf: .home)
    cursor.place(in: window(0..<20, of: 20), isFollowing: false)
    #expect(cursor.index == 0)
  }
}

struct RowSubscriptionTests {
  @Test func `the same rows are requested once, other filters get another tag`() {
    var subscription = RowSubscription()
    let first = Viewport(first: 0, count: 10)
    #expect(subscription.request(first).count == 1)
    #expect(subscription.request(first) == [])
    let other = Viewport(filter: RowFilter(text: "iso"), first: 0, count: 10)
    #expect(subscription.request(other).count == 1)
    #expect(subscription.viewport?.tag == 1)
    #expect(!subscription.accepts(ListWindow(first: 0, matchingCount: 0, rows: [], tag: 0)))
    #expect(subscription.accepts(ListWindow(first: 0, matchingCount: 0, rows: [], tag: 1)))
    subscription.forget()
    #expect(subscription.request(other).count == 1)
  }

  @Test func `an anchor that is no longer needed causes no request`() {
    var subscription = RowSubscription()
    _ = subscription.request(Viewport(first: 0, count: 10, anchor: TransferID(rawValue: 1)))
    #expect(subscription.request(Viewport(first: 0, count: 10)) == [])
  }
}
