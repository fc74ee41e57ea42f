import KettleModel
import Testing

struct TransferRecordClearedTests {
  @Test(
    arguments: [
      (4, 5, true), (5, 5, true), (6, 5, false), (1, nil, false), (nil, 0, true), (nil, nil, false),
    ] as [(Int64?, Int64?, Bool)])
  func `completed transfers are cleared up to the cleared number`(
    finishNumber: Int64?, clearedUpTo: Int64?, isCleared: Bool
  ) {
    let found = TransferState.completed.isCleared(finishNumber: finishNumber, upTo: clearedUpTo)
    #expect(found == isCleared)
  }

  @Test(arguments: TransferState.allCases.filter { $0 != .completed })
  func `a transfer that is not completed is visible`(_ state: TransferState) {
    #expect(!state.isCleared(finishNumber: 1, upTo: 5))
    #expect(!state.isCleared(finishNumber: nil, upTo: 5))
  }
}
