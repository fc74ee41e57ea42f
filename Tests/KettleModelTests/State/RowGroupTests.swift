import KettleModel
import Testing

struct RowGroupTests {
  @Test func `the groups are in work order`() {
    #expect(RowGroup.allCases.map(\.rank) == [0, 1, 2, 3, 4])
    #expect(RowGroup(.running, nil) == .running && RowGroup(.verifying, nil) == .running)
    #expect(RowGroup(.waiting, .retry) == .next && RowGroup(.waiting, .needsLogin) == .needsUser)
    #expect(RowGroup(.failed, nil) == .failed && RowGroup(.completed, nil) == .done)
  }

  @Test func `what is next is in the order in which it starts`() {
    let sort = RowSort(isGrouped: true)
    func section(_ state: TransferState, _ priority: TransferPriority = .normal) -> RowSection {
      sort.section(of: state, .next, priority, in: nil, path: nil)
    }
    let inOrder = [
      section(.waiting), section(.queued, .high), section(.queued), section(.queued, .low),
      section(.scheduled), section(.paused), section(.idle),
    ]
    #expect(inOrder == inOrder.sorted() && Set(inOrder).count == inOrder.count)
    #expect(inOrder.allSatisfy { (2..<3).contains($0.number) })
  }

  @Test func `folded rows have no index among those that are not folded`() {
    let rows = UnfoldedRows([
      ListedGroup(.running, count: 2), ListedGroup(.next, count: 5, isFolded: true),
      ListedGroup(.done, count: 3),
    ])
    #expect(rows.count == 5)
    #expect(rows.wholeRanges(first: 1, count: 3) == [1..<2, 7..<9])
    #expect(rows.wholeRanges(first: 3, count: .max) == [8..<10])
    #expect(rows.wholeRanges(first: 9, count: 1).isEmpty)
    #expect((0..<10).map(rows.index) == [0, 1, nil, nil, nil, nil, nil, 2, 3, 4])
  }
}
